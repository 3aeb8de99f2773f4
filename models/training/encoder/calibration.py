"""Cuts the calibration views, whose ranges set the tower's int8: a random part of stored training views, all kinds alike.

    python -m encoder.calibration --planes PLANES --pictures PICTURES --sources CSV --out calibration.npy
"""

import argparse
from pathlib import Path

import cv2
import numpy as np

from data.planes import PlaneStore
from data.split import load_pictures
from encoder.samples import KINDS, training_view

VIEWS = 128


def draw_views(store: PlaneStore, count: int, seed: int) -> np.ndarray:
    """uint8 [count,224,224,3]: training views of pictures drawn without repetition, as `seed` gives.

    Raises ValueError where the store has too few pictures.
    """
    rng = np.random.default_rng(seed)
    views = []
    for position in rng.permutation(len(store.pictures)):
        if len(views) == count:
            break
        view = training_view(store, store.pictures[position], list(KINDS)[len(views) % len(KINDS)], rng)
        if view is not None:
            views.append(view)
    if len(views) < count:
        raise ValueError(f"{len(views)} of {count} views: too few pictures have planes")
    return np.stack(views)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--planes", type=Path, required=True)
    parser.add_argument("--pictures", type=Path, required=True)
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--count", type=int, default=VIEWS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    pictures = [picture for picture in load_pictures(arguments.pictures, arguments.sources) if picture.part == "train"]
    np.save(arguments.out, draw_views(PlaneStore(arguments.planes, pictures), arguments.count, arguments.seed))


if __name__ == "__main__":
    main()
