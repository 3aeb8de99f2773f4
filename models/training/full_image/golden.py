"""Writes test/fixtures/patch_selection.json, which holds the engine's patch selection to this room's.

    python -m full_image.golden --out ../../test/fixtures/patch_selection.json

The synthetic picture: h = ((x * 73856093) ^ (y * 19349663)) mod 2^32; a = ((x div 64) * 5 + (y div 64) * 3) mod 16;
green = 128 + (((h div 256) mod 16) - 8) * a; red = 255 - green; blue = green div 2.
"""
import argparse
import json
from pathlib import Path

import numpy as np

from full_image.patches import select_patches

CASES = [(90, 70, 128, 16), (128, 128, 128, 16), (300, 200, 128, 16), (512, 512, 128, 16), (640, 427, 128, 16),
         (1024, 768, 128, 16), (700, 2100, 128, 16), (1500, 130, 128, 16), (1200, 900, 192, 8), (1001, 1003, 224, 8)]
"""Width, height, patch side, most patches."""


def synthetic_picture(width: int, height: int) -> np.ndarray:
    """uint8 [height,width,3] by the recipe above: texture of different strength in each 64 px tile."""
    y, x = np.mgrid[:height, :width].astype(np.uint32)
    mixed = (x * np.uint32(73856093)) ^ (y * np.uint32(19349663))
    strength = ((x >> 6) * 5 + (y >> 6) * 3) % 16
    green = 128 + (((mixed >> 8) % 16).astype(np.int32) - 8) * strength.astype(np.int32)
    return np.stack([255 - green, green, green // 2], 2).astype(np.uint8)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    cases = [{"width": width, "height": height, "size_px": px, "max_patches": most,
              "patches": [[int(x), int(y)] for x, y in select_patches(synthetic_picture(width, height), px, most)]}
             for width, height, px, most in CASES]
    recipe = [line.strip() for line in __doc__.split("picture: ")[1].splitlines()]
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join("  " + json.dumps(case) for case in cases)
    arguments.out.write_text(f'{{\n "recipe": {json.dumps(" ".join(recipe).strip())},\n "cases": [\n{lines}\n ]\n}}\n')


if __name__ == "__main__":
    main()
