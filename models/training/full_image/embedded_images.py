"""Finds the embedded images of a collage: images next to or above each other in one file, each of which is scored
separately.

Along a line between two embedded images, most pixels of one side have nothing to do with the pixels of the other: the
step across the line is high, and higher than the steps near it. A frame, a caption and a screen's bars separate from
the image that they surround in the same way. The engine implements the same rules from SPECIFICATION.md, "Embedded
images"; test/fixtures/panels.json holds both to them.
"""

import numpy as np

from encoder.backbone import CROP_PX
from encoder.crops import shrink_short_side

PLANE_PX = 320
"""Shorter side of the plane in which lines are searched. 640 px find no more (experiments/0023)."""
LEAST_STEP = 12
"""Minimum step across a line, in grey levels."""
LEAST_TENTHS = 6
"""Minimum tenths of a line's pixels that must be border pixels. Chosen on validation images (experiments/0023)."""
DEPTH = 3
"""Maximum number of cuts on top of each other: by columns, by rows, and once more."""
MOST_EMBEDDED_IMAGES = 4
MOST_COVERED = 0.95
"""Maximum share of the image's area: a larger embedded image is the image itself."""

Box = tuple[int, int, int, int]
"""Box as x, y, width, height."""


def parting(steps: np.ndarray) -> np.ndarray:
    """Tells which pixels are border pixels of their rows: bool, from the steps across every pixel, `steps` [H,W]."""
    beside = np.pad(steps, ((0, 0), (2, 2)))
    return (steps >= LEAST_STEP) & (steps >= 2 * np.maximum(beside[:, :-4], beside[:, 4:]))


def steps_across(plane: np.ndarray) -> np.ndarray:
    """Computes for each pixel of int16 [H,W,3] the largest channel difference between its row neighbours; 0 at the
    ends.
    """
    return np.pad(np.abs(plane[:, 2:] - plane[:, :-2]).max(2), ((0, 0), (1, 1)))


def lines_of(counts: np.ndarray, length: int) -> list[int]:
    """Lists the positions of lines among `counts` border pixels of `length` each; of neighbours the first with the
    most.
    """
    lines = []
    for x in range(len(counts)):
        first = max(0, x - 2)
        if 10 * counts[x] >= LEAST_TENTHS * length and first + int(np.argmax(counts[first : x + 3])) == x:
            lines.append(x)
    return lines


def cut(parts: tuple[np.ndarray, np.ndarray], box: Box, depth: int) -> list[Box]:
    """Cuts a box into boxes, in pixels of the plane; `parts` has border pixels of columns [H,W] and of rows [W,H]."""
    x, y, width, height = box
    if depth == 0:
        return [box]
    across, down = parts[0][y : y + height, x : x + width].sum(0), parts[1][x : x + width, y : y + height].sum(0)
    columns, rows = lines_of(across, height), lines_of(down, width)
    if not columns and not rows:
        return [box]
    # The axis whose best line has more border pixels.
    by_columns = max(across[columns], default=0) * width >= max(down[rows], default=0) * height
    lines, start, end = (columns, x, x + width) if by_columns else (rows, y, y + height)
    pieces = []
    # The line's pixel and one on each side of it belong to neither piece.
    for first, last in zip(
        [start, *(start + line + 2 for line in lines)], [*(start + line - 1 for line in lines), end]
    ):
        if last > first:
            pieces += cut(
                parts, (first, y, last - first, height) if by_columns else (x, first, width, last - first), depth - 1
            )
    return pieces


def find_embedded_images(pixels: np.ndarray) -> list[Box]:
    """Finds the embedded images of uint8 [H,W,3], largest first; none if the image is a single one."""
    height, width = pixels.shape[:2]
    plane = shrink_short_side(pixels, PLANE_PX).astype(np.int16)
    rows, columns = plane.shape[:2]
    turned = np.ascontiguousarray(plane.transpose(1, 0, 2))
    parts = parting(steps_across(plane)), parting(steps_across(turned))
    found = []
    for x, y, w, h in cut(parts, (0, 0, columns, rows), DEPTH):
        left, top = -(-x * width // columns), -(-y * height // rows)
        box = left, top, (x + w) * width // columns - left, (y + h) * height // rows - top
        if min(box[2:]) >= CROP_PX and box[2] * box[3] <= MOST_COVERED * width * height:
            found.append(box)
    return sorted(found, key=lambda box: (-box[2] * box[3], box[1], box[0]))[:MOST_EMBEDDED_IMAGES]
