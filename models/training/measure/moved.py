"""How far the scores of the same network moved from one kind of processor to another: a row in Markdown.

    python -m measure.moved full_image/run/test_scores.csv OTHER.csv

Both are score files. OTHER was made with the same encoder and manifest on the other processor, of as many of the pictures as are at hand; a row is a
picture and tier that both have. Tells quantiles and the farthest of scores and of log odds. What moves is rounding: `encoder.steadiness` has its cause.
"""

import argparse
from pathlib import Path

import numpy as np

from measure.score_file import Scores, read_scores

QUANTILES = (0.5, 0.9, 0.99, 1.0)
LEAST = 1e-6
"""Scores are written with six decimals: log odds beyond these say nothing."""


def log_odds(scores: np.ndarray) -> np.ndarray:
    """Of scores 0..1, kept where six decimals can tell them."""
    kept = np.clip(scores, LEAST, 1 - LEAST)
    return np.log(kept / (1 - kept))


def moves(before: Scores, now: Scores) -> tuple[np.ndarray, np.ndarray]:
    """By how much scores, and log odds, of rows of both differ. Raises ValueError where they share none."""
    scored = dict(zip(zip(before.picture, before.tier, strict=True), before.score, strict=True))
    keys = list(zip(now.picture, now.tier, strict=True))
    shared = [at for at, key in enumerate(keys) if key in scored]
    if not shared:
        raise ValueError("the two files share no picture")
    then, later = np.array([scored[keys[at]] for at in shared]), now.score[shared]
    return np.abs(later - then), np.abs(log_odds(later) - log_odds(then))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("now", type=Path)
    arguments = parser.parse_args()
    now = read_scores(arguments.now)
    by_score, by_odds = moves(read_scores(arguments.before), now)
    print("| | rows | " + " | ".join(f"{share:.0%}" if share < 1 else "all" for share in QUANTILES) + " |\n|---|---|" + "---|" * len(QUANTILES))
    for name, moved in (("score", by_score), ("log odds", by_odds)):
        print(f"| {name} moved by at most | {len(moved)} | " + " | ".join(f"{np.quantile(moved, share):.4f}" for share in QUANTILES) + " |")


if __name__ == "__main__":
    main()
