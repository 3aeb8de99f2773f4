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
import torch
from torch import nn

from data.mix import draw_weights
from data.split import Split
from encoder.export import FoldedHead
from encoder.features import read_features
from encoder.heads import HeadSettings, fold_head, head_network, logits_of, moments, save_heads
from encoder.ship import shipped_heads
from full_image.train import VIEWS_OF

SETTINGS = HeadSettings(steps=4000, rate=2e-4, decay=0.0, hidden_dropout=0.3)
DOUBTED = 20
"""Times more often that a genuine view is drawn that the head takes for AI than one that it does not doubt."""
WARM_STEPS = 50


def doubt_weights(weights: np.ndarray, labels: np.ndarray, logits: np.ndarray) -> np.ndarray:
    """`weights` [R] of the rows to draw, genuine ones (label 0) by DOUBTED and the head's `logits`; the classes alike. Sum 1."""
    doubted = weights * np.where(labels == 0, 1 + DOUBTED / (1 + np.exp(-logits)), 1)
    for label in (0, 1):
        doubted[labels == label] *= 0.5 / doubted[labels == label].sum()
    return doubted


def unfold_head(head: FoldedHead, mean: np.ndarray, deviation: np.ndarray) -> nn.Sequential:
    """The network of a head on features that `mean` and `deviation` standardise: `fold_head` turned round."""
    settings = HeadSettings(hidden=head.first.shape[1], input_dropout=SETTINGS.input_dropout, hidden_dropout=SETTINGS.hidden_dropout)
    network = head_network(len(head.first), settings)
    values = {"1.weight": (head.first * deviation[:, None]).T, "1.bias": head.first_bias + mean @ head.first,
              "4.weight": head.second.T, "4.bias": head.second_bias}
    network.load_state_dict({name: torch.from_numpy(np.ascontiguousarray(value, np.float32)) for name, value in values.items()})
    return network


def tune_head(head: FoldedHead, features: np.ndarray, labels: np.ndarray, weights: np.ndarray, settings: HeadSettings = SETTINGS,
              seed: int = 1) -> FoldedHead:
    """The head after `settings.steps` steps on rows of float16 `features` [R,F] drawn by `weights`; `labels` [R] are 0 or 1."""
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    mean, deviation = moments(features, weights)
    network = unfold_head(head, mean, deviation)
    optimiser = torch.optim.AdamW(network.parameters(), settings.rate, weight_decay=settings.decay)
    targets = settings.smoothing + (1 - 2 * settings.smoothing) * labels.astype(np.float32)
    for step in range(settings.steps):
        optimiser.param_groups[0]["lr"] = settings.rate * min(1.0, (step + 1) / WARM_STEPS) * (1 - step / settings.steps)
        rows = random.choice(len(features), settings.batch, p=weights)
        values = torch.from_numpy((features[rows].astype(np.float32) - mean) / deviation)
        loss = nn.functional.binary_cross_entropy_with_logits(network(values)[:, 0], torch.from_numpy(targets[rows]))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return fold_head(head.columns[0], network, mean, deviation)


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
        heads.append(tune_head(start[column], values[rows], labels, weights))
    save_heads(arguments.out, heads)


if __name__ == "__main__":
    main()
