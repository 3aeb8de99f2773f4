"""A straight line of the embedding, folded into heads: what a correction learned becomes part of what ships, and costs nothing.

A head is one hidden layer of GELU units, and gelu(x) - gelu(-x) = x: two more units hold any line of the features.
"""

from pathlib import Path

import numpy as np

from encoder.export import Embedding, FoldedHead

LARGEST = 4.0
"""Of a line's weights as the graph stores them, in float16: small ones would lose digits."""


def add_line(head: FoldedHead, direction: np.ndarray, constant: float) -> FoldedHead:
    """The head with `features @ direction + constant` added to its logit; `direction` [features]."""
    scale = LARGEST / max(float(np.abs(direction).max()), 1e-12)
    first = np.stack((direction, -direction), axis=1).astype(np.float32) * scale
    bias = np.array([constant, -constant], np.float32) * scale
    second = np.array([[1.0], [-1.0]], np.float32) / scale
    return FoldedHead(head.columns, np.concatenate((head.first, first), axis=1), np.concatenate((head.first_bias, bias)),
                      np.concatenate((head.second, second)), head.second_bias)


def fold_line(heads: dict[str, FoldedHead], embedding: Embedding, line: np.ndarray, plan_weight: float) -> list[FoldedHead]:
    """`heads` with which a picture's logit moves by its embedding times `line` [numbers]; `plan_weight`: the sum of the plan's weights of the kinds."""
    weights = embedding.weights.astype(np.float16).astype(np.float64)
    direction, constant = weights @ line / plan_weight, float(embedding.bias @ line) / plan_weight
    return [add_line(head, direction, constant) for head in heads.values()]


def save_line(path: Path, line: np.ndarray) -> None:
    """Writes a line as it was learned."""
    np.savez(path, line=line.astype(np.float32))


def load_line(path: Path) -> np.ndarray:
    """float64 [numbers] of a file of save_line."""
    with np.load(path) as stored:
        return stored["line"].astype(float)
