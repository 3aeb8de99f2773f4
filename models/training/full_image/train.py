"""Trains the full-image specialist's heads on stored features, one head for each crop type.

    python -m full_image.train --features TRAIN [TRAIN ...] --pairs PAIRS --out heads.npz [--facts facts.json] [--average ../encoder]

FACTS states what the heads were trained on, and the manifest repeats it. `--average` includes the heads of that encoder
in the mean over seeds, because they were trained on other crops. They must have been trained on the same backbone.
"""

import json
from collections import defaultdict
from pathlib import Path

import numpy as np

from data.mix import source_of
from data.split import Split
from encoder.features import read_features
from encoder.heads import HeadSettings, average_heads, cell_weights, save_heads, train_head
from encoder.package import packaged_heads
from export.command import command_parser

CROPS_OF = {"native": ("native", "web"), "middle": ("middle",), "whole": ("whole",)}
"""Kinds of training crop from which each head learns. Images from the web were shrunk before native crops are cut from
them, so the native head also learns from "web" crops."""
DRAWN = "drawn"
"""Name of the source of the images that data.graphics draws."""
PAIRED = 0.15
"""Share of drawn crops that come from pairs of a genuine crop and its version after an autoencoder. On validation, 0.08
is as good, and 0.3 is worse on compressed images."""
BOTH_CLASSES = 1 / 3
"""Share of drawn crops from sources that have AI images and genuine ones. These often show the same subjects, so heads
learn less from what an image shows. Without it, matched images are ranked worse (experiments/0047)."""


def facts_of(lines: list[dict], paired: list[dict]) -> dict:
    """Counts images, generators and repositories on which the heads were trained. `paired` has the lines of pairs."""
    images = {line["sha256"]: line for line in lines}.values()
    ai = [line for line in images if line["is_ai"]]
    graphics = sum(line["source"] == DRAWN for line in images)
    return {
        "ai_pictures": len(ai),
        "generators": len({line["generator"] for line in ai}),
        "genuine_pictures": len(images) - len(ai) - graphics,
        "drawn_genuine_pictures": graphics,
        "genuine_pictures_paired_with_their_reconstruction": len({line["sha256"] for line in paired}),
        "repositories": len({line["source"] for line in images} - {DRAWN}),
        "validation_and_test": "whole repositories left out: models/training/data/split.csv",
        "start": "CLIP ViT-B/16, blocks 1 to 9 (OpenAI, MIT); how they were tuned: the encoder's manifest",
    }


def in_source_of_both(lines: list[dict], labels: np.ndarray) -> np.ndarray:
    """Tells for each line whether its source has AI images and genuine ones, bool [R].

    Trios of `tuning.pack` are not counted, because their AI crops are genuine ones after an autoencoder.
    """
    classes = defaultdict(set)
    for line, label in zip(lines, labels, strict=True):
        if line.get("cut") != "trio":
            classes[source_of(line["source"])].add(label)
    return np.array([len(classes[source_of(line["source"])]) == 2 for line in lines])


def row_weights(lines: list[dict], labels: np.ndarray, in_pairs: np.ndarray) -> np.ndarray:
    """Returns the probability with which each row is drawn, float64 [R] with sum 1.

    Rows of pairs get the share PAIRED. The others are drawn by source and generator; those from sources with both
    classes get the share BOTH_CLASSES of the rest.
    """
    weights, single = np.zeros(len(lines)), np.flatnonzero(~in_pairs)
    weights[single] = cell_weights(
        [(lines[row]["source"], lines[row]["generator"], lines[row]["kind"]) for row in single], labels[single]
    )
    of_both = in_source_of_both([lines[row] for row in single], labels[single])
    if of_both.any() and not of_both.all():
        for part, share in ((of_both, BOTH_CLASSES), (~of_both, 1 - BOTH_CLASSES)):
            classes = [single[part & (labels[single] == label)] for label in np.unique(labels[single[part]])]
            for rows in classes:
                weights[rows] *= share / (len(classes) * weights[rows].sum())
    if in_pairs.any():
        weights[single] *= 1 - PAIRED
        weights[in_pairs] = PAIRED / in_pairs.sum()
    return weights


def main() -> None:
    parser = command_parser(__doc__, "out", "features+")
    parser.add_argument("--pairs", type=Path, help="features of full_image.pairs")
    parser.add_argument("--facts", type=Path)
    parser.add_argument("--seeds", type=int, default=2, help="heads that are averaged into one")
    parser.add_argument("--steps", type=int, default=HeadSettings.steps)
    parser.add_argument("--average", type=Path, help="folder of an encoder whose heads are averaged with the new ones")
    args = parser.parse_args()
    lines, values = zip(*(read_features(folder) for folder in [*args.features, *([args.pairs] if args.pairs else [])]))
    singles = sum(map(len, lines[: len(args.features)]))
    lines, values = sum(lines, []), np.concatenate(values)
    in_pairs = np.arange(len(lines)) >= singles
    labels = np.array([line["is_ai"] for line in lines]).astype(int)
    splits, heads, settings = Split(), [], HeadSettings(steps=args.steps)
    joined = packaged_heads(args.average) if args.average else {}
    in_training = np.array([splits.holds("train", line["source"], line["sha256"]) for line in lines])
    for column, crops in CROPS_OF.items():
        rows = np.flatnonzero(in_training & [line["crop"] in crops for line in lines])
        weights = row_weights([lines[row] for row in rows], labels[rows], in_pairs[rows])
        print(f"{column}: {len(rows)} crops", flush=True)
        trained = [
            train_head(values[rows], labels[rows], weights, column, settings, seed) for seed in range(1, args.seeds + 1)
        ]
        heads.append(average_heads([*trained, *([joined[column]] if joined else [])]))
    save_heads(args.out, heads)
    if args.facts:
        mine = [[lines[row] for row in np.flatnonzero(in_training & rows)] for rows in (~in_pairs, in_pairs)]
        args.facts.write_text(json.dumps(facts_of(*mine), indent=2) + "\n")


if __name__ == "__main__":
    main()
