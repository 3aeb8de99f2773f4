"""Trains the released heads further, with genuine crops that they take for AI (hard negatives) drawn more often.

    python -m full_image.hard_negatives --encoder ../encoder --features TRAIN --out heads.npz

TRAIN is the output of `encoder.features train --most 20 --backbone ../encoder`. Sources are drawn as in data.mix. The
run starts from the released heads. New heads on the tuned backbone are worse on other images, because the backbone was
trained on half of these images (experiments/0015). Settings of the released versions:

* 2.6.0: also all images of the newest repositories (`--most 200`) and a second crop of each (`--seed 2 --most 60`);
* 2.11.0: only new sources (`--most 25` and `--most 12`), a short run of two seeds with averaged weights (`--steps 400
  --rate 1e-4 --doubted 3 --seeds 2`), which keeps what was learned from images that were not at hand;
* 2.12.0: all 759 sources at hand (`--steps 3000 --rate 1e-4 --doubted 5 --seeds 2`): with so many, a longer run loses
  nothing.
"""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from data.mix import draw_weights, source_of
from data.split import Split
from encoder.continue_training import tune_head
from encoder.export import FoldedHead
from encoder.features import read_features
from encoder.heads import HeadSettings, logits_of, save_heads
from encoder.package import packaged_heads
from export.command import command_parser
from full_image.train import CROPS_OF

SETTINGS = HeadSettings(steps=4000, rate=2e-4, decay=0.0, hidden_dropout=0.3)
DOUBTED = 20
"""Factor by which a genuine crop is drawn more often if the head takes it for AI with certainty."""


def doubt_weights(weights: np.ndarray, labels: np.ndarray, logits: np.ndarray, times: float = DOUBTED) -> np.ndarray:
    """Raises the `weights` [R] of genuine rows (label 0) that the head's `logits` take for AI, by up to the factor
    `times`.

    AI and genuine rows have the same total. The sum is 1.
    """
    doubted = weights * np.where(labels == 0, 1 + times / (1 + np.exp(-logits)), 1)
    for label in (0, 1):
        doubted[labels == label] *= 0.5 / doubted[labels == label].sum()
    return doubted


def print_facts(lines: list[dict], rows: np.ndarray) -> None:
    """Prints on which images the run trains."""
    mine = [lines[row] for row in np.flatnonzero(rows)]
    count = lambda name, is_ai: len({line[name] for line in mine if line["is_ai"] == is_ai})
    print(
        f"{count('sha256', True)} AI images of {count('source', True)} repositories and {count('generator', True)} generators, {count('sha256', False)} genuine ones of "
        f"{count('source', False)}; {len({source_of(line['source']) for line in mine})} sources in all",
        flush=True,
    )


def mean_of(heads: list[FoldedHead], shares: list[float] | None = None) -> FoldedHead:
    """Returns a head whose weights are the mean of the weights of `heads`, by `shares` if given.

    Requires heads that were trained only a little, all from the same weights.
    """
    parts = ("first", "first_bias", "second", "second_bias")
    return FoldedHead(
        heads[0].columns,
        *(
            np.average([getattr(head, part) for head in heads], axis=0, weights=shares).astype(np.float32)
            for part in parts
        ),
    )


def main() -> None:
    parser = command_parser(__doc__, "encoder", "out", "features+")
    parser.add_argument("--steps", type=int, default=SETTINGS.steps)
    parser.add_argument("--rate", type=float, default=SETTINGS.rate)
    parser.add_argument("--doubted", type=float, default=DOUBTED)
    parser.add_argument("--seeds", type=int, default=1, help="runs, whose weights are averaged")
    parser.add_argument("--share", type=float, default=1.0, help="of the sources, for learning curves")
    parser.add_argument("--draw", type=int, default=1, help="selects the sources of --share and the first seed")
    parser.add_argument("--alpha", type=float, default=1.0, help="share of the trained heads in the mean")
    args = parser.parse_args()
    lines, values = zip(*(read_features(folder) for folder in args.features))
    lines, values, splits, start = sum(lines, []), np.concatenate(values), Split(), packaged_heads(args.encoder)
    sources = sorted({source_of(line["source"]) for line in lines})
    kept = set(np.random.default_rng(args.draw).permutation(sources)[: round(args.share * len(sources))])
    in_training = np.array(
        [splits.holds("train", line["source"], line["sha256"]) and source_of(line["source"]) in kept for line in lines]
    )
    print_facts(lines, in_training)
    settings = replace(SETTINGS, steps=args.steps, rate=args.rate)
    heads = []
    for column, crops in CROPS_OF.items():
        rows = np.flatnonzero(in_training & [line["crop"] in crops for line in lines])
        labels = np.array([lines[row]["is_ai"] for row in rows]).astype(int)
        logits = logits_of(start[column], values[rows])[:, 0]
        print(
            f"{column}: {len(rows)} crops, {np.mean(logits[labels == 0] > 0):.3f} of the genuine ones taken for AI before",
            flush=True,
        )
        weights = doubt_weights(
            draw_weights([SimpleNamespace(**lines[row]) for row in rows]), labels, logits, args.doubted
        )
        seeds = range(args.draw, args.draw + args.seeds)
        trained = mean_of([tune_head(start[column], values[rows], labels, weights, settings, seed) for seed in seeds])
        heads.append(mean_of([start[column], trained], [1 - args.alpha, args.alpha]))
    save_heads(args.out, heads)


if __name__ == "__main__":
    main()
