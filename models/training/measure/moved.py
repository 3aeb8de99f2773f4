"""Measures how much scores differ between two kinds of processor, and prints a table row in Markdown.

    python -m measure.moved full_image/run/test_scores.csv OTHER.csv [--threshold 0.903]

Both arguments are score files. OTHER was made on the other processor with the same encoder and manifest, for any part
of the images. A row is used if both files have its image and level. The command prints quantiles and maxima of the
differences of scores and of log odds, and the number of rows that cross a threshold. Rounding causes these differences.
"""

from pathlib import Path

import numpy as np

from export.command import command_parser
from measure.score_file import Scores, read_scores

QUANTILES = (0.5, 0.9, 0.99, 1.0)
MIN_SHARE = 1e-6
"""Smallest share that is used. Scores have six decimals, so log odds of smaller shares mean nothing."""


def log_odds(scores: np.ndarray) -> np.ndarray:
    """Computes log odds of scores 0..1, limited to what six decimals can express."""
    kept = np.clip(scores, MIN_SHARE, 1 - MIN_SHARE)
    return np.log(kept / (1 - kept))


def pairs(before: Scores, now: Scores) -> tuple[np.ndarray, np.ndarray]:
    """Returns the scores of the rows that both files have. Raises ValueError if they share no row."""
    scored = dict(zip(zip(before.image, before.level, strict=True), before.score, strict=True))
    keys = list(zip(now.image, now.level, strict=True))
    shared = [at for at, key in enumerate(keys) if key in scored]
    if not shared:
        raise ValueError("the two files share no image")
    return np.array([scored[keys[at]] for at in shared]), now.score[shared]


def main() -> None:
    parser = command_parser(__doc__)
    parser.add_argument("before", type=Path)
    parser.add_argument("now", type=Path)
    parser.add_argument("--threshold", type=float)
    args = parser.parse_args()
    then, later = pairs(read_scores(args.before), read_scores(args.now))
    print(
        "| | rows | "
        + " | ".join(f"{share:.0%}" if share < 1 else "all" for share in QUANTILES)
        + " |\n|---|---|"
        + "---|" * len(QUANTILES)
    )
    for name, moved in (("score", np.abs(later - then)), ("log odds", np.abs(log_odds(later) - log_odds(then)))):
        print(
            f"| {name} moved by at most | {len(moved)} | "
            + " | ".join(f"{np.quantile(moved, share):.4f}" for share in QUANTILES)
            + " |"
        )
    if args.threshold is not None:
        crossed = (then >= args.threshold) != (later >= args.threshold)
        print(f"{crossed.sum()} of {len(then)} rows cross {args.threshold}")


if __name__ == "__main__":
    main()
