"""Combines the logits of single tokens in all crops into one heat map, like the engine (SPECIFICATION.md, "Heat map").

Input: RGB uint8 [H,W,3]. Output: float64 [rows, columns], log odds.
"""

from dataclasses import dataclass

import numpy as np

from encoder.backbone import CROP_PX, PATCH_PX
from encoder.crops import CropType, choose_positions, pad, shrink_short_side

SIDE = CROP_PX // PATCH_PX
SHORT_SIDE_CELLS = 20
"""Maximum number of cells along the shorter side of an image. A cell is at least PATCH_PX px wide."""
MIN_COVER = 0.5
"""Minimum share of a cell that tokens must cover for the cell to have a value."""


@dataclass(frozen=True)
class PlacedCrop:
    """A crop uint8 [224,224,3], cut at (x, y) from the image shrunk to width x height."""

    pixels: np.ndarray
    x: int
    y: int
    width: int
    height: int


def placed_crops(pixels: np.ndarray, kinds: tuple[CropType, ...]) -> list[PlacedCrop]:
    """Cuts all crops of an image uint8 [H,W,3], one crop type after the other."""
    crops = []
    for kind in kinds:
        shrunk = shrink_short_side(pixels, kind.short_side_px)
        padded = pad(shrunk)
        crops += [
            PlacedCrop(padded[y : y + CROP_PX, x : x + CROP_PX], x, y, shrunk.shape[1], shrunk.shape[0])
            for x, y in choose_positions(padded, kind.count)
        ]
    return crops


def grid_of(width: int, height: int) -> tuple[int, int]:
    """Returns the number of columns and rows in the map of an image of this size in px."""
    short = min(width, height)
    cells = max(1, min(SHORT_SIDE_CELLS, short // PATCH_PX))
    return max(1, width * cells // short), max(1, height * cells // short)


def overlaps(start: int, length: int, cells: int) -> np.ndarray:
    """Returns how much of each cell along an axis of `length` px is covered by each of the SIDE tokens of a crop.

    The crop starts at `start`. The result is float64 [cells, SIDE], 1 for a whole cell.
    """
    tokens = (start + PATCH_PX * np.arange(SIDE + 1)) * (cells / length)
    edges = np.arange(cells + 1.0)
    return np.clip(
        np.minimum(edges[1:, None], tokens[None, 1:]) - np.maximum(edges[:-1, None], tokens[None, :-1]), 0, None
    )


def heat_map(crops: list[PlacedCrop], logits: np.ndarray, width: int, height: int) -> np.ndarray:
    """Computes the map of an image of width x height px, float64 [rows, columns]: the mean logit of the tokens on a
    cell.

    The mean is weighted by area. Cells without tokens are nan. `logits` float [crops, 196] has the tokens of each crop
    row by row.
    """
    columns, rows = grid_of(width, height)
    total, cover = np.zeros((rows, columns)), np.zeros((rows, columns))
    for crop, tokens in zip(crops, logits, strict=True):
        down, across = overlaps(crop.y, crop.height, rows), overlaps(crop.x, crop.width, columns)
        total += down @ tokens.reshape(SIDE, SIDE) @ across.T
        cover += down.sum(1)[:, None] * across.sum(1)[None]
    return np.where(cover >= MIN_COVER, total / np.maximum(cover, 1e-9), np.nan)
