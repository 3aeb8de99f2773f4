"""Trains small heads on stored features and converts them to the form that the graph needs.

Input: features float16 [rows, inputs] and labels 0 or 1. Output: the weights (`.npz`) of a head that returns a logit
(log odds, natural logarithm).
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn

from encoder.export import FoldedHead


@dataclass(frozen=True)
class HeadSettings:
    """Settings of a head, chosen on validation images (experiments/0004).

    `hidden` is the number of hidden units. The others are optimiser steps and regularisation.
    """

    hidden: int = 64
    steps: int = 2000
    batch: int = 256
    rate: float = 1e-3
    decay: float = 0.05
    input_dropout: float = 0.2
    hidden_dropout: float = 0.4
    smoothing: float = 0.03


def cell_weights(cells: list[tuple], labels: np.ndarray) -> np.ndarray:
    """Returns the probability with which each row is drawn, float64 [R] with sum 1.

    A cell (source and generator) is drawn in proportion to the square root of its size, both classes equally often.
    """
    sizes = Counter(cells)
    weights = np.array([1 / np.sqrt(sizes[cell]) for cell in cells])
    for label in np.unique(labels):
        weights[labels == label] /= weights[labels == label].sum()
    return weights / weights.sum()


def moments(features: np.ndarray, weights: np.ndarray, rows: int = 8192) -> tuple[np.ndarray, np.ndarray]:
    """Computes the mean and deviation of each feature, float32 [F] each, with rows weighted by `weights`."""
    drawn = np.random.default_rng(0).choice(len(features), rows, p=weights)
    values = features[np.sort(drawn)].astype(np.float32)
    return values.mean(0), np.maximum(values.std(0), 1e-3)


def draw_batches(
    rng: np.random.Generator, weights: np.ndarray, settings: HeadSettings, partners: np.ndarray | None = None
) -> np.ndarray:
    """Draws the rows of each training step with the probabilities `weights`, int [steps, batch].

    For a row in the first half of a batch, the second half contains its partner, int [R], such as the fake made from
    it. A row that is its own partner adds nothing.
    """
    drawn = rng.choice(len(weights), (settings.steps, settings.batch), p=weights)
    if partners is None:
        return drawn
    first, second = np.split(drawn, 2, axis=1)
    return np.concatenate((first, np.where(partners[first] == first, second, partners[first])), axis=1)


def head_network(inputs: int, settings: HeadSettings = HeadSettings()) -> nn.Sequential:
    """Builds the PyTorch network of a head: from standardised features [N, inputs] to one logit [N, 1]."""
    return nn.Sequential(
        nn.Dropout(settings.input_dropout),
        nn.Linear(inputs, settings.hidden),
        nn.GELU(),
        nn.Dropout(settings.hidden_dropout),
        nn.Linear(settings.hidden, 1),
    )


def fold_head(column: str, network: nn.Sequential, mean: np.ndarray, deviation: np.ndarray) -> FoldedHead:
    """Converts a trained head for the graph: its weights then include the standardisation."""
    (first, first_bias), (second, second_bias) = (
        (layer.weight.detach().numpy().T, layer.bias.detach().numpy()) for layer in (network[1], network[4])
    )
    first = first / deviation[:, None]
    return FoldedHead([column], first, first_bias - mean @ first, second, second_bias)


def train_head(
    features: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    column: str,
    settings: HeadSettings = HeadSettings(),
    seed: int = 1,
    partners: np.ndarray | None = None,
) -> FoldedHead:
    """Trains a head with one logit on `features` float16 [R,F] and `labels` [R] (0 or 1), on rows of `draw_batches`."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    mean, deviation = moments(features, weights)
    network = head_network(features.shape[1], settings)
    optimiser = torch.optim.AdamW(network.parameters(), settings.rate, weight_decay=settings.decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, settings.rate, settings.steps, pct_start=0.1)
    drawn = draw_batches(rng, weights, settings, partners)
    targets = settings.smoothing + (1 - 2 * settings.smoothing) * labels.astype(np.float32)
    for rows in drawn:
        values = torch.from_numpy((features[rows].astype(np.float32) - mean) / deviation)
        loss = nn.functional.binary_cross_entropy_with_logits(network(values)[:, 0], torch.from_numpy(targets[rows]))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    return fold_head(column, network, mean, deviation)


def average_heads(heads: list[FoldedHead]) -> FoldedHead:
    """Joins heads with the same columns into one head that returns the mean of their logits."""
    count = len(heads)
    return FoldedHead(
        heads[0].columns,
        np.concatenate([head.first for head in heads], axis=1),
        np.concatenate([head.first_bias for head in heads]),
        np.concatenate([head.second for head in heads]) / count,
        sum(head.second_bias for head in heads) / count,
    )


def logits_of(head: FoldedHead, features: np.ndarray, rows: int = 2048) -> np.ndarray:
    """Computes logits float32 [R, columns] like the graph, in which the weights of the first product are float16."""
    first = torch.from_numpy(head.first.astype(np.float16).astype(np.float32))
    out = []
    for start in range(0, len(features), rows):
        hidden = (
            torch.from_numpy(features[start : start + rows].astype(np.float32)) @ first
            + torch.tensor(head.first_bias).float()
        )
        out.append(
            nn.functional.gelu(hidden) @ torch.tensor(head.second).float() + torch.tensor(head.second_bias).float()
        )
    return torch.cat(out).detach().numpy()


def save_heads(path: Path, heads: list[FoldedHead]) -> None:
    """Writes heads with one column each to an .npz file."""
    parts = ("first", "first_bias", "second", "second_bias")
    np.savez(
        path,
        **{f"{head.columns[0]}.{part}": getattr(head, part).astype(np.float32) for head in heads for part in parts},
    )


def load_heads(path: Path) -> list[FoldedHead]:
    """Reads the heads that save_heads wrote, in the same order."""
    with np.load(path) as stored:
        columns = list(dict.fromkeys(name.split(".")[0] for name in stored))
        return [
            FoldedHead(
                [column], *(stored[f"{column}.{part}"] for part in ("first", "first_bias", "second", "second_bias"))
            )
            for column in columns
        ]
