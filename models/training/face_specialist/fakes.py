"""Makes fake faces during training, of random kinds with given shares.

Input: `Face` (crop uint8 [288,288,3], landmarks in its pixels). Output: a crop of the same size.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from data.autoencoders import FAMILIES, Autoencoder
from face_specialist.blend import cross_blended, self_blended
from face_specialist.lowres import low_resolution, restored_swap
from face_specialist.masks import REGIONS, paste, soft_mask
from face_specialist.warp import reenacted

SIDES_PX = (128, 160, 192, 256, 288)
"""Sides in px to which a face is resized before an autoencoder encodes it, because generators work at several sizes."""
RENDERED_PX = (64, 96, 128, 160, 192)
RENDERED_REGIONS = ("mouth", "lower", "eyes")
"""Regions that are generated at a size of their own, as NeuralTextures generates a mouth."""


class Rebuilder:
    """Autoencoders of all families, which leave a generator's traces. Each is loaded when it is first used."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._autoencoders: dict[str, Autoencoder] = {}

    def rebuild(
        self, face: np.ndarray, random: np.random.Generator, sides_px: tuple[int, ...] = SIDES_PX
    ) -> np.ndarray:
        """Passes the whole crop through a random autoencoder at one of these sizes, and resizes the result back."""
        family = str(random.choice(list(FAMILIES)))
        if family not in self._autoencoders:
            self._autoencoders[family] = Autoencoder(self._folder, family)
        side_px = int(random.choice(sides_px))
        shrinks = side_px < face.shape[0]
        small = cv2.resize(face, (side_px, side_px), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)
        rebuilt = self._autoencoders[family].reconstruct(small)
        return cv2.resize(rebuilt, face.shape[1::-1], interpolation=cv2.INTER_CUBIC)

    def rebuild_face(self, face: np.ndarray, points: np.ndarray, random: np.random.Generator) -> np.ndarray:
        """Replaces a region of the crop, inside a soft mask, by its version after an autoencoder."""
        return paste(face, self.rebuild(face, random), soft_mask(points, face.shape[0], random))

    def render_region(self, face: np.ndarray, points: np.ndarray, random: np.random.Generator) -> np.ndarray:
        """Replaces the area of mouth, lower face or eyes, inside a soft mask, by its version after an autoencoder."""
        region = str(random.choice(RENDERED_REGIONS))
        hull = points[list(REGIONS[region])]
        reach = float(random.uniform(0.6, 0.9) * np.ptp(hull, axis=0).max())
        left, top = np.clip((hull.mean(axis=0) - reach).astype(int), 0, None)
        right, bottom = np.minimum((hull.mean(axis=0) + reach).astype(int), face.shape[1::-1])
        rendered = face.copy()
        rendered[top:bottom, left:right] = self.rebuild(
            np.ascontiguousarray(face[top:bottom, left:right]), random, RENDERED_PX
        )
        return paste(face, rendered, soft_mask(points, face.shape[0], random, region))


@dataclass(frozen=True)
class Face:
    """A stored crop uint8 [288,288,3] and its landmarks float32 [66,2] in pixels of the crop."""

    pixels: np.ndarray
    points: np.ndarray


@dataclass(frozen=True)
class Mix:
    """Shares of the kinds of fakes, and the share of genuine faces that an upscaling network enlarges first."""

    kinds: dict[str, float]
    enlarged: float = 0.0


MIXES = {
    "all": Mix(
        {"self-blended": 0.32, "cross-blended": 0.14, "reenacted": 0.17, "low resolution": 0.09}
        | {"rebuilt face": 0.08, "rendered region": 0.14, "rebuilt crop": 0.06}
    ),
    "swaps": Mix(
        {"restored swap": 0.45, "low resolution": 0.15, "cross-blended": 0.2, "self-blended": 0.2}, enlarged=0.15
    ),
}
"""Mixes of fakes: `all` to train new heads, `swaps` to train them further on traces of face-swapping tools."""
GENERATED_KINDS = frozenset({"rebuilt crop"})
"""Kinds of fakes that keep no pixel of the genuine crop. They are labelled as generated instead of manipulated."""


class FakeMaker:
    """Makes fakes of every kind. `autoencoders` is the folder with the weights of the autoencoders."""

    def __init__(self, autoencoders: Path):
        rebuilder = Rebuilder(autoencoders)
        one = lambda make: lambda face, other, random: make(face.pixels, face.points, random)
        two = lambda make: (
            lambda face, other, random: make(face.pixels, face.points, other.pixels, other.points, random)
        )
        self._makers: dict[str, Callable[[Face, Face, np.random.Generator], np.ndarray]] = {
            "self-blended": one(self_blended),
            "cross-blended": two(cross_blended),
            "reenacted": one(reenacted),
            "low resolution": two(low_resolution),
            "restored swap": two(restored_swap),
            "rebuilt face": one(rebuilder.rebuild_face),
            "rendered region": one(rebuilder.render_region),
            "rebuilt crop": lambda face, other, random: rebuilder.rebuild(face.pixels, random),
        }

    def make(self, kind: str, face: Face, other: Face, random: np.random.Generator) -> np.ndarray:
        """Makes a fake of `face`, as uint8 of the same size. `other` is the face of another person."""
        return self._makers[kind](face, other, random)


def draw_kind(mix: Mix, random: np.random.Generator) -> str:
    """Returns a random kind of fake, with the shares of `mix`."""
    return str(random.choice(list(mix.kinds), p=list(mix.kinds.values())))
