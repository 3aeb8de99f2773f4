"""From the logits of a picture's views to one logit: mean, top-k mean and maximum of the patches, and the global view."""
from dataclasses import asdict, dataclass

import numpy as np
from scipy.optimize import minimize

from full_image.predict import Prediction
from measure.metrics import balance_cells

TOP_K = 3


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


def fit(predictions: list[Prediction], ridge: float = 0.01, top_k: int = TOP_K) -> Aggregate:
    """Weighted logistic regression with weights held >= 0, so that a higher patch never lowers the picture's score."""
    parts = parts_of(predictions, top_k)
    labels, weights = cells_of(predictions)

    def loss(theta: np.ndarray) -> float:
        logit = theta[0] + parts @ theta[1:]
        return float((weights * np.logaddexp(0, np.where(labels == 1, -logit, logit))).sum() + ridge * (theta[1:] ** 2).sum())

    found = minimize(loss, [0, 0.3, 0.1, 0.1, 0.3], method="L-BFGS-B", bounds=[(None, None)] + [(0, None)] * 4)
    bias, mean, top, maximum, whole = (float(value) for value in found.x)
    return Aggregate(bias, mean, top, top_k, maximum, whole)
