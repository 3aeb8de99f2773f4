"""Validation numbers of a run's weights on a view bank, by tier: patches alone, global alone, fitted aggregate.

    python -m full_image.quick_look --weights RUN/ema.pt --bank BANK [--every 2]
"""
import argparse
from pathlib import Path

import numpy as np
import torch

from full_image.aggregate import fit, parts_of
from full_image.networks import FullImageNetwork
from full_image.predict import Prediction, predict
from full_image.view_bank import ViewBank
from measure.metrics import auc, recall_at


def summary(name: str, predictions: list[Prediction], scores: np.ndarray) -> str:
    """One line: AUC and recall at 1% and 5% false alarms for each tier."""
    labels = np.array([int(p.row["is_ai"]) for p in predictions])
    tiers = np.array([p.row["tier"] for p in predictions])
    cells = []
    for tier in ("clean", "web", "hard"):
        mask = tiers == tier
        cells.append(f"{tier} {auc(labels[mask], scores[mask]):.3f} r1 {recall_at(labels[mask], scores[mask], .01):.2f}"
                     f" r5 {recall_at(labels[mask], scores[mask], .05):.2f}")
    return f"{name:14s} " + " | ".join(cells)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--bank", type=Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="keep each n-th genuine picture")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    network = FullImageNetwork()
    network.load_state_dict(torch.load(arguments.weights, weights_only=True))
    bank = ViewBank(arguments.bank)
    genuine = set(sorted({row["sha256"] for row in bank.rows if not row["is_ai"]})[::arguments.every])
    rows = [row for row in bank.rows if row["is_ai"] or row["sha256"] in genuine]
    predictions = predict(network.to(memory_format=torch.channels_last), bank, rows)
    parts = parts_of(predictions)
    for name, column in (("mean", 0), ("lowest", 1), ("global", 2)):
        print(summary(name, predictions, parts[:, column]))
    aggregate = fit(predictions)
    scores = aggregate.logit(parts)
    print(summary("fitted", predictions, scores), aggregate.manifest())
    labels = np.array([int(p.row["is_ai"]) for p in predictions])
    for generator in sorted({p.row["generator"] for p in predictions if p.row["is_ai"]}):
        mask = (labels == 0) | np.array([p.row["generator"] == generator for p in predictions])
        print(summary(generator[:14], [p for p, kept in zip(predictions, mask) if kept], scores[mask]))
    for source in sorted({p.row["source"] for p in predictions if not p.row["is_ai"]}):
        of_source = np.array([p.row["source"] == source for p in predictions])
        print(f"{source[:40]:40s} {of_source.sum():4d} mean logit {scores[of_source].mean():+.2f} highest {scores[of_source].max():+.2f}")


if __name__ == "__main__":
    main()
