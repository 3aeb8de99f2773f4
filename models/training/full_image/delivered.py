"""Pictures as they are sent, with the logits of their views, and plans that join these: fitted, and applied as the engine does it."""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from data.split import Split
from encoder.features import VIEW_KINDS, read_features
from encoder.heads import cell_weights, logits_of
from encoder.views import PEAK_KIND
from encoder.rows import require_finished
from encoder.package import heads_of

STEADY = 0.02
"""Weight of the penalty that keeps a plan's weights alike where the pictures do not tell them apart."""


@dataclass(frozen=True)
class Delivered:
    """One picture in one tier: its line, and the logits of its views of each kind, in the order of VIEW_KINDS; those of the drawn head where it was asked,
    and the peak of the tokens of its whole view where it is known (full_image.part)."""

    line: dict
    logits: tuple[np.ndarray, ...]
    drawn: tuple[np.ndarray, ...] = ()
    peak: float = np.nan

    def means(self, counts: tuple[int, ...]) -> np.ndarray:
        """Mean logit of the first `counts` views of each kind; 0 where a plan takes none."""
        return np.array([logits[:count].mean() if count else 0.0 for logits, count in zip(self.logits, counts, strict=True)])


def read_delivered(features: Path, heads: list[Path], part: str) -> list[Delivered]:
    """Pictures of a part of the split, from a folder of features, with the logits that `heads` give."""
    split = Split()
    require_finished(features, "features")
    lines, values = read_features(features)
    rows = np.flatnonzero([split.holds(part, line["source"], line["sha256"]) for line in lines])
    lines, values = [lines[row] for row in rows], values[rows]
    by_column = heads_of(heads)
    views = np.array([line["view"] for line in lines])
    logits = np.zeros(len(lines))
    for kind in VIEW_KINDS:
        rows = np.flatnonzero(views == kind.name)
        logits[rows] = logits_of(by_column[kind.name], values[rows])[:, 0]
    drawn = logits_of(by_column["drawn"], values)[:, 0] if "drawn" in by_column else np.full(len(lines), np.nan)
    found: dict[tuple, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row, line in enumerate(lines):
        found[line["sha256"], line["tier"]][line["view"]].append(row)
    return [Delivered(lines[next(iter(kinds.values()))[-1]], *(tuple(of_head[kinds[kind.name]] for kind in VIEW_KINDS) for of_head in (logits, drawn)),
                      lines[kinds[PEAK_KIND][0]].get("peak", np.nan))
            for kinds in found.values()]


def labels_of(pictures: list[Delivered]) -> np.ndarray:
    """1 for AI, 0 for genuine."""
    return np.array([picture.line["is_ai"] for picture in pictures]).astype(int)


def fit_plan(pictures: list[Delivered], counts: tuple[int, ...]) -> tuple[np.ndarray, float]:
    """Weights (none negative) and bias by logistic regression, sources weighing the same within a class."""
    labels = labels_of(pictures)
    weights = cell_weights([(picture.line["source"], picture.line["is_ai"]) for picture in pictures], labels)
    parts = np.stack([picture.means(counts) for picture in pictures])
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


def plan_of(pictures: list[Delivered], counts: tuple[int, ...]) -> dict:
    """A plan of so many views of each kind, as the manifest has it, fitted on the pictures."""
    weights, bias = fit_plan(pictures, counts)
    kinds = {kind.name: {"count": count, "weight": round(float(weight), 5)}
             for kind, count, weight in zip(VIEW_KINDS, counts, weights, strict=True) if count}
    return {"views": sum(counts), "kinds": kinds, "bias": round(bias, 5)}


@dataclass(frozen=True)
class Seen:
    """What the views of a plan say of pictures, arrays of one length: log odds of the score, probability of being drawn, and how many views that were."""

    odds: np.ndarray
    drawn: np.ndarray
    views: np.ndarray


def see(pictures: list[Delivered], plan: dict, head: dict) -> Seen:
    """The pictures by the first views of each kind that `plan` names; `head` is the manifest's `drawn`."""
    counts = tuple(plan["kinds"].get(kind.name, {"count": 0})["count"] for kind in VIEW_KINDS)
    weights = np.array([plan["kinds"].get(kind.name, {"weight": 0})["weight"] for kind in VIEW_KINDS])
    odds = np.stack([picture.means(counts) for picture in pictures]) @ weights + plan["bias"]
    telling = [count if kind.name in head["kinds"] else 0 for kind, count in zip(VIEW_KINDS, counts, strict=True)]
    means = [np.concatenate([logits[:count] for logits, count in zip(picture.drawn, telling, strict=True)]).mean() if picture.drawn else np.nan
             for picture in pictures]
    views = [sum(min(len(logits), count) for logits, count in zip(picture.logits, counts, strict=True)) for picture in pictures]
    return Seen(odds, 1 / (1 + np.exp(-head["scale"] * np.array(means) - head["offset"])), np.array(views))
