"""Joins views into one score: fits a plan for each number of views on validation pictures, and scores pictures with one.

    python -m full_image.plans fit --features VALIDATION --heads heads.npz --rule drawn.json --facts facts.json
        --manifest ../full_image_specialist/manifest.json
    python -m full_image.plans score --features TEST --heads heads.npz drawn.npz --manifest manifest.json --out test.csv

A picture's logit is bias + the sum over kinds of view of weight x mean logit of its views; its score the sigmoid of that. It is drawn with the
probability that RULE, of full_image.medium, makes of the logits of its head. HEADS may be the folder of an encoder.
"""

import argparse
import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from data.split import Split
from encoder.features import VIEW_KINDS, read_features
from encoder.heads import cell_weights, logits_of
from encoder.ship import heads_of
from export.release import VERSION
from measure.score_file import write_scores

PLANS = {1: (0, 1, 0), 2: (0, 1, 1), 3: (1, 1, 1), 4: (1, 2, 1), 5: (1, 2, 2), 6: (1, 2, 3), 7: (1, 2, 4), 8: (1, 1, 6)}
"""Views of each of VIEW_KINDS in a plan of so many views."""
DEFAULT_VIEWS = 5
STEADY = 0.02
"""Weight of the penalty that keeps a plan's weights alike where the pictures do not tell them apart."""


@dataclass(frozen=True)
class Delivered:
    """One picture in one tier: its line, and the logits of its views of each kind, in the order of VIEW_KINDS; those of the drawn head where it was asked."""

    line: dict
    logits: tuple[np.ndarray, ...]
    drawn: tuple[np.ndarray, ...] = ()

    def means(self, counts: tuple[int, ...]) -> np.ndarray:
        """Mean logit of the first `counts` views of each kind; 0 where a plan takes none."""
        return np.array([logits[:count].mean() if count else 0.0 for logits, count in zip(self.logits, counts, strict=True)])


def read_delivered(features: Path, heads: list[Path], part: str) -> list[Delivered]:
    """Pictures of a part of the split, from a folder of features, with the logits that `heads` give."""
    split = Split()
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
    return [Delivered(lines[next(iter(kinds.values()))[-1]], *(tuple(of_head[kinds[kind.name]] for kind in VIEW_KINDS) for of_head in (logits, drawn)))
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


def write_manifest(pictures: list[Delivered], path: Path, training_data: dict, rule: dict) -> None:
    """The specialist's manifest with a plan for each number of views; `training_data` is what full_image.train told, `rule` what full_image.medium did."""
    plans = []
    for views, counts in PLANS.items():
        weights, bias = fit_plan(pictures, counts)
        kinds = {kind.name: {"count": count, "weight": round(float(weight), 5)}
                 for kind, count, weight in zip(VIEW_KINDS, counts, weights, strict=True) if count}
        plans.append({"views": views, "kinds": kinds, "bias": round(bias, 5)})
    kinds = {kind.name: {"short_side_px": kind.short_side_px, "column": kind.name} for kind in VIEW_KINDS}
    manifest = {"id": "full_image_specialist", "version": VERSION, "training_data": training_data, "licence": "Apache-2.0", "kinds": kinds,
                "drawn": rule, "default_views": DEFAULT_VIEWS, "plans": plans}
    path.write_text(json.dumps(manifest, indent=2) + "\n")


def drawn(pictures: list[Delivered], manifest: dict, views: int) -> np.ndarray:
    """Probabilities 0..1 that they are drawn, as the engine computes them."""
    plan, head = next(plan for plan in manifest["plans"] if plan["views"] == views), manifest["drawn"]
    counts = [plan["kinds"][kind.name]["count"] if kind.name in plan["kinds"] and kind.name in head["kinds"] else 0 for kind in VIEW_KINDS]
    means = [np.concatenate([logits[:count] for logits, count in zip(picture.drawn, counts, strict=True)]).mean() for picture in pictures]
    return 1 / (1 + np.exp(-head["scale"] * np.array(means) - head["offset"]))


def score(pictures: list[Delivered], manifest: dict, views: int) -> np.ndarray:
    """Scores 0..1 as the engine computes them."""
    plan = next(plan for plan in manifest["plans"] if plan["views"] == views)
    counts = tuple(plan["kinds"].get(kind.name, {"count": 0})["count"] for kind in VIEW_KINDS)
    weights = np.array([plan["kinds"].get(kind.name, {"weight": 0})["weight"] for kind in VIEW_KINDS])
    logits = np.stack([picture.means(counts) for picture in pictures]) @ weights + plan["bias"]
    return 1 / (1 + np.exp(-logits))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("fit", "score"))
    parser.add_argument("--features", type=Path, required=True)
    parser.add_argument("--heads", type=Path, nargs="+", required=True, help="files of heads, or an encoder's folder; a later one takes an earlier one's place")
    parser.add_argument("--manifest", type=Path, required=True)
    parser.add_argument("--facts", type=Path, help="for fit: what full_image.train wrote")
    parser.add_argument("--rule", type=Path, help="for fit: what full_image.medium wrote beside its head")
    parser.add_argument("--part", help="of the split; default: validation to fit, test to score")
    parser.add_argument("--views", type=int, default=DEFAULT_VIEWS)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    part = arguments.part or ("validation" if arguments.what == "fit" else "test")
    pictures = read_delivered(arguments.features, arguments.heads, part)
    if arguments.what == "fit":
        write_manifest(pictures, arguments.manifest, *(json.loads(path.read_text()) for path in (arguments.facts, arguments.rule)))
        return
    manifest = json.loads(arguments.manifest.read_text())
    found = zip((picture.line for picture in pictures), *(judge(pictures, manifest, arguments.views) for judge in (score, drawn)), strict=True)
    write_scores(arguments.out, [
        {"picture": line["sha256"], "label": "ai" if line["is_ai"] else "real", "source": line["source"], "generator": line["generator"],
         "kind": line["kind"], "content": line["content"], "tier": line["tier"], "score": f"{value:.6f}", "drawn": f"{share:.6f}"}
        for line, value, share in found])


if __name__ == "__main__":
    main()
