"""A round of the heads on owners that nobody trained on: a straight line of the embedding, learned beside the shipped logits and folded into the heads.

    python -m studies.new_owners --models .. --features TRAIN [TRAIN ...] [--strength 250] --out heads.npz --line line.npz

TRAIN is what `encoder.features train --tower ../encoder` wrote. Each picture counts twice, with its native view as it was sent and with that of its delivered
version, by the plan's weights; the shipped log odds of the picture are where the line starts from. `--strength` pulls it towards nothing, so that what the heads
know of pictures that are not at hand stays. Pictures weigh alike; what is drawn evenly by owners (`--by-owner`, data.mix) learned no better (EXPERIMENTS.md).
"""

import argparse
import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from adaptation.embedding import default_plan
from data.mix import draw_weights, owner_of
from data.split import Split
from encoder.features import read_features
from encoder.heads import logits_of, save_heads
from studies.line import fold_line, save_line
from encoder.unpack import read_constants, unpack_embedding
from encoder.package import packaged_heads
from full_image.train import VIEWS_OF

STRENGTH = 250.0
STEPS, REST, MOST_MOVE = 30, 1e-4, 4.0
"""Newton's: how many, the step that ends them, and the log odds by which one may move a row."""
NATIVE = ("native", "web")
"""Views that are judged by the native head."""


@dataclass(frozen=True)
class SeenViews:
    """Pictures by their views: a line, the shipped log odds and the embedding of each."""

    lines: list[dict]
    odds: np.ndarray
    embeddings: np.ndarray


def join_views(lines: list[dict], values: np.ndarray, heads: dict, embedding, plan: dict) -> SeenViews:
    """Each picture with either of its native views."""
    views, logits = np.array([line["view"] for line in lines]), np.zeros(len(lines))
    for column, kinds in VIEWS_OF.items():
        rows = np.flatnonzero(np.isin(views, kinds))
        logits[rows] = logits_of(heads[column], values[rows])[:, 0]
    embedded, pictures = embedding.of(values), defaultdict(dict)
    for row, line in enumerate(lines):
        pictures[line["sha256"], line.get("round", 0)][line["view"]] = row
    weights = {name: kind["weight"] for name, kind in plan["kinds"].items()}
    found, odds, joined = [], [], []
    for rows in pictures.values():
        for native in NATIVE:
            of_kind = {"whole": rows["whole"], "middle": rows["middle"], "native": rows[native]}
            found.append(lines[rows["whole"]])
            odds.append(plan["bias"] + sum(weights[kind] * logits[row] for kind, row in of_kind.items()))
            joined.append(sum(weights[kind] * embedded[row] for kind, row in of_kind.items()) / sum(weights.values()))
    return SeenViews(found, np.array(odds), np.stack(joined).astype(float))


def fit_line(embeddings: np.ndarray, odds: np.ndarray, labels: np.ndarray, weights: np.ndarray, strength: float) -> np.ndarray:
    """What a unit of each number adds to the log odds: the weighted log loss and strength/2 of its square, by Newton's steps from nothing."""
    line = np.zeros(embeddings.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-(odds + embeddings @ line)))
        gradient = embeddings.T @ (weights * (chance - labels)) + strength * line
        curve = (embeddings * (weights * chance * (1 - chance))[:, None]).T @ embeddings + strength * np.eye(len(line))
        step = np.linalg.solve(curve, gradient)
        line -= min(1.0, MOST_MOVE / max(np.abs(embeddings @ step).max(), 1e-9)) * step
        if np.abs(step).max() < REST:
            break
    return line


def row_weights(lines: list[dict], by_owner: bool) -> np.ndarray:
    """Of rows of which a picture has two: a half each, or by data.mix with the same sum."""
    if not by_owner:
        return np.full(len(lines), 0.5)
    return draw_weights([SimpleNamespace(**line) for line in lines]) * len(lines) / 2


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--features", type=Path, nargs="+", required=True)
    parser.add_argument("--strength", type=float, default=STRENGTH)
    parser.add_argument("--by-owner", action="store_true")
    parser.add_argument("--share", type=float, default=1.0, help="of the owners, by the hash order of their names: for learning curves")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--line", type=Path, required=True)
    arguments = parser.parse_args()
    split, encoder = Split(), arguments.models / "encoder"
    constants, heads, plan = read_constants(encoder), packaged_heads(encoder), default_plan(arguments.models)
    lines, values = zip(*(read_features(folder) for folder in arguments.features), strict=True)
    rounds = [{**line, "round": number} for number, of_folder in enumerate(lines) for line in of_folder]
    values = np.concatenate(values)
    rows = np.flatnonzero([split.holds("train", line["source"], line["sha256"]) for line in rounds])
    embedding = unpack_embedding(constants)
    seen = join_views([rounds[row] for row in rows], values[rows], heads, embedding, plan)
    owners = sorted({owner_of(line["source"]) for line in seen.lines})
    kept = set(np.random.default_rng(1).permutation(owners)[:round(arguments.share * len(owners))])
    mine = np.flatnonzero([owner_of(line["source"]) in kept for line in seen.lines])
    lines, labels = [seen.lines[row] for row in mine], np.array([seen.lines[row]["is_ai"] for row in mine]).astype(float)
    line = fit_line(seen.embeddings[mine], seen.odds[mine], labels, row_weights(lines, arguments.by_owner), arguments.strength)
    print(json.dumps({"ai_pictures": len({each["sha256"] for each in lines if each["is_ai"]}), "genuine_pictures": len({each["sha256"] for each in lines if not each["is_ai"]}),
                      "generators": len({each["generator"] for each in lines if each["is_ai"]}), "repositories": len({each["source"] for each in lines}), "owners": len(kept),
                      "strength": arguments.strength, "norm": round(float(np.linalg.norm(line)), 4)}))
    save_line(arguments.line, line)
    weight = sum(kind["weight"] for kind in plan["kinds"].values())
    save_heads(arguments.out, fold_line({column: heads[column] for column in VIEWS_OF}, embedding, line, weight))


if __name__ == "__main__":
    main()
