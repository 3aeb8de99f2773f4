"""Measures of a detector from the scores of images, with confidence intervals that draw whole sources.

Input: labels (1 AI, 0 genuine) and scores, arrays of equal length. Output: shares 0..1.
"""

import numpy as np


def rate_up(share: float, decimals: int = 4) -> float:
    """Rounds an error rate up to `decimals`, except for floating-point errors of exact values."""
    return float(np.ceil(max(share * 10**decimals - 1e-9, 0)) / 10**decimals)


def auc(labels: np.ndarray, scores: np.ndarray) -> float:
    """Computes the area under the ROC curve. Equal scores count half. Returns nan if a class is missing."""
    positive, negative = scores[labels == 1], np.sort(scores[labels == 0])
    if not len(positive) or not len(negative):
        return float("nan")
    below = np.searchsorted(negative, positive, "left") + np.searchsorted(negative, positive, "right")
    return float(below.mean() / 2 / len(negative))


def threshold_at(negative: np.ndarray, rate: float) -> float:
    """Returns the lowest threshold that flags at most the share `rate` of the genuine scores (score >= threshold)."""
    return threshold_allowing(negative, int(np.floor(rate * len(negative))))


def threshold_allowing(negative: np.ndarray, allowed: int) -> float:
    """Returns the lowest threshold that flags at most `allowed` genuine scores, or -inf if all may be flagged."""
    ordered = np.sort(negative)[::-1]
    return float(np.nextafter(ordered[allowed], np.inf)) if allowed < len(ordered) else -np.inf


def recall_at(labels: np.ndarray, scores: np.ndarray, rate: float) -> float:
    """Computes the recall at the threshold that flags the share `rate` of the genuine images."""
    return float((scores[labels == 1] >= threshold_at(scores[labels == 0], rate)).mean())


def balance_cells(cells: np.ndarray) -> np.ndarray:
    """Returns weights that give each source or generator the same total, with mean 1."""
    names, inverse, counts = np.unique(cells, return_inverse=True, return_counts=True)
    return (len(cells) / len(names) / counts)[inverse]


def source_bootstrap(
    labels: np.ndarray, sources: np.ndarray, measure, resamples: int = 500, seed: int = 1
) -> tuple[float, float]:
    """Computes the 95% interval of `measure(index array)` over whole sources, drawn for each class separately."""
    rng = np.random.default_rng(seed)
    members = {
        label: [np.flatnonzero((sources == s) & (labels == label)) for s in np.unique(sources[labels == label])]
        for label in (0, 1)
    }
    values = []
    for _ in range(resamples):
        drawn = [group[i] for group in members.values() for i in rng.integers(0, len(group), len(group))]
        values.append(measure(np.concatenate(drawn)))
    return float(np.nanpercentile(values, 2.5)), float(np.nanpercentile(values, 97.5))
