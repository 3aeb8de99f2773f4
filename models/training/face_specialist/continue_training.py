"""Trains the released face heads further, on faces of repositories that were not used to tune the backbone.

    python -m face_specialist.continue_training --heads ../encoder --features TRAIN [TRAIN ...]
        --manifest ../face_specialist/manifest.json [--columns manipulated --methods reenacted "rendered region"]
        [--by-source --seeds 3 --alpha 0.5] --out heads.npz --facts facts.json

TRAIN is the output of `face_specialist.features train` with the backbone of that encoder. FACTS combines what the
released manifest states about training with the faces of this run, for `face_specialist.calibrate fit`. To train new
heads use `face_specialist.train`. `--by-source` draws sources as `data.mix` does, but none more often than
MAX_SOURCE_SHARE. The new weights are the mean over `--seeds` runs. `--alpha` is their share in the mean with the
released weights.
"""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch

from data.mix import draw_weights, source_of
from encoder.continue_training import tune_head
from encoder.features import read_features
from encoder.heads import HeadSettings, logits_of, save_heads
from encoder.package import heads_of
from export.command import command_parser
from face_specialist.train import COLUMNS, face_weights, facts_of, partners_of, rows_for
from full_image.hard_negatives import doubt_weights, mean_of

SETTINGS = HeadSettings(steps=1000, rate=1e-4, decay=0.0, hidden_dropout=0.3)
"""Settings of the run. With more or larger steps the heads detect fewer swaps and edits (experiments/0017)."""
MAX_SOURCE_SHARE = 0.01
"""Maximum share of draws from one source, if there are enough sources."""


def source_weights(lines: list[dict], labels: np.ndarray, partners: np.ndarray) -> np.ndarray:
    """Returns the probability with which each face is drawn, float64 [R] with sum 1.

    Sources are drawn as in `data.mix`, and a genuine face and the fake made from it equally often.
    """
    weights = draw_weights(
        [
            SimpleNamespace(source=line["source"], generator=line["method"], kind="generated", is_ai=bool(label))
            for line, label in zip(lines, labels, strict=True)
        ]
    )
    return (weights + weights[partners]) / 2


def within_sources(weights: np.ndarray, lines: list[dict], labels: np.ndarray) -> np.ndarray:
    """Limits the weights of a source to the share MAX_SOURCE_SHARE. Both classes have the same total. The sum is 1."""
    _, source = np.unique([source_of(line["source"]) for line in lines], return_inverse=True)
    weights = weights / weights.sum()
    for _ in range(50):
        weights = weights * np.minimum(1, MAX_SOURCE_SHARE / np.bincount(source, weights))[source]
        for label in (0, 1):
            weights[labels == label] *= 0.5 / weights[labels == label].sum()
    return weights


def main() -> None:
    parser = command_parser(__doc__, "out", "facts", "heads+", "features+")
    parser.add_argument("--manifest", type=Path, required=True, help="of the face specialist that ships")
    parser.add_argument("--columns", nargs="+", choices=COLUMNS, default=COLUMNS)
    parser.add_argument("--methods", nargs="+", help="of the fakes to learn from (default: all)")
    parser.add_argument("--steps", type=int, default=SETTINGS.steps)
    parser.add_argument("--rate", type=float, default=SETTINGS.rate)
    parser.add_argument("--by-source", action="store_true")
    parser.add_argument("--doubted", type=float, default=0.0, help="extra draws of a doubted genuine face")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--alpha", type=float, default=1.0)
    args = parser.parse_args()
    torch.set_num_threads(1)
    settings = replace(SETTINGS, steps=args.steps, rate=args.rate)
    lines, values = zip(*(read_features(folder) for folder in args.features))
    lines, values, start, heads = sum(lines, []), np.concatenate(values), heads_of(args.heads), []
    taught = np.array(
        [line["label"] == "genuine" or not args.methods or line["method"] in args.methods for line in lines]
    )
    lines, values = [line for line, kept in zip(lines, taught, strict=True) if kept], values[taught]
    for column in args.columns:
        rows = rows_for(column, lines)
        mine = [lines[row] for row in rows]
        labels = np.array([line["label"] == column for line in mine]).astype(int)
        print(f"{column}: {(labels == 0).sum()} genuine faces, {labels.sum()} fakes", flush=True)
        weights = (source_weights if args.by_source else face_weights)(mine, labels, partners_of(mine))
        if args.doubted:
            weights = doubt_weights(weights, labels, logits_of(start[column], values[rows])[:, 0], args.doubted)
        if args.by_source:
            weights = within_sources(weights, mine, labels)
        trained = mean_of(
            [
                tune_head(start[column], values[rows], labels, weights, settings, seed)
                for seed in range(1, args.seeds + 1)
            ]
        )
        heads.append(trained if args.alpha == 1 else mean_of([start[column], trained], [1 - args.alpha, args.alpha]))
    save_heads(args.out, heads)
    recorded = json.loads(args.manifest.read_text())["training_data"]
    seen = facts_of([line for line in lines if line["label"] in ("genuine", *args.columns)], frozenset())
    runs = [*recorded.get("further_rounds", []), {"heads": args.columns, **seen}]
    args.facts.write_text(json.dumps(recorded | {"further_rounds": runs}, indent=2) + "\n")


if __name__ == "__main__":
    main()
