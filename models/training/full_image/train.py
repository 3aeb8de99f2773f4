"""Trains the full-image specialist's heads, one a kind of view, on stored features.

    python -m full_image.train --features TRAIN [TRAIN ...] --pairs PAIRS --out heads.npz [--facts facts.json] [--join ../encoder]

FACTS, which the manifest repeats, says what the heads saw. With `--join` the heads of that encoder, which must have been trained on the
same tower, count as one seed more: they saw other views.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from data.split import Split
from encoder.features import read_features
from encoder.heads import cell_weights, join_heads, save_heads, train_head
from encoder.package import packaged_heads

VIEWS_OF = {"native": ("native", "web"), "middle": ("middle",), "whole": ("whole",)}
"""Which training views each head learns from: what reaches us from the web was shrunk before it is cut at native size."""
DRAWN = "drawn"
"""Source of the pictures that data.drawn draws."""
PAIRED = 0.15
"""Share of the views drawn that come from pairs. On validation 0.08 gains as much, 0.3 less where pictures are compressed."""


def facts_of(lines: list[dict], paired: list[dict]) -> dict:
    """What the heads saw: counts of pictures, generators and repositories; `paired` are the lines of pairs."""
    pictures = {line["sha256"]: line for line in lines}.values()
    ai = [line for line in pictures if line["is_ai"]]
    drawn = sum(line["source"] == DRAWN for line in pictures)
    return {"ai_pictures": len(ai), "generators": len({line["generator"] for line in ai}),
            "genuine_pictures": len(pictures) - len(ai) - drawn, "drawn_genuine_pictures": drawn,
            "genuine_pictures_paired_with_their_reconstruction": len({line["sha256"] for line in paired}),
            "repositories": len({line["source"] for line in pictures} - {DRAWN}),
            "validation_and_test": "whole repositories left out: models/training/data/split.csv",
            "start": "CLIP ViT-B/16, blocks 1 to 9 (OpenAI, MIT); how they were tuned: the encoder's manifest"}


def row_weights(lines: list[dict], labels: np.ndarray, in_pairs: np.ndarray) -> np.ndarray:
    """How often each row is drawn: PAIRED of all draws are rows of pairs, all alike; the others go by cells. float64 [R], sum 1."""
    weights, single = np.zeros(len(lines)), np.flatnonzero(~in_pairs)
    weights[single] = cell_weights([(lines[row]["source"], lines[row]["generator"], lines[row]["kind"]) for row in single], labels[single])
    if in_pairs.any():
        weights[single] *= 1 - PAIRED
        weights[in_pairs] = PAIRED / in_pairs.sum()
    return weights


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--features", type=Path, nargs="+", required=True)
    parser.add_argument("--pairs", type=Path, help="features of full_image.pairs")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--facts", type=Path)
    parser.add_argument("--seeds", type=int, default=2, help="heads that are averaged into one")
    parser.add_argument("--join", type=Path, help="folder of an encoder whose heads are averaged with the new ones")
    arguments = parser.parse_args()
    lines, values = zip(*(read_features(folder) for folder in [*arguments.features, *([arguments.pairs] if arguments.pairs else [])]))
    singles = sum(map(len, lines[:len(arguments.features)]))
    lines, values = sum(lines, []), np.concatenate(values)
    in_pairs = np.arange(len(lines)) >= singles
    labels = np.array([line["is_ai"] for line in lines]).astype(int)
    split, heads = Split(), []
    joined = packaged_heads(arguments.join) if arguments.join else {}
    in_training = np.array([split.holds("train", line["source"], line["sha256"]) for line in lines])
    for column, views in VIEWS_OF.items():
        rows = np.flatnonzero(in_training & [line["view"] in views for line in lines])
        weights = row_weights([lines[row] for row in rows], labels[rows], in_pairs[rows])
        print(f"{column}: {len(rows)} views", flush=True)
        trained = [train_head(values[rows], labels[rows], weights, column, seed=seed) for seed in range(1, arguments.seeds + 1)]
        heads.append(join_heads([*trained, *([joined[column]] if joined else [])]))
    save_heads(arguments.out, heads)
    if arguments.facts:
        mine = [[lines[row] for row in np.flatnonzero(in_training & rows)] for rows in (~in_pairs, in_pairs)]
        arguments.facts.write_text(json.dumps(facts_of(*mine), indent=2) + "\n")


if __name__ == "__main__":
    main()
