"""Draws training samples: genuine and fake faces in equal number, made worse in the same ways."""

from collections import defaultdict
from dataclasses import dataclass

import cv2
import numpy as np

from data.degrade import degrade, resize
from face_specialist.blend import blend_faces
from face_specialist.crops import MARGIN
from face_specialist.stored import StoredCrop


@dataclass(frozen=True)
class SampleSettings:
    """Shares of the kinds of fakes (they sum to 1), and probabilities of what both classes meet.

    `unseen_generators`: repositories whose generated faces are left out, for the experiment on sources never seen.
    """

    self_blended: float = 0.20
    cross_blended: float = 0.20
    reconstructed: float = 0.10
    swapped: float = 0.25
    generated: float = 0.25
    unseen_generators: tuple[str, ...] = ()
    side_px: int = 160
    smaller: float = 0.5
    smallest_scale: float = 0.4
    grey: float = 0.08
    relit: float = 0.4
    lossy_rounds: tuple[float, float, float] = (0.35, 0.45, 0.2)


@dataclass(frozen=True)
class Sample:
    """`crop` uint8 [side,side,3] RGB; `kind` is genuine or the kind of fake; `repository` is the picture's source."""

    crop: np.ndarray
    is_fake: bool
    kind: str
    repository: str


class Samples:
    """Pools of stored crops by kind, each drawn by the square root of its source's size.

    `reconstructions`: uint8 [R,288,288,3] and the stored row that each was made of.
    """

    def __init__(
        self,
        pixels: np.ndarray,
        crops: list[StoredCrop],
        reconstructions: tuple[np.ndarray, np.ndarray],
        settings: SampleSettings,
    ):
        self._pixels, self._settings = pixels, settings
        chosen = [crop for crop in crops if crop.placement.repository not in settings.unseen_generators]
        self._pools = {
            label: _by_source([crop for crop in chosen if crop.placement.label in labels])
            for label, labels in (("real", ("real",)), ("swapped", ("swapped",)), ("generated", ("generated", "ai")))
        }
        self._repository = {crop.row: crop.placement.repository for crop in chosen}
        self._made, made_of = reconstructions
        self._made_rows = [index for index, row in enumerate(made_of) if int(row) in self._repository]
        self._made_of = made_of

    def draw(self, random: np.random.Generator) -> Sample:
        """One sample, genuine or fake with equal chance, made worse."""
        crop, is_fake, kind, repository = self._fake(random) if random.random() < 0.5 else self._genuine(random)
        return Sample(finish(crop, random, self._settings), is_fake, kind, repository)

    def _stored(self, pool: str, random: np.random.Generator) -> tuple[np.ndarray, str]:
        sources, shares = self._pools[pool]
        source = sources[random.choice(len(sources), p=shares)]
        row = source[random.integers(len(source))]
        return self._pixels[row], self._repository[row]

    def _genuine(self, random: np.random.Generator) -> tuple[np.ndarray, bool, str, str]:
        crop, repository = self._stored("real", random)
        return crop, False, "genuine", repository

    def _fake(self, random: np.random.Generator) -> tuple[np.ndarray, bool, str, str]:
        settings = self._settings
        kinds = ("self_blended", "cross_blended", "reconstructed", "swapped", "generated")
        kind = kinds[random.choice(len(kinds), p=[getattr(settings, kind) for kind in kinds])]
        if kind in ("swapped", "generated"):
            crop, repository = self._stored(kind, random)
            return crop, True, kind, repository
        if kind == "reconstructed":
            index = self._made_rows[random.integers(len(self._made_rows))]
            row = self._made_of[index]
            whole = random.random() < 0.5
            crop = self._made[index] if whole else blend_faces(self._pixels[row], self._made[index], random)
            return crop, True, kind, self._repository[row]
        target, repository = self._stored("real", random)
        source = self._stored("real", random)[0] if kind == "cross_blended" else None
        return blend_faces(target, source, random), True, kind, repository


def _by_source(crops: list[StoredCrop]) -> tuple[list[np.ndarray], np.ndarray]:
    """Rows of each (repository, method), and the share of draws each gets: the root of its size."""
    rows = defaultdict(list)
    for crop in crops:
        # Dozens of small photograph collections count as one source, as do a repository's small generators.
        known = crop.placement.portrait or crop.is_fake
        rows[(crop.placement.repository, crop.placement.label) if known else "photographs"].append(crop.row)
    sizes = np.sqrt([len(source) for source in rows.values()])
    return [np.array(source) for source in rows.values()], sizes / max(sizes.sum(), 1e-9)


def finish(crop: np.ndarray, random: np.random.Generator, settings: SampleSettings) -> np.ndarray:
    """A stored crop as a picture from the outside would show it to the network: smaller, degraded, re-aligned."""
    crop = np.ascontiguousarray(crop)
    if random.random() < 0.5:
        crop = crop[:, ::-1]
    if random.random() < settings.relit:
        levels = (np.arange(256) / 255.0) ** np.exp(random.uniform(-0.35, 0.35)) * random.uniform(0.85, 1.15)
        tint = random.uniform(0.95, 1.05, 3) * levels[:, None] + random.uniform(-0.04, 0.04)
        crop = cv2.LUT(np.ascontiguousarray(crop), (np.clip(tint, 0, 1) * 255).round().astype(np.uint8)[:, None])
    if random.random() < settings.grey:
        crop = np.repeat(cv2.cvtColor(np.ascontiguousarray(crop), cv2.COLOR_RGB2GRAY)[:, :, None], 3, axis=2)
    if random.random() < settings.smaller:
        scale = np.exp(random.uniform(np.log(settings.smallest_scale), 0))
        crop = resize(np.ascontiguousarray(crop), round(crop.shape[1] * scale), round(crop.shape[0] * scale))
    crop = np.ascontiguousarray(degrade(np.ascontiguousarray(crop), random, settings.lossy_rounds))
    return realign(crop, random, settings.side_px)


def realign(crop: np.ndarray, random: np.random.Generator | None, side_px: int) -> np.ndarray:
    """The network's crop out of a stored crop of any size; with `random`, as an inexact finder would place it."""
    stored_px = crop.shape[0]
    scale, turn, shift = MARGIN * side_px / stored_px, 0.0, np.zeros(2)
    if random is not None:
        scale *= np.exp(random.uniform(-0.1, 0.1))
        turn, shift = random.normal(0, 3), random.normal(0, 0.015, 2) * side_px
    centre = (stored_px - 1) / 2
    matrix = cv2.getRotationMatrix2D((centre, centre), turn, scale)
    matrix[:, 2] += (side_px - 1) / 2 - centre + shift
    return cv2.warpAffine(crop, matrix, (side_px, side_px), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
