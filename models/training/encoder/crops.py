"""Chooses which crops of an image the encoder scores, by crop types with a size and a number of positions.

The engine follows the same rules (SPECIFICATION.md, "Crops"). Tests compare both with test/fixtures/views.json.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from data.degrade import resize
from encoder.backbone import CROP_PX

STEPS = 3
"""Number of candidate positions along each axis of a grid cell: start, middle and end."""
BLANK_RANGE = 6
"""Maximum difference of grey levels that compression leaves in an area of one colour. JPEG quality 50 stays below."""


@dataclass(frozen=True)
class CropType:
    """A crop type.

    Before cutting, the image is shrunk to a shorter side of `short_side_px` (None: not shrunk). `count` is the maximum
    number of crops.
    """

    name: str
    short_side_px: int | None
    count: int


def shrink_short_side(pixels: np.ndarray, short_side_px: int | None) -> np.ndarray:
    """Shrinks an image to a shorter side of at most `short_side_px`. Never enlarges."""
    height, width = pixels.shape[:2]
    short = min(height, width)
    if short_side_px is None or short <= short_side_px:
        return pixels
    scaled = [max(short_side_px, round(side * short_side_px / short)) for side in (width, height)]
    return resize(pixels, *scaled)


def pad(pixels: np.ndarray) -> np.ndarray:
    """Extends an image to at least CROP_PX per side by mirroring it right and below. The edge pixel is not repeated."""
    height, width = pixels.shape[:2]
    if min(height, width) >= CROP_PX:
        return pixels
    return cv2.copyMakeBorder(pixels, 0, max(0, CROP_PX - height), 0, max(0, CROP_PX - width), cv2.BORDER_REFLECT_101)


def choose_grid(width: int, height: int, count: int) -> tuple[int, int]:
    """Chooses the columns and rows of the grid in which crops are placed.

    Takes as many cells as possible up to `count`, no more per axis than cover it, in a shape near the image's aspect
    ratio.
    """
    best = None
    for columns in range(1, min(count, -(-width // CROP_PX)) + 1):
        for rows in range(1, min(count // columns, -(-height // CROP_PX)) + 1):
            key = (-columns * rows, abs(columns * height - rows * width), columns)
            if best is None or key < best[0]:
                best = (key, columns, rows)
    return best[1], best[2]


def axis_candidates(length: int, cells: int) -> list[list[int]]:
    """Lists the possible crop offsets in each grid cell along one axis.

    A cell that is larger than a crop has three, otherwise the cell has one, and these are evenly spread.
    """
    candidates = []
    for index in range(cells):
        start, end = index * length // cells, (index + 1) * length // cells
        room = end - start - CROP_PX
        if room >= 0:
            candidates.append([start + room * step // (STEPS - 1) for step in range(STEPS)])
        elif cells == 1:
            candidates.append([(length - CROP_PX) // 2])
        else:
            candidates.append([index * (length - CROP_PX) // (cells - 1)])
    return candidates


def texture_energy(crop: np.ndarray) -> int:
    """Returns the sum of absolute differences between neighbouring pixels of the green channel."""
    green = crop[:, :, 1].astype(np.int16)
    return int(np.abs(np.diff(green, axis=0)).sum(dtype=np.int64) + np.abs(np.diff(green, axis=1)).sum(dtype=np.int64))


def choose_positions(pixels: np.ndarray, count: int) -> list[tuple[int, int]]:
    """Chooses the positions (x, y) of at most `count` crops of a padded image, row by row.

    In each grid cell, the candidate with the most texture is taken.
    """
    height, width = pixels.shape[:2]
    columns, rows = choose_grid(width, height, count)
    across, down = axis_candidates(width, columns), axis_candidates(height, rows)
    chosen = []
    for ys in down:
        for xs in across:
            places = [(x, y) for y in ys for x in xs]
            energies = (
                [texture_energy(pixels[y : y + CROP_PX, x : x + CROP_PX]) for x, y in places]
                if len(places) > 1
                else [0]
            )
            chosen.append(places[int(np.argmax(energies))])
    return chosen


def cut_crops(pixels: np.ndarray, kind: CropType) -> np.ndarray:
    """Cuts the crops of one type from an image uint8 [H,W,3]: uint8 [n,224,224,3] with 1 <= n <= count."""
    pixels = pad(shrink_short_side(pixels, kind.short_side_px))
    return np.stack([pixels[y : y + CROP_PX, x : x + CROP_PX] for x, y in choose_positions(pixels, kind.count)])


def are_blank(crops: list[np.ndarray]) -> bool:
    """Returns whether all crops uint8 [H,W,3] have the same colour, within BLANK_RANGE grey levels."""
    stacked = np.stack(crops).reshape(-1, 3)
    return bool(np.ptp(stacked, axis=0).max() <= BLANK_RANGE)


REGION_CROP_TYPE, REGION_SIDE = "whole", 3
"""Crop type in which the suspicious region (the part that looks most like AI) is searched, because it shows most of an
image, and number of tokens on a side of the region."""


def region_logit(tokens: np.ndarray, side: int = REGION_SIDE) -> float:
    """Returns the highest mean logit of a square of `side` by `side` tokens of a crop, float [196] row by row."""
    count = round(len(tokens) ** 0.5)
    windows = np.lib.stride_tricks.sliding_window_view(
        tokens.reshape(count, count).astype(np.float64), (side, side), axis=(0, 1)
    )
    return float(windows.mean((2, 3)).max())
