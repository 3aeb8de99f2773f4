"""Trains the full-image specialist's heads, one a kind of view, on stored features.

    python -m full_image.train --features TRAIN [TRAIN ...] --out heads.npz
"""

import argparse
from pathlib import Path

import numpy as np

from data.split import Split
from encoder.features import read_features
from encoder.heads import cell_weights, join_heads, save_heads, train_head

VIEWS_OF = {"native": ("native", "web"), "middle": ("middle",), "whole": ("whole",)}
"""Which training views each head learns from: what reaches us from the web was shrunk before it is cut at native size."""


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--features", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=2, help="heads that are averaged into one")
    arguments = parser.parse_args()
    lines, values = zip(*(read_features(folder) for folder in arguments.features))
    lines, values = sum(lines, []), np.concatenate(values)
    labels = np.array([line["is_ai"] for line in lines]).astype(int)
    split, heads = Split(), []
    in_training = np.array([split.holds("train", line["source"], line["sha256"]) for line in lines])
    for column, views in VIEWS_OF.items():
        rows = np.flatnonzero(in_training & [line["view"] in views for line in lines])
        weights = cell_weights([(lines[row]["source"], lines[row]["generator"], lines[row]["kind"]) for row in rows], labels[rows])
        print(f"{column}: {len(rows)} views", flush=True)
        heads.append(join_heads([train_head(values[rows], labels[rows], weights, column, seed=seed)
                                 for seed in range(1, arguments.seeds + 1)]))
    save_heads(arguments.out, heads)


if __name__ == "__main__":
    main()
