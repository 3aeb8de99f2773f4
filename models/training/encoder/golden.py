"""Writes test/fixtures/views.json, by which a test compares the engine's crops with the crops of this code.

    python -m encoder.golden --out ../../test/fixtures/views.json

The synthetic image: h = ((x * 73856093) ^ (y * 19349663)) mod 2^32; a = ((x div 64) * 5 + (y div 64) * 3) mod 16;
green = 128 + (((h div 256) mod 16) - 8) * a; red = 255 - green; blue = green div 2.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from encoder.backbone import CROP_PX
from encoder.crops import CropType, choose_positions, cut_crops, pad, shrink_short_side

CASES = [
    (90, 70, None, 2),
    (224, 224, None, 4),
    (300, 200, 320, 2),
    (512, 512, None, 4),
    (640, 427, 320, 2),
    (1024, 768, 224, 1),
    (1001, 1003, 320, 4),
    (700, 2100, 224, 2),
    (1500, 130, None, 8),
    (1200, 900, None, 3),
    (1275, 857, 320, 8),
    (333, 257, 224, 1),
]
"""Test cases: width, height, shorter side to shrink to (None: not shrunk), and maximum number of crops."""
SAMPLES = ((0, 0), (17, 201), (112, 112), (150, 33), (223, 223))
"""Positions (x, y) in each crop whose colour is written to the file."""


def synthetic_image(width: int, height: int) -> np.ndarray:
    """Makes an image uint8 [height,width,3] by the recipe above, with another texture in each square of 64 px."""
    y, x = np.mgrid[:height, :width].astype(np.uint32)
    mixed = (x * np.uint32(73856093)) ^ (y * np.uint32(19349663))
    strength = ((x >> 6) * 5 + (y >> 6) * 3) % 16
    green = 128 + (((mixed >> 8) % 16).astype(np.int32) - 8) * strength.astype(np.int32)
    return np.stack([255 - green, green, green // 2], 2).astype(np.uint8)


def make_case(width: int, height: int, short_side_px: int | None, count: int) -> dict:
    """Makes a test case: size after shrinking, crop positions in the padded image, and some colours of each crop.

    A `short_side_px` of None is written as 0 px.
    """
    image = synthetic_image(width, height)
    scaled = shrink_short_side(image, short_side_px)
    crops = cut_crops(image, CropType("golden", short_side_px, count))
    pixels = [
        {"view": index, "x": x, "y": y, "rgb": crop[y, x].tolist()}
        for index, crop in enumerate(crops)
        for x, y in SAMPLES
    ]
    return {
        "width": width,
        "height": height,
        "short_side_px": short_side_px or 0,
        "count": count,
        "scaled": [scaled.shape[1], scaled.shape[0]],
        "places": [[int(x), int(y)] for x, y in choose_positions(pad(scaled), count)],
        "pixels": pixels,
    }


def write_cases(doc: str, cases: list[dict], head: str = "") -> None:
    """Runs the command line of a module that writes a file of test cases.

    The recipe in the file is the last paragraph of `doc`, without its first words up to the colon.
    """
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    recipe = " ".join(doc.strip().split("\n\n")[-1].partition(": ")[2].split())
    lines = ",\n".join("  " + json.dumps(case) for case in cases)
    parser.parse_args().out.write_text(f'{{\n "recipe": {json.dumps(recipe)},\n{head} "cases": [\n{lines}\n ]\n}}\n')


if __name__ == "__main__":
    write_cases(__doc__, [make_case(*case) for case in CASES], f' "size_px": {CROP_PX},\n')
