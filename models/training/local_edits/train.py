"""Trains the token head on stored tokens: which parts of a view a generator made.

    python -m local_edits.train --tokens TRAIN [TRAIN ...] --out head.npz [--seeds 2]
"""

import argparse
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from encoder.export import TOKEN_COLUMN
from encoder.heads import HeadSettings, cell_weights, join_heads, save_heads, train_head
from local_edits.tokens import read_tokens

SHARES = {0: {"genuine": 0.4, "collage": 0.25, "edited": 0.35}, 1: {"generated": 0.35, "edited": 0.65}}
"""Of the tokens drawn of each answer: those of pictures as they are, of collages, and of the rest and the parts of edited pictures."""


def sort_of(way: str) -> str:
    """What a picture's tokens count as in SHARES."""
    return way if way in ("genuine", "collage", "generated") else "edited"


def token_weights(lines: list[dict], answers: np.ndarray) -> np.ndarray:
    """How often each token is drawn, float64 [R] of sum 1: SHARES of each answer, and within a sort by cells of source, generator and way."""
    cells = [(line["source"], line["generator"], line["way"]) for line in lines]
    weights, sorts = cell_weights(cells, answers), np.array([sort_of(line["way"]) for line in lines])
    for answer, shares in SHARES.items():
        for sort, share in shares.items():
            mine = (answers == answer) & (sorts == sort)
            if mine.any():
                weights[mine] *= share / weights[mine].sum()
    return weights / weights.sum()


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--seeds", type=int, default=2, help="heads that are averaged into one")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    lines, answers, values = read_tokens(arguments.tokens)
    print(f"{len({line['sha256'] for line in lines})} pictures", dict(Counter(line["way"] for line in lines)), flush=True)
    weights, settings = token_weights(lines, answers), replace(HeadSettings(), steps=arguments.steps)
    save_heads(arguments.out, [join_heads([train_head(values, answers, weights, TOKEN_COLUMN, settings, seed)
                                           for seed in range(1, arguments.seeds + 1)])])


if __name__ == "__main__":
    main()
