"""A further round of the heads that ship, on faces of repositories that the tower was not tuned on.

    python -m face_specialist.continue_training --heads ../encoder --features TRAIN [TRAIN ...] --manifest ../face_specialist/manifest.json
                                      [--columns manipulated --methods reenacted "rendered region"] --out heads.npz --facts facts.json

TRAIN is what `face_specialist.features train` wrote with the tower of that encoder. FACTS is what the shipped manifest tells of its training, with
what this round saw beside it, for `face_specialist.calibrate fit`. `face_specialist.train` makes new heads instead.
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from encoder.features import read_features
from encoder.continue_training import tune_head
from encoder.heads import HeadSettings, save_heads
from encoder.package import heads_of
from face_specialist.train import COLUMNS, face_weights, facts_of, partners_of, rows_for

SETTINGS = HeadSettings(steps=1000, rate=1e-4, decay=0.0, hidden_dropout=0.3)
"""More or faster steps lose swaps and edits (EXPERIMENTS.md)."""


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heads", type=Path, nargs="+", required=True, help="folder of the encoder that ships, or files of heads")
    parser.add_argument("--features", type=Path, nargs="+", required=True)
    parser.add_argument("--manifest", type=Path, required=True, help="of the face specialist that ships")
    parser.add_argument("--columns", nargs="+", choices=COLUMNS, default=COLUMNS)
    parser.add_argument("--methods", nargs="+", help="of the fakes to learn from (default: all)")
    parser.add_argument("--steps", type=int, default=SETTINGS.steps)
    parser.add_argument("--rate", type=float, default=SETTINGS.rate)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--facts", type=Path, required=True)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    settings = replace(SETTINGS, steps=arguments.steps, rate=arguments.rate)
    lines, values = zip(*(read_features(folder) for folder in arguments.features))
    lines, values, start, heads = sum(lines, []), np.concatenate(values), heads_of(arguments.heads), []
    taught = np.array([line["label"] == "genuine" or not arguments.methods or line["method"] in arguments.methods for line in lines])
    lines, values = [line for line, kept in zip(lines, taught, strict=True) if kept], values[taught]
    for column in arguments.columns:
        rows = rows_for(column, lines)
        mine = [lines[row] for row in rows]
        labels = np.array([line["label"] == column for line in mine]).astype(int)
        print(f"{column}: {(labels == 0).sum()} genuine faces, {labels.sum()} fakes", flush=True)
        heads.append(tune_head(start[column], values[rows], labels, face_weights(mine, labels, partners_of(mine)), settings))
    save_heads(arguments.out, heads)
    told = json.loads(arguments.manifest.read_text())["training_data"]
    seen = facts_of([line for line in lines if line["label"] in ("genuine", *arguments.columns)], frozenset())
    rounds = [*told.get("further_rounds", []), {"heads": arguments.columns, **seen}]
    arguments.facts.write_text(json.dumps(told | {"further_rounds": rounds}, indent=2) + "\n")


if __name__ == "__main__":
    main()
