"""Writes test/fixtures/panels.json, by which a test compares the engine's embedded images with this code's.

    python -m full_image.golden --out ../../test/fixtures/panels.json

The synthetic collage is white and contains the images of the case. In image i (from 1), the pixel x to the right of
and y below its corner has in channel c (red 0, green 1, blue 2) the value (89 i + 40 c + x div 8 + y div 8) mod 256.
"""

import numpy as np

from encoder.golden import write_cases
from full_image.embedded_images import find_embedded_images

CASES = {
    "one picture": (640, 480, [(0, 0, 640, 480)]),
    "two beside each other": (1200, 600, [(0, 0, 500, 600), (500, 0, 700, 600)]),
    "two above each other, odd sizes": (801, 1003, [(0, 0, 801, 515), (0, 515, 801, 488)]),
    "a grid with gutters": (
        1048,
        1048,
        [(0, 0, 512, 512), (536, 0, 512, 512), (0, 536, 512, 512), (536, 536, 512, 512)],
    ),
    "a grid without": (900, 700, [(0, 0, 450, 350), (450, 0, 450, 350), (0, 350, 450, 350), (450, 350, 450, 350)]),
    "rows of different columns": (
        1200,
        1200,
        [(0, 0, 600, 600), (600, 0, 600, 600), (0, 600, 400, 600), (400, 600, 400, 600), (800, 600, 400, 600)],
    ),
    "six, of which four count": (
        1500,
        1000,
        [(500 * column, 500 * row, 500, 500) for row in range(2) for column in range(3)],
    ),
    "a caption and a frame": (680, 620, [(20, 120, 640, 480)]),
    "a screen's bars": (1080, 1190, [(0, 192, 1080, 806)]),
    "a thin frame": (640, 480, [(4, 4, 632, 472)]),
    "panels too small": (440, 300, [(0, 0, 220, 300), (220, 0, 220, 300)]),
    "smaller than the plane": (600, 250, [(0, 0, 300, 250), (300, 0, 300, 250)]),
}
"""Test cases by name: width, height, and the box (x, y, width, height) of each image."""


def synthetic_collage(width: int, height: int, images: list[tuple[int, int, int, int]]) -> np.ndarray:
    """Makes an image uint8 [height,width,3] by the recipe in this module's docstring."""
    image = np.full((height, width, 3), 255, np.uint8)
    for number, (left, top, across, down) in enumerate(images, 1):
        y, x, c = np.mgrid[:down, :across, :3]
        image[top : top + down, left : left + across] = (89 * number + 40 * c + x // 8 + y // 8) % 256
    return image


def make_case(name: str, width: int, height: int, images: list[tuple[int, int, int, int]]) -> dict:
    """Makes a test case: the embedded images that this code finds in a synthetic collage."""
    return {
        "name": name,
        "width": width,
        "height": height,
        "pictures": images,
        "panels": find_embedded_images(synthetic_collage(width, height, images)),
    }


if __name__ == "__main__":
    write_cases(__doc__, [make_case(name, *case) for name, case in CASES.items()])
