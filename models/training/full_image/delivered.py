"""Combines the logits of an image's crops into one score, as the engine does, and fits the rule for this (a plan).

Input: folders of `encoder.features` and heads. Output: logits by image, crop type and crop; weights and bias of a plan,
in log odds.
"""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import lsq_linear, minimize

from data.split import Split
from encoder.crops import REGION_CROP_TYPE
from encoder.export import FoldedHead
from encoder.features import CROP_TYPES, read_features
from encoder.heads import cell_weights, logits_of
from encoder.package import heads_of
from encoder.rows import require_finished

STEADY = 0.02
"""Weight of the penalty that keeps the weights of a plan equal unless the images clearly favour one."""


@dataclass(frozen=True)
class Delivered:
    """One image at one degradation level.

    It has its line in the features, the logits of its crops by type (in the order of CROP_TYPES), and if known the
    logits of the head for illustrations and the logit of the suspicious region (full_image.suspicious_region).
    """

    line: dict
    logits: tuple[np.ndarray, ...]
    illustration: tuple[np.ndarray, ...] = ()
    region: float = np.nan

    def means(self, counts: tuple[int, ...]) -> np.ndarray:
        """Returns the mean logit of the first `counts` crops of each type, and 0 for types without crops."""
        return np.array(
            [logits[:count].mean() if count else 0.0 for logits, count in zip(self.logits, counts, strict=True)]
        )


def read_delivered(features: Path, heads: list[Path], split: str | None) -> list[Delivered]:
    """Reads the images of a split (None: all) from a folder of features, with the logits that `heads` compute."""
    splits = Split()
    require_finished(features, "features")
    lines, values = read_features(features)
    if split:
        rows = np.flatnonzero([splits.holds(split, line["source"], line["sha256"]) for line in lines])
        lines, values = [lines[row] for row in rows], values[rows]
    return delivered_images(lines, values, heads_of(heads))


def delivered_images(lines: list[dict], values: np.ndarray, by_column: dict[str, FoldedHead]) -> list[Delivered]:
    """Gathers the crops of each image and level from rows of `encoder.features`, with the logits of the heads."""
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
    """Returns 1 for AI images and 0 for genuine images."""
    return np.array([image.line["is_ai"] for image in images]).astype(int)


def fit_plan(images: list[Delivered], counts: tuple[int, ...]) -> tuple[np.ndarray, float]:
    """Fits weights (none negative) and bias of a plan by logistic regression. Sources of a class have equal weight."""
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


def described_plan(counts: tuple[int, ...], weights: np.ndarray, bias: float) -> dict:
    """Returns a plan in the form of the manifest."""
    kinds = {
        kind.name: {"count": count, "weight": round(float(weight), 5)}
        for kind, count, weight in zip(CROP_TYPES, counts, weights, strict=True)
        if count
    }
    return {"views": sum(counts), "kinds": kinds, "bias": round(float(bias), 5)}


def plan_of(images: list[Delivered], counts: tuple[int, ...]) -> dict:
    """Fits a plan with `counts` crops of each type to the labels."""
    return described_plan(counts, *fit_plan(images, counts))


def plan_towards(images: list[Delivered], counts: tuple[int, ...], odds: np.ndarray) -> dict:
    """Fits a plan with `counts` crops of each type to `odds`, the log odds by more crops, with weights of 0 or more."""
    parts, used = np.stack([image.means(counts) for image in images]), np.array(counts) > 0
    lower = np.append(np.zeros(len(counts)), -np.inf)
    found = lsq_linear(np.column_stack((parts * used, np.ones(len(parts)))), odds, (lower, np.inf)).x
    return described_plan(counts, found[:-1], found[-1])


@dataclass(frozen=True)
class Seen:
    """Results for images, arrays of equal length.

    They are the log odds of the score, the probability of an illustration, and the number of crops.
    """

    odds: np.ndarray
    illustration: np.ndarray
    crops: np.ndarray


def see(images: list[Delivered], plan: dict, head: dict) -> Seen:
    """Scores images by the crops that `plan` uses. `head` is the field `drawn` of the manifest, for illustrations."""
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
    crops = [sum(min(len(logits), count) for logits, count in zip(one.logits, counts, strict=True)) for one in images]
    return Seen(odds, 1 / (1 + np.exp(-head["scale"] * np.array(means) - head["offset"])), np.array(crops))
