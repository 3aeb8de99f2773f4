"""A further round of the heads that ship on the tuned tower: owners drawn by data.mix, genuine views the more often, the more the heads doubt them.

    python -m full_image.hard_negatives --encoder ../encoder --features TRAIN --out heads.npz

TRAIN is what `encoder.features train --most 20 --tower ../encoder` wrote; 2.6.0 went on with all pictures of the newest repositories (`--most 200`) and a
second view of each (`--seed 2 --most 60`). The round starts from the shipped heads: those that learn on the tuned tower
from the start are worse elsewhere, as it has seen half of these pictures (EXPERIMENTS.md).
"""

import argparse
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from data.mix import draw_weights
from data.split import Split
from encoder.features import read_features
from encoder.further import tune_head
from encoder.heads import HeadSettings, logits_of, save_heads
from encoder.ship import shipped_heads
from full_image.train import VIEWS_OF

SETTINGS = HeadSettings(steps=4000, rate=2e-4, decay=0.0, hidden_dropout=0.3)
DOUBTED = 20
"""Times more often that a genuine view is drawn that the head takes for AI than one that it does not doubt."""


def doubt_weights(weights: np.ndarray, labels: np.ndarray, logits: np.ndarray) -> np.ndarray:
    """`weights` [R] of the rows to draw, genuine ones (label 0) by DOUBTED and the head's `logits`; the classes alike. Sum 1."""
    doubted = weights * np.where(labels == 0, 1 + DOUBTED / (1 + np.exp(-logits)), 1)
    for label in (0, 1):
        doubted[labels == label] *= 0.5 / doubted[labels == label].sum()
    return doubted


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--features", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    lines, values = zip(*(read_features(folder) for folder in arguments.features))
    lines, values, split, start = sum(lines, []), np.concatenate(values), Split(), shipped_heads(arguments.encoder)
    in_training = np.array([split.holds("train", line["source"], line["sha256"]) for line in lines])
    heads = []
    for column, views in VIEWS_OF.items():
        rows = np.flatnonzero(in_training & [line["view"] in views for line in lines])
        labels = np.array([lines[row]["is_ai"] for row in rows]).astype(int)
        logits = logits_of(start[column], values[rows])[:, 0]
        print(f"{column}: {len(rows)} views, {np.mean(logits[labels == 0] > 0):.3f} of the genuine ones taken for AI before", flush=True)
        weights = doubt_weights(draw_weights([SimpleNamespace(**lines[row]) for row in rows]), labels, logits)
        heads.append(tune_head(start[column], values[rows], labels, weights, SETTINGS))
    save_heads(arguments.out, heads)


if __name__ == "__main__":
    main()
