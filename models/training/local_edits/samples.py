"""Cuts training crops from edited images, with a label for each token: generated, genuine or unknown.

Input: pixels uint8 [H,W,3] and a mask float32 [H,W] from 0 to 1. Output: `TokenCrop`s.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from data.degrade import degrade, resize, shrink_to
from encoder.backbone import CROP_PX, PATCH_PX
from encoder.crops import CropType
from encoder.features import CROP_TYPES
from encoder.samples import DELIVERED, DELIVERED_LONG_PX
from local_edits.edits import Edited

RECOMPRESSED = 0.5
"""Share of images that are compressed at their own size, among those that are not shrunk like images on web sites."""
INSIDE, OUTSIDE = 0.6, 0.05
"""Share of a token's pixels in the mask from which it is generated, and up to which it is genuine."""
TRIES = 4
"""Number of random positions for a native crop. The one with the most mixed mask shows the region's edge best."""


@dataclass(frozen=True)
class TokenCrop:
    """A crop uint8 [224,224,3] of a type, with a label for each token, float32 [14,14]: 1, 0, or nan for none."""

    kind: str
    pixels: np.ndarray
    answers: np.ndarray


def answers_of(mask: np.ndarray) -> np.ndarray:
    """Computes the labels float32 [14,14] of the tokens from a crop's mask [224,224]."""
    share = cv2.resize(mask, (CROP_PX // PATCH_PX,) * 2, interpolation=cv2.INTER_AREA)
    return np.where(share >= INSIDE, 1, np.where(share <= OUTSIDE, 0, np.nan)).astype(np.float32)


def deliver(edited: Edited, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Degrades an edited image as it may reach the engine. Returns its pixels and its mask."""
    pixels = edited.pixels
    if random.random() < DELIVERED:
        pixels = degrade(shrink_to(pixels, round(float(np.exp(random.uniform(*np.log(DELIVERED_LONG_PX)))))), random)
    elif random.random() < RECOMPRESSED:
        pixels = degrade(pixels, random)
    return pixels, cv2.resize(edited.mask, pixels.shape[1::-1], interpolation=cv2.INTER_AREA)


def at_short_side(plane: np.ndarray, kind: CropType) -> np.ndarray:
    """Returns pixels or a mask at the size of this crop type. Images with a side under CROP_PX are enlarged."""
    short = min(plane.shape[:2])
    wanted = max(CROP_PX, min(short, kind.short_side_px or short))
    if wanted == short:
        return plane
    return resize(plane, *(max(wanted, round(side * wanted / short)) for side in plane.shape[1::-1]))


def cut(pixels: np.ndarray, mask: np.ndarray, kind: CropType, random: np.random.Generator) -> TokenCrop:
    """Cuts a crop at a random position. A native crop shows little, so it is cut where its mask is most mixed."""
    pixels, mask = at_short_side(pixels, kind), at_short_side(mask, kind)
    height, width = mask.shape
    tries = TRIES if kind.short_side_px is None else 1
    places = [
        (int(random.integers(0, height - CROP_PX + 1)), int(random.integers(0, width - CROP_PX + 1)))
        for _ in range(tries)
    ]
    crops = [(slice(top, top + CROP_PX), slice(left, left + CROP_PX)) for top, left in places]
    crop = max(crops, key=lambda at: -abs(float(mask[at].mean()) - 0.5))
    flip = slice(None, None, -1 if random.random() < 0.5 else 1)
    return TokenCrop(
        kind.name, np.ascontiguousarray(pixels[crop][:, flip]), answers_of(np.ascontiguousarray(mask[crop][:, flip]))
    )


def token_crops(edited: Edited, random: np.random.Generator) -> list[TokenCrop]:
    """Cuts one crop of each of CROP_TYPES."""
    pixels, mask = deliver(edited, random)
    return [cut(pixels, mask, kind, random) for kind in CROP_TYPES]
