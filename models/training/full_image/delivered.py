"""Delivered images with the logits of their crops, and plans that aggregate these: fitting, and scoring as in the engine.

In: folders of `encoder.features` and heads. Out: logits by image, crop type and crop; weights and bias of a plan, in
log odds.
"""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from data.split import Split
from encoder.crops import REGION_CROP_TYPE
from encoder.features import CROP_TYPES, read_features
from encoder.heads import cell_weights, logits_of
from encoder.package import heads_of
from encoder.rows import require_finished

STEADY = 0.02
"""Weight of the penalty that keeps a plan's weights alike if the images don't separate them."""


@dataclass(frozen=True)
class Delivered:
    """One image at one level:

    its line, logits of its crops by kind (in the order of CROP_TYPES), logits of the domain head if known, and the
    logit of the suspicious region if known (full_image.suspicious_region).
    """

    line: dict
    logits: tuple[np.ndarray, ...]
    illustration: tuple[np.ndarray, ...] = ()
    region: float = np.nan

    def means(self, counts: tuple[int, ...]) -> np.ndarray:
        """Averages the logits of the first `counts` crops of each kind; 0 for kinds that a plan leaves out."""
        return np.array(
            [logits[:count].mean() if count else 0.0 for logits, count in zip(self.logits, counts, strict=True)]
        )


def read_delivered(features: Path, heads: list[Path], split: str) -> list[Delivered]:
    """Images of a split, from a folder of features, with the logits that `heads` give."""
    splits = Split()
    require_finished(features, "features")
    lines, values = read_features(features)
    rows = np.flatnonzero([splits.holds(split, line["source"], line["sha256"]) for line in lines])
    lines, values = [lines[row] for row in rows], values[rows]
    by_column = heads_of(heads)
    crops = np.array([line["crop"] for line in lines])
    logits = np.zeros(len(lines))
    for kind in CROP_TYPES:
        rows = np.flatnonzero(crops == kind.name)
        logits[rows] = logits_of(by_column[kind.name], values[rows])[:, 0]
    illustration = logits_of(by_column["drawn"], values)[:, 0] if "drawn" in by_column else np.full(len(lines), np.nan)
    found: dict[tuple, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row, line in enumerate(lines):
        found[line["sha256"], line["tier"]][line["crop"]].append(row)
    return [
        Delivered(
            lines[next(iter(kinds.values()))[-1]],
            *(tuple(of_head[kinds[kind.name]] for kind in CROP_TYPES) for of_head in (logits, illustration)),
            lines[kinds[REGION_CROP_TYPE][0]].get("region", np.nan),
        )
        for kinds in found.values()
    ]


def labels_of(images: list[Delivered]) -> np.ndarray:
    """Returns 1 for AI and 0 for genuine images."""
    return np.array([image.line["is_ai"] for image in images]).astype(int)


def fit_plan(images: list[Delivered], counts: tuple[int, ...]) -> tuple[np.ndarray, float]:
    """Weights (none negative) and bias by logistic regression, sources weighing the same within a class."""
    labels = labels_of(images)
    weights = cell_weights([(image.line["source"], image.line["is_ai"]) for image in images], labels)
    parts = np.stack([image.means(counts) for image in images])
    used = np.flatnonzero(counts)
    signs = np.where(labels == 1, -1.0, 1.0)

    def loss(theta: np.ndarray) -> float:
        logits = parts[:, used] @ theta[:-1] + theta[-1]
        return float((weights * np.logaddexp(0, signs * logits)).sum() + STEADY * np.var(theta[:-1]))

    start = np.append(np.full(len(used), 1 / len(used)), 0.0)
    found = minimize(loss, start, method="L-BFGS-B", bounds=[(0, None)] * len(used) + [(None, None)]).x
    weights_by_kind = np.zeros(len(counts))
    weights_by_kind[used] = found[:-1]
    return weights_by_kind, float(found[-1])


def plan_of(images: list[Delivered], counts: tuple[int, ...]) -> dict:
    """Fits a plan of so many crops of each kind, in the manifest's form."""
    weights, bias = fit_plan(images, counts)
    kinds = {
        kind.name: {"count": count, "weight": round(float(weight), 5)}
        for kind, count, weight in zip(CROP_TYPES, counts, weights, strict=True)
        if count
    }
    return {"views": sum(counts), "kinds": kinds, "bias": round(bias, 5)}


@dataclass(frozen=True)
class Seen:
    """Results of a plan on images, arrays of one length:

    log odds, probability of being an illustration, and number of crops.
    """

    odds: np.ndarray
    illustration: np.ndarray
    crops: np.ndarray


def see(images: list[Delivered], plan: dict, head: dict) -> Seen:
    """Scores images by the first crops of each kind of `plan`; `head` is the manifest's `drawn`."""
    counts = tuple(plan["kinds"].get(kind.name, {"count": 0})["count"] for kind in CROP_TYPES)
    weights = np.array([plan["kinds"].get(kind.name, {"weight": 0})["weight"] for kind in CROP_TYPES])
    odds = np.stack([image.means(counts) for image in images]) @ weights + plan["bias"]
    domain_counts = [count if kind.name in head["kinds"] else 0 for kind, count in zip(CROP_TYPES, counts, strict=True)]
    means = [
        np.concatenate([logits[:count] for logits, count in zip(image.illustration, domain_counts, strict=True)]).mean()
        if image.illustration
        else np.nan
        for image in images
    ]
    crops = [
        sum(min(len(logits), count) for logits, count in zip(image.logits, counts, strict=True)) for image in images
    ]
    return Seen(odds, 1 / (1 + np.exp(-head["scale"] * np.array(means) - head["offset"])), np.array(crops))
