"""Writes the file by which a test compares the engine's face crops with the face crops of this code.

python -m face_specialist.golden --out ../../test/fixtures/face_crop.json
"""

import json

import numpy as np

from export.command import command_parser
from face_specialist.align import TEMPLATE, crop_face, similarity

CASES = (
    ("upright, larger than the crop", 900, 700, ((310, 260), (450, 262), (382, 340), (325, 412), (438, 414))),
    ("smaller than the crop", 320, 256, ((120, 100), (150, 101), (136, 118), (123, 131), (147, 132))),
    ("turned", 900, 700, ((380, 200), (470, 290), (370, 300), (300, 300), (375, 375))),
    ("half outside", 640, 480, ((4, 60), (70, 64), (30, 110), (10, 140), (66, 142))),
    ("profile", 1600, 1200, ((800, 500), (860, 505), (900, 620), (812, 730), (870, 728))),
)
"""Test cases: name, width and height in px, and the five points."""
SIDES_PX = (192, 224)
SAMPLES = ((10, 10), (96, 40), (60, 96), (96, 96), (130, 150), (180, 20), (20, 180))
"""Positions (x, y) in a crop whose colour is written to the file."""


def image(width: int, height: int) -> np.ndarray:
    """Makes an image that C++ can make identically: smooth waves with some texture, from integers only."""
    y, x = np.mgrid[0:height, 0:width].astype(np.int64)
    red = (x * 255) // (width - 1)
    green = (y * 255) // (height - 1)
    blue = ((x * x // 64 + y * y // 96) // 4 + (x // 7 + y // 5) % 2 * 24) % 256
    return np.stack((red, green, blue), axis=2).astype(np.uint8)


def main() -> None:
    args = command_parser(__doc__, "out").parse_args()
    cases = []
    for name, width, height, points in CASES:
        for side_px in SIDES_PX:
            matrix = similarity(np.array(points), side_px)
            crop = crop_face(image(width, height), matrix, side_px)
            cases.append(
                {
                    "name": name,
                    "width": width,
                    "height": height,
                    "points": points,
                    "size_px": side_px,
                    "matrix": matrix.round(9).tolist(),
                    "pixels": [{"x": x, "y": y, "rgb": crop[y, x].tolist()} for x, y in SAMPLES],
                }
            )
    recipe = (
        "red = x*255/(width-1), green = y*255/(height-1), "
        "blue = ((x*x/64 + y*y/96)/4 + (x/7 + y/5)%2*24) % 256, integer divisions"
    )
    golden = {"picture": recipe, "template": TEMPLATE.tolist(), "cases": cases}
    args.out.write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    main()
