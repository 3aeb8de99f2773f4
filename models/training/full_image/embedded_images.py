"""Finds embedded images, such as the parts of a collage or the photograph in a screenshot, to score each separately.

Along the line between two images, most pixels on one side differ from those on the other side. The difference across
the line (the step) is high, and higher than the steps nearby. A frame, a caption or the bars of a screen are separated
from the image in the same way. The engine follows the same rules (SPECIFICATION.md, "Embedded images"). Tests compare
both with test/fixtures/panels.json.
"""

import numpy as np

from encoder.backbone import CROP_PX
from encoder.crops import shrink_short_side

PLANE_PX = 320
"""Shorter side in px to which the image is shrunk for the search. 640 px find no more images (experiments/0023)."""
MIN_STEP = 12
"""Minimum step across a line, in grey levels."""
MIN_BORDER_TENTHS = 6
"""Minimum tenths of a line's pixels that must be border pixels. Chosen on validation images (experiments/0023)."""
DEPTH = 3
"""Maximum number of times that a part is cut again: by columns, by rows, and once more."""
MAX_EMBEDDED_IMAGES = 4
MAX_AREA_SHARE = 0.95
"""Maximum share of the image's area. A larger part is not counted as an embedded image."""

Box = tuple[int, int, int, int]
"""Box as x, y, width, height."""


def parting(steps: np.ndarray) -> np.ndarray:
    """Returns which pixels are border pixels of their rows, bool, from the steps [H,W] across every pixel."""
    beside = np.pad(steps, ((0, 0), (2, 2)))
    return (steps >= MIN_STEP) & (steps >= 2 * np.maximum(beside[:, :-4], beside[:, 4:]))


def steps_across(plane: np.ndarray) -> np.ndarray:
    """Returns for each pixel of int16 [H,W,3] the largest channel difference between its two neighbours in the row.

    It is 0 at both ends of the row.
    """
    return np.pad(np.abs(plane[:, 2:] - plane[:, :-2]).max(2), ((0, 0), (1, 1)))


def lines_of(counts: np.ndarray, length: int) -> list[int]:
    """Returns the positions of lines. `counts` has the number of border pixels at each position, of `length` pixels.

    If neighbouring positions qualify, the first with the most border pixels counts.
    """
    lines = []
    for x in range(len(counts)):
        first = max(0, x - 2)
        if 10 * counts[x] >= MIN_BORDER_TENTHS * length and first + int(np.argmax(counts[first : x + 3])) == x:
            lines.append(x)
    return lines


def cut(parts: tuple[np.ndarray, np.ndarray], box: Box, depth: int) -> list[Box]:
    """Cuts a box into boxes along its lines, again and again up to `depth` times.

    Coordinates are pixels of the shrunk image. `parts` has the border pixels of columns [H,W] and of rows [W,H].
    """
    x, y, width, height = box
    if depth == 0:
        return [box]
    across, down = parts[0][y : y + height, x : x + width].sum(0), parts[1][x : x + width, y : y + height].sum(0)
    columns, rows = lines_of(across, height), lines_of(down, width)
    if not columns and not rows:
        return [box]
    # Cuts along the axis whose best line has the larger share of border pixels.
    by_columns = max(across[columns], default=0) * width >= max(down[rows], default=0) * height
    lines, start, end = (columns, x, x + width) if by_columns else (rows, y, y + height)
    pieces = []
    # The pixel of a line and one pixel on each side belong to neither piece.
    for first, last in zip(
        [start, *(start + line + 2 for line in lines)], [*(start + line - 1 for line in lines), end]
    ):
        if last > first:
            pieces += cut(
                parts, (first, y, last - first, height) if by_columns else (x, first, width, last - first), depth - 1
            )
    return pieces


def find_embedded_images(pixels: np.ndarray) -> list[Box]:
    """Returns the boxes of the embedded images in uint8 [H,W,3], largest first. Returns none for an ordinary image."""
    height, width = pixels.shape[:2]
    plane = shrink_short_side(pixels, PLANE_PX).astype(np.int16)
    rows, columns = plane.shape[:2]
    turned = np.ascontiguousarray(plane.transpose(1, 0, 2))
    parts = parting(steps_across(plane)), parting(steps_across(turned))
    found = []
    for x, y, w, h in cut(parts, (0, 0, columns, rows), DEPTH):
        left, top = -(-x * width // columns), -(-y * height // rows)
        box = left, top, (x + w) * width // columns - left, (y + h) * height // rows - top
        if min(box[2:]) >= CROP_PX and box[2] * box[3] <= MAX_AREA_SHARE * width * height:
            found.append(box)
    return sorted(found, key=lambda box: (-box[2] * box[3], box[1], box[0]))[:MAX_EMBEDDED_IMAGES]
