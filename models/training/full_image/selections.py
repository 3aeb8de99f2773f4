"""Compares ways to choose patches on validation pictures: texture grid, the middle of each cell, random places.

    python -m full_image.selections --model model.onnx --pictures PICTURES [--every 8]
"""
import argparse
from pathlib import Path

import numpy as np

from data.degrade import to_tier
from data.pictures import read_picture
from data.split import load_pictures
from export.verify import open_session
from full_image.patches import axis_candidates, choose_grid, cut_patches, pad_to, select_patches
from full_image.predict import Prediction
from full_image.quick_look import summary


def middle_places(pixels: np.ndarray, px: int, most: int) -> list[tuple[int, int]]:
    """The middle candidate of each cell of the grid."""
    height, width = pad_to(pixels, px).shape[:2]
    columns, rows = choose_grid(width, height, px, most)
    across, down = axis_candidates(width, px, columns), axis_candidates(height, px, rows)
    return [(xs[len(xs) // 2], ys[len(ys) // 2]) for ys in down for xs in across]


def random_places(pixels: np.ndarray, px: int, most: int) -> list[tuple[int, int]]:
    """As many places as the grid has, anywhere; the same each time for the same size."""
    height, width = pad_to(pixels, px).shape[:2]
    rng = np.random.default_rng([width, height])
    columns, rows = choose_grid(width, height, px, most)
    return [(int(rng.integers(0, width - px + 1)), int(rng.integers(0, height - px + 1))) for _ in range(columns * rows)]


def main() -> None:
    """Command line; prints one line a way, by the mean and by the mean of the top three patch logits."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--pictures", type=Path, required=True)
    parser.add_argument("--every", type=int, default=8, help="keep each n-th genuine picture")
    parser.add_argument("--px", type=int, default=128)
    parser.add_argument("--patches", type=int, default=16)
    arguments = parser.parse_args()
    session = open_session(arguments.model)
    pictures = [picture for picture in load_pictures(arguments.pictures) if picture.part == "validation"]
    pictures = [p for p in pictures if p.is_ai] + [p for p in pictures if not p.is_ai][::arguments.every]
    ways = {"texture grid": select_patches, "middle": middle_places, "random": random_places}
    found = {name: [] for name in ways}
    for picture in pictures:
        pixels = read_picture(picture.path)
        for tier in ("clean", "web", "hard"):
            delivered = to_tier(pixels, tier)
            for name, choose in ways.items():
                patches = cut_patches(delivered, arguments.px, choose(delivered, arguments.px, arguments.patches))
                logits = session.run(["patch_logit"], {"pixels": patches})[0]
                found[name].append(Prediction({"is_ai": picture.is_ai, "tier": tier}, logits, 0.0))
    for name, predictions in found.items():
        print(summary(name, predictions, np.array([p.patch.mean() for p in predictions])))
        print(summary(f"{name}, top", predictions, np.array([np.sort(p.patch)[-3:].mean() for p in predictions])))


if __name__ == "__main__":
    main()
