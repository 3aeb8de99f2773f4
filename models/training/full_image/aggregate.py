"""From the logits of a picture's views to one logit: mean of the patches, mean of the lowest of them, and the global view."""
import math
from dataclasses import asdict, dataclass
from itertools import product

import numpy as np

from full_image.predict import Prediction
from measure.metrics import auc, balance_cells, recall_at

LOW_PART = 4
"""The lowest quarter. A share, not a number: the lowest four would make small pictures, which have fewer patches, score higher."""
GRID = (0.0, 0.25, 0.5, 1.0)
"""Weights tried for mean and lowest beside the global view's 0 or 1."""


@dataclass(frozen=True)
class Aggregate:
    """Weights of the picture logit; `low` is that of the mean of the lowest n / `low_part` (rounded up) of n patch logits."""

    bias: float = 0.0
    mean: float = 1.0
    low: float = 0.0
    low_part: int = LOW_PART
    whole: float = 0.0

    def logit(self, parts: np.ndarray) -> np.ndarray:
        """Parts [N,3] -> picture logits [N]."""
        return self.bias + parts @ np.array([self.mean, self.low, self.whole])

    def manifest(self) -> dict:
        """Members of manifest.json's `aggregate`."""
        members = {name: round(value, 6) for name, value in asdict(self).items()}
        return {"bias": members["bias"], "mean": members["mean"], "low": members["low"], "low_part": self.low_part,
                "global": members["whole"]}


def lowest(patch: np.ndarray, low_part: int) -> float:
    """Mean of the lowest of a picture's patch logits [n]."""
    return float(np.sort(patch)[:math.ceil(len(patch) / low_part)].mean())


def parts_of(predictions: list[Prediction], low_part: int = LOW_PART) -> np.ndarray:
    """[N,3]: mean and lowest part of the patch logits, global logit."""
    return np.array([[p.patch.mean(), lowest(p.patch, low_part), p.whole] for p in predictions])


def cells_of(predictions: list[Prediction]) -> tuple[np.ndarray, np.ndarray]:
    """Labels [N], and balancing weights [N]: both classes alike, sources (AI: generators) by the square root of size."""
    labels = np.array([int(p.row["is_ai"]) for p in predictions])
    cells = np.array([f"{p.row['source']} {p.row['generator']}" for p in predictions])
    weights = np.sqrt(balance_cells(cells))
    for label in (0, 1):
        weights[labels == label] /= weights[labels == label].sum()
    return labels, weights / weights.sum()


def worth(predictions: list[Prediction], logits: np.ndarray) -> float:
    """Mean over the tiers of AUC and of the recalls at 1% and at 5% false alarms: the order, and what the profiles run at."""
    labels = np.array([int(p.row["is_ai"]) for p in predictions])
    tiers = np.array([p.row["tier"] for p in predictions])
    measures = (auc, lambda *scores: recall_at(*scores, 0.01), lambda *scores: recall_at(*scores, 0.05))
    return float(np.mean([measure(labels[tiers == tier], logits[tiers == tier])
                          for tier in np.unique(tiers) for measure in measures]))


def fit(predictions: list[Prediction], low_part: int = LOW_PART) -> Aggregate:
    """The weights of a small grid with the best worth; calibrate brings their sum to a probability.

    None is negative, so that a higher patch never lowers the picture's score. Logistic regression would drop the patches:
    one old generator that no part detects outweighs what they add on the others.
    """
    parts = parts_of(predictions, low_part)
    best = max(product(GRID, GRID, (0.0, 1.0)),
               key=lambda w: (worth(predictions, parts @ np.array(w)) if any(w) else -1.0, -sum(w)))
    mean, low, whole = best
    return Aggregate(0.0, mean, low, low_part, whole)
