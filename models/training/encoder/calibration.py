"""Cuts the calibration views, whose ranges set the tower's int8: training views of random pictures, all kinds alike.

    python -m encoder.calibration --pictures PICTURES --sources CSV --out calibration.npy
"""

import argparse
from pathlib import Path

import cv2
import numpy as np

from data.split import Picture, load_pictures
from encoder.features import open_picture
from encoder.samples import KINDS, training_views

VIEWS = 128


def draw_views(pictures: list[Picture], count: int, seed: int) -> np.ndarray:
    """uint8 [count,224,224,3]: training views of pictures drawn without repetition, as `seed` gives.

    Raises ValueError where too few pictures can be read.
    """
    rng, views = np.random.default_rng(seed), []
    for position in rng.permutation(len(pictures)):
        if len(views) == count:
            break
        pixels = open_picture(pictures[position])
        if pixels is not None:
            views.append(training_views(pixels, rng)[KINDS[len(views) % len(KINDS)]])
    if len(views) < count:
        raise ValueError(f"{len(views)} of {count} views: too few pictures")
    return np.stack(views)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=Path, required=True)
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--count", type=int, default=VIEWS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    pictures = [picture for picture in load_pictures(arguments.pictures, arguments.sources) if picture.part == "train"]
    np.save(arguments.out, draw_views(pictures, arguments.count, arguments.seed))


if __name__ == "__main__":
    main()
