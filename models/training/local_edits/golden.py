"""Writes test/fixtures/heat_map.json, by which a test compares the engine's heat map with this code's.

    python -m local_edits.golden --out ../../test/fixtures/heat_map.json

The synthetic tokens: of token t (row by row, from 0) of view v (from 0), h = ((v * 73856093) ^ (t * 19349663)) mod 2^32;
its logit is (((h div 256) mod 64) - 32) / 4.
"""

import numpy as np

from encoder.features import CROP_TYPES
from encoder.golden import synthetic_image, write_cases
from local_edits.heat_map import SIDE, grid_of, heat_map, placed_crops

SIZES = [(12, 9), (90, 70), (300, 200), (333, 257), (512, 512), (640, 427), (1500, 130), (700, 2100)]
"""Sizes of test images (width, height): smaller than a token, smaller than a crop, with fewer cells than others,
square, with fractions of cells, and too long for one crop."""


def synthetic_logits(crops: int) -> np.ndarray:
    """Makes logits float64 [crops, 196] by the recipe in this module's docstring."""
    crop, token = np.mgrid[:crops, : SIDE * SIDE].astype(np.uint32)
    mixed = (crop * np.uint32(73856093)) ^ (token * np.uint32(19349663))
    return (((mixed >> 8) % 64).astype(np.float64) - 32) / 4


def make_case(width: int, height: int) -> dict:
    """Makes a test case: each crop's position (x, y, size of the shrunk image) and the cells with a value."""
    crops = placed_crops(synthetic_image(width, height), CROP_TYPES)
    cells = heat_map(crops, synthetic_logits(len(crops)), width, height)
    columns, rows = grid_of(width, height)
    edges = [[at * length // count for at in range(count + 1)] for length, count in ((width, columns), (height, rows))]
    lefts, tops = edges
    boxes = [
        [lefts[column], tops[row], lefts[column + 1] - lefts[column], tops[row + 1] - tops[row]]
        for row in range(rows)
        for column in range(columns)
    ]
    known = [(box, logit) for box, logit in zip(boxes, cells.ravel(), strict=True) if np.isfinite(logit)]
    return {
        "width": width,
        "height": height,
        "views": [[int(crop.x), int(crop.y), crop.width, crop.height] for crop in crops],
        "boxes": [box for box, _ in known],
        "logits": [round(float(logit), 6) for _, logit in known],
    }


if __name__ == "__main__":
    write_cases(__doc__, [make_case(*size) for size in SIZES])
