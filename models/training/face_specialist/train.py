"""Trains the face specialist's two heads, each for one kind of fake, on stored features.

    python -m face_specialist.train --features TRAIN [TRAIN ...] --out heads.npz --facts facts.json [--without dfdc]
        [--average ../encoder]

`manipulated` separates genuine faces from swapped, reenacted and edited ones. `generated` separates genuine faces from
completely generated ones. Neither head is trained on the other's fakes. FACTS states what the heads were trained on,
and the manifest repeats it. `--average` includes the heads of that encoder in the mean over seeds, because they were
trained on other crops. They must have been trained on the same backbone.
"""

import json
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from encoder.features import read_features
from encoder.heads import HeadSettings, average_heads, cell_weights, save_heads, train_head
from encoder.package import packaged_heads
from export.command import command_parser

COLUMNS = ("manipulated", "generated")
ONE_CLASS_SHARE = 0.3
"""Relative weight of sources that have only genuine or only fake faces. A head could learn such a source's look."""


def rows_for(column: str, lines: list[dict], left_out: frozenset[str] = frozenset()) -> np.ndarray:
    """Returns the lines on which a head is trained: genuine faces and its kind of fakes, without methods `left_out`."""
    return np.flatnonzero([line["label"] in ("genuine", column) and line["method"] not in left_out for line in lines])


def partners_of(lines: list[dict]) -> np.ndarray:
    """Returns for each line the index of the other line of its pair, or its own index. int64 [R]."""
    members = defaultdict(list)
    for index, line in enumerate(lines):
        if line["pair"]:
            members[line["pair"]].append(index)
    partners = np.arange(len(lines))
    for pair in members.values():
        if len(pair) == 2:
            partners[pair] = pair[::-1]
    return partners


def face_weights(lines: list[dict], labels: np.ndarray, partners: np.ndarray) -> np.ndarray:
    """Returns the probability with which each face is drawn, float64 [R] with sum 1.

    Draws by source and method. Sources with one class are drawn less often, and both faces of a pair equally often.
    """
    weights = cell_weights([(line["source"], line["method"]) for line in lines], labels)
    classes = defaultdict(set)
    for line, label in zip(lines, labels, strict=True):
        classes[line["source"]].add(int(label))
    weights *= [1 if len(classes[line["source"]]) == 2 else ONE_CLASS_SHARE for line in lines]
    weights = (weights + weights[partners]) / 2
    for label in np.unique(labels):
        weights[labels == label] /= weights[labels == label].sum()
    return weights / weights.sum()


def facts_of(lines: list[dict], left_out: frozenset[str]) -> dict:
    """Counts faces by label and made fakes by method, and lists the methods of collected fakes as `methods`."""
    seen = [line for line in lines if line["method"] not in left_out]
    fakes = [line for line in seen if line["label"] != "genuine"]
    made = Counter(line["method"] for line in fakes if line["pair"])
    found = [line for line in fakes if not line["pair"]]
    return {
        "genuine_faces": sum(line["label"] == "genuine" for line in seen),
        **{f"{column}_faces": sum(line["label"] == column for line in found) for column in COLUMNS},
        "made_faces": dict(sorted(made.items())),
        "generators": len({line["method"] for line in found if line["label"] == "generated"}),
        "methods": sorted({line["method"] for line in found if line["label"] == "manipulated"}),
        "sources": "models/training/data/split.py; the list with commits and licences is the project's sources.csv and faces.csv",
    }


def main() -> None:
    parser = command_parser(__doc__, "out", "facts", "features+")
    parser.add_argument("--without", nargs="*", default=[], metavar="METHOD", help="methods of fakes that are left out")
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--seeds", type=int, default=2, help="heads that are averaged into one")
    parser.add_argument("--average", type=Path, help="folder of an encoder whose heads are averaged with the new ones")
    args = parser.parse_args()
    torch.set_num_threads(1)
    lines, values = zip(*(read_features(folder) for folder in args.features))
    lines, values, left_out = sum(lines, []), np.concatenate(values), frozenset(args.without)
    heads, joined = [], packaged_heads(args.average) if args.average else {}
    for column in COLUMNS:
        rows = rows_for(column, lines, left_out)
        mine = [lines[row] for row in rows]
        labels = np.array([line["label"] == column for line in mine]).astype(int)
        partners = partners_of(mine)
        weights = face_weights(mine, labels, partners)
        print(f"{column}: {(labels == 0).sum()} genuine faces, {labels.sum()} fakes", flush=True)
        trained = [
            train_head(values[rows], labels, weights, column, replace(HeadSettings(), steps=args.steps), seed, partners)
            for seed in range(1, args.seeds + 1)
        ]
        heads.append(average_heads([*trained, *([joined[column]] if joined else [])]))
    save_heads(args.out, heads)
    args.facts.write_text(json.dumps(facts_of(lines, left_out), indent=2) + "\n")


if __name__ == "__main__":
    main()
