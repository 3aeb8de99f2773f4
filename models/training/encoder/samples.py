"""Training views: random crops of stored planes, rescaled and degraded in the same ways for both classes."""

import numpy as np

from data.degrade import degrade, rescale, resize
from data.planes import PlaneStore, StoredPicture
from encoder.tower import VIEW_PX

DEGRADED = 0.75
RESCALED = 0.5
RESCALE = (0.88, 1.2)
WHOLE_SHORT_PX = (224, 272)
KINDS = {"whole": "middle", "middle": "middle", "native": "native", "web": "web"}
"""Kinds of training view and the planes that they are cut from; a "web" view trains the native head."""


def random_crop(pixels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """uint8 [224,224,3]; what is too small is enlarged first. Flipped every other time."""
    short = min(pixels.shape[:2])
    if short < VIEW_PX:
        pixels = resize(pixels, *(max(VIEW_PX, round(side * VIEW_PX / short)) for side in pixels.shape[1::-1]))
    height, width = pixels.shape[:2]
    top, left = int(rng.integers(0, height - VIEW_PX + 1)), int(rng.integers(0, width - VIEW_PX + 1))
    crop = pixels[top:top + VIEW_PX, left:left + VIEW_PX]
    return np.ascontiguousarray(crop[:, ::-1] if rng.random() < 0.5 else crop)


def training_view(store: PlaneStore, stored: StoredPicture, kind: str, rng: np.random.Generator) -> np.ndarray | None:
    """One view uint8 [224,224,3] of a kind of KINDS, or None where the picture has no such plane."""
    planes = stored.of(KINDS[kind])
    if not planes:
        return None
    pixels = store.pixels(planes[int(rng.integers(len(planes)))])
    if kind in ("native", "web") and rng.random() < RESCALED:
        pixels = rescale(pixels, float(rng.uniform(*RESCALE)), rng)
    if rng.random() < DEGRADED:
        pixels = degrade(pixels, rng)
    if kind == "whole":
        scale = float(rng.uniform(*WHOLE_SHORT_PX)) / min(pixels.shape[:2])
        pixels = resize(pixels, *(max(VIEW_PX, round(side * scale)) for side in pixels.shape[1::-1]))
    return random_crop(pixels, rng)
