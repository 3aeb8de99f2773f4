"""Fakes made on the fly: kinds, how often each is drawn, and what each is labelled."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from face_specialist.blend import cross_blended, self_blended
from face_specialist.lowres import low_resolution, restored_swap
from face_specialist.rebuilt import Rebuilder
from face_specialist.warp import reenacted


@dataclass(frozen=True)
class Face:
    """A stored crop uint8 [288,288,3] and its landmarks float32 [66,2] in the crop's pixels."""

    pixels: np.ndarray
    points: np.ndarray


@dataclass(frozen=True)
class Mix:
    """How often each kind of fake is drawn, and how often a network enlarges the genuine face before anything is done to it."""

    kinds: dict[str, float]
    enlarged: float = 0.0


MIXES = {
    "all": Mix({"self-blended": 0.32, "cross-blended": 0.14, "reenacted": 0.17, "low resolution": 0.09, "rebuilt face": 0.08, "rendered region": 0.14, "rebuilt crop": 0.06}),
    "swaps": Mix({"restored swap": 0.45, "low resolution": 0.15, "cross-blended": 0.2, "self-blended": 0.2}, enlarged=0.15),
}
"""`all` for new heads, `swaps` for a further round on what swapping tools leave."""
GENERATED_KINDS = frozenset({"rebuilt crop"})
"""Kinds in which no pixel of the genuine crop is left: a generator's, not a manipulation."""


class FakeMaker:
    """Makes fakes of every kind; `autoencoders` is the folder of their weights."""

    def __init__(self, autoencoders: Path):
        rebuilder = Rebuilder(autoencoders)
        self._makers: dict[str, Callable[[Face, Face, np.random.Generator], np.ndarray]] = {
            "self-blended": lambda face, other, random: self_blended(face.pixels, face.points, random),
            "cross-blended": lambda face, other, random: cross_blended(
                face.pixels, face.points, other.pixels, other.points, random),
            "reenacted": lambda face, other, random: reenacted(face.pixels, face.points, random),
            "low resolution": lambda face, other, random: low_resolution(
                face.pixels, face.points, other.pixels, other.points, random),
            "restored swap": lambda face, other, random: restored_swap(
                face.pixels, face.points, other.pixels, other.points, random),
            "rebuilt face": lambda face, other, random: rebuilder.rebuild_face(face.pixels, face.points, random),
            "rendered region": lambda face, other, random: rebuilder.render_region(face.pixels, face.points, random),
            "rebuilt crop": lambda face, other, random: rebuilder.rebuild(face.pixels, random),
        }

    def make(self, kind: str, face: Face, other: Face, random: np.random.Generator) -> np.ndarray:
        """A fake of `face`, uint8 of its size; `other` is another person."""
        return self._makers[kind](face, other, random)


def draw_kind(mix: Mix, random: np.random.Generator) -> str:
    """A kind of fake."""
    return str(random.choice(list(mix.kinds), p=list(mix.kinds.values())))
