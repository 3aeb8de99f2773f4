"""Cuts the crops of training images that set the number ranges of the int8 backbone, equally many of each kind.

python -m encoder.calibration --images IMAGES --sources CSV --out calibration.npy
"""

import cv2
import numpy as np

from data.split import ListedImage, load_images
from encoder.features import open_image
from encoder.samples import KINDS, training_crops
from export.command import command_parser

CROPS = 128


def draw_crops(images: list[ListedImage], count: int, seed: int) -> np.ndarray:
    """Cuts training crops of `count` images chosen by `seed`, each image once: uint8 [count,224,224,3].

    Raises ValueError if too few images can be read.
    """
    rng, crops = np.random.default_rng(seed), []
    for position in rng.permutation(len(images)):
        if len(crops) == count:
            break
        pixels = open_image(images[position])
        if pixels is not None:
            crops.append(training_crops(pixels, rng)[KINDS[len(crops) % len(KINDS)]])
    if len(crops) < count:
        raise ValueError(f"{len(crops)} of {count} crops: too few images")
    return np.stack(crops)


def main() -> None:
    parser = command_parser(__doc__, "images", "sources", "out")
    parser.add_argument("--count", type=int, default=CROPS)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    images = [image for image in load_images(args.images, args.sources) if image.split == "train"]
    np.save(args.out, draw_crops(images, args.count, args.seed))


if __name__ == "__main__":
    main()
