"""From the logits of a picture's views to one logit: mean, top-k mean and maximum of the patches, and the global view."""
from dataclasses import asdict, dataclass
from itertools import product

import numpy as np

from full_image.predict import Prediction
from measure.metrics import balance_cells, recall_at

TOP_K = 3
GRID = (0.0, 0.25, 0.5, 1.0)
"""Weights tried for mean, top and maximum beside the global view's 0 or 1."""


@dataclass(frozen=True)
class Aggregate:
    """Weights of the picture logit; `top` is the mean of the `top_k` highest patch logits (of all where fewer)."""

    bias: float = 0.0
    mean: float = 1.0
    top: float = 0.0
    top_k: int = TOP_K
    max: float = 0.0
    whole: float = 0.0

    def logit(self, parts: np.ndarray) -> np.ndarray:
        """Parts [N,4] -> picture logits [N]."""
        return self.bias + parts @ np.array([self.mean, self.top, self.max, self.whole])

    def manifest(self) -> dict:
        """Members of manifest.json's `aggregate`."""
        members = {name: round(value, 6) for name, value in asdict(self).items()}
        return {"bias": members["bias"], "mean": members["mean"], "top": members["top"], "top_k": self.top_k,
                "max": members["max"], "global": members["whole"]}


def parts_of(predictions: list[Prediction], top_k: int = TOP_K) -> np.ndarray:
    """[N,4]: mean, top-k mean and maximum of the patch logits, global logit."""
    return np.array([[p.patch.mean(), np.sort(p.patch)[-top_k:].mean(), p.patch.max(), p.whole] for p in predictions])


def cells_of(predictions: list[Prediction]) -> tuple[np.ndarray, np.ndarray]:
    """Labels [N], and balancing weights [N]: both classes alike, sources (AI: generators) by the square root of size."""
    labels = np.array([int(p.row["is_ai"]) for p in predictions])
    cells = np.array([f"{p.row['source']} {p.row['generator']}" for p in predictions])
    weights = np.sqrt(balance_cells(cells))
    for label in (0, 1):
        weights[labels == label] /= weights[labels == label].sum()
    return labels, weights / weights.sum()


def recall_where_it_counts(predictions: list[Prediction], logits: np.ndarray) -> float:
    """Mean recall at 1% and at 5% false alarms over the tiers: what the profiles will run at."""
    labels = np.array([int(p.row["is_ai"]) for p in predictions])
    tiers = np.array([p.row["tier"] for p in predictions])
    return float(np.mean([recall_at(labels[tiers == tier], logits[tiers == tier], rate)
                          for tier in np.unique(tiers) for rate in (0.01, 0.05)]))


def fit(predictions: list[Prediction], top_k: int = TOP_K) -> Aggregate:
    """The weights of a small grid with the best recall_where_it_counts; calibrate brings their sum to a probability.

    None is negative, so that a higher patch never lowers the picture's score. Logistic regression would drop the patches:
    one old generator that no part detects outweighs what they add on the others.
    """
    parts = parts_of(predictions, top_k)
    best = max(product(GRID, GRID, GRID, (0.0, 1.0)), key=lambda w: (recall_where_it_counts(predictions, parts @ np.array(w))
                                                                    if any(w) else -1.0, -sum(w)))
    mean, top, maximum, whole = best
    return Aggregate(0.0, mean, top, top_k, maximum, whole)
