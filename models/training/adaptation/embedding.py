"""Finds the embedding of views: principal components of what the heads see, over training pictures.

    python -m adaptation.embedding --features TRAIN --models .. --out embedding.npz

A picture is the mean of its views' features, kinds weighted as the plan weighs them. Each feature is standardised, each component has the deviation 1 over
training pictures and the mean 0. `encoder.package --embedding` puts it into the graph.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from data.split import Split
from encoder.export import Embedding
from encoder.features import read_features

NUMBERS = 256
SPARE = 60
"""Directions more that the randomised search follows (Halko et al. 2011)."""
ROUNDS = 3


def default_plan(models: Path) -> dict:
    """The full-image specialist's plan of its default views."""
    manifest = json.loads((models / "full_image_specialist" / "manifest.json").read_text())
    return next(plan for plan in manifest["plans"] if plan["views"] == manifest["default_views"])


def join_training(lines: list[dict], values: np.ndarray, plan: dict) -> np.ndarray:
    """Features of training pictures, float32 [pictures, features], of their one view of each kind of the plan."""
    weights = {kind: part["weight"] for kind, part in plan["kinds"].items()}
    split, number = Split(), {}
    rows = [row for row, line in enumerate(lines) if line["view"] in weights and split.holds("train", line["source"], line["sha256"])]
    picture = np.array([number.setdefault(lines[row]["sha256"], len(number)) for row in rows])
    joined, total = np.zeros((len(number), values.shape[1]), np.float32), np.zeros(len(number), np.float32)
    for place, row in zip(picture, rows, strict=True):
        weight = weights[lines[row]["view"]]
        joined[place] += weight * values[row].astype(np.float32)
        total[place] += weight
    return joined / total[:, None]


def find_embedding(features: np.ndarray, numbers: int, seed: int = 0) -> Embedding:
    """The first principal components of standardised `features` [pictures, features], whitened."""
    mean, deviation = features.mean(0), np.maximum(features.std(0), 1e-3)
    standard = (features - mean) / deviation
    followed = min(numbers + SPARE, *standard.shape)
    basis = standard @ np.random.default_rng(seed).normal(size=(standard.shape[1], followed)).astype(np.float32)
    for _ in range(ROUNDS):
        basis, _ = np.linalg.qr(standard @ (standard.T @ basis))
    _, strengths, directions = np.linalg.svd(basis.T @ standard, full_matrices=False)
    scale = strengths[:numbers] / np.sqrt(len(standard))
    print(f"{numbers} components of {len(standard)} pictures hold {np.sum(strengths[:numbers] ** 2) / np.sum(standard ** 2):.3f} of the variance")
    weights = (directions[:numbers] / deviation).T / scale
    # The constant goes with the weights as they are stored.
    return Embedding(weights, -mean @ weights.astype(np.float16).astype(np.float32))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--features", type=Path, required=True, help="of encoder.features train")
    parser.add_argument("--models", type=Path, required=True, help="folder of the full-image specialist")
    parser.add_argument("--numbers", type=int, default=NUMBERS)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    found = find_embedding(join_training(*read_features(arguments.features), default_plan(arguments.models)), arguments.numbers)
    np.savez(arguments.out, weights=found.weights, bias=found.bias)


if __name__ == "__main__":
    main()
