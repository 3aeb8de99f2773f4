"""Trains a released head further, starting from its weights, on features of the backbone it was made for.

Input: features float16 [rows, inputs], labels 0 or 1, and weights with sum 1. Output: a `FoldedHead` that returns a
logit.
"""

from dataclasses import replace

import numpy as np
import torch
from torch import nn

from encoder.export import FoldedHead
from encoder.heads import HeadSettings, fold_head, head_network, moments

WARM_STEPS = 50


def unfold_head(head: FoldedHead, mean: np.ndarray, deviation: np.ndarray, settings: HeadSettings) -> nn.Sequential:
    """Builds the network of a head, with features standardised by `mean` and `deviation`. Inverse of `fold_head`."""
    network = head_network(len(head.first), replace(settings, hidden=head.first.shape[1]))
    values = {
        "1.weight": (head.first * deviation[:, None]).T,
        "1.bias": head.first_bias + mean @ head.first,
        "4.weight": head.second.T,
        "4.bias": head.second_bias,
    }
    network.load_state_dict({name: torch.tensor(value, dtype=torch.float32) for name, value in values.items()})
    return network


def tune_head(
    head: FoldedHead,
    features: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    settings: HeadSettings,
    seed: int = 1,
) -> FoldedHead:
    """Trains a head for `settings.steps` steps.

    Rows of `features` float16 [R,F] are drawn with the probabilities `weights`. `labels` [R] are 0 or 1.
    """
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    mean, deviation = moments(features, weights)
    network = unfold_head(head, mean, deviation, settings)
    optimiser = torch.optim.AdamW(network.parameters(), settings.rate, weight_decay=settings.decay)
    targets = settings.smoothing + (1 - 2 * settings.smoothing) * labels.astype(np.float32)
    for step in range(settings.steps):
        optimiser.param_groups[0]["lr"] = settings.rate * min(1, (step + 1) / WARM_STEPS) * (1 - step / settings.steps)
        rows = random.choice(len(features), settings.batch, p=weights)
        values = torch.from_numpy((features[rows].astype(np.float32) - mean) / deviation)
        loss = nn.functional.binary_cross_entropy_with_logits(network(values)[:, 0], torch.from_numpy(targets[rows]))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return fold_head(head.columns[0], network, mean, deviation)
