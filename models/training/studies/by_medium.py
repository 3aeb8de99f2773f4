"""AUC and recall at 1% of score files by medium and tier, for learning curves: a row a name, in Markdown.

    python -m studies.by_medium telltale-2.10.0=SCORES.csv half=DRAW_1.csv,DRAW_2.csv,DRAW_3.csv

Of several files of one name (other draws of owners, other seeds) it prints the mean and the deviation. The scores are those of `full_image.plans score`.
"""

import argparse
from pathlib import Path

import numpy as np

from data.degrade import TIERS
from measure.medium_thresholds import MEDIUMS, is_drawn
from measure.metrics import auc, recall_at
from measure.score_file import read_scores

RATE = 0.01


def numbers_of(path: Path) -> np.ndarray:
    """[medium, AUC and recall, tier] of a score file."""
    scores = read_scores(path)
    found = np.zeros((len(MEDIUMS), 2, len(TIERS)))
    for row, medium in enumerate(MEDIUMS):
        for column, tier in enumerate(TIERS):
            mine = scores.where((scores.tier == tier) & (is_drawn(scores.drawn) == (medium == "drawn")))
            found[row, :, column] = auc(mine.labels, mine.score), recall_at(mine.labels, mine.score, RATE)
    return found


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="+", metavar="NAME=CSV[,CSV ...]")
    print("| " + " | ".join(["", *(f"{medium}: {name}" for medium in MEDIUMS for name in ("AUC", "recall at 1%"))]) + " |\n" + "|---" * (1 + 2 * len(MEDIUMS)) + "|")
    for row in parser.parse_args().rows:
        name, _, paths = row.partition("=")
        every = np.stack([numbers_of(Path(path)) for path in paths.split(",")])
        mean, deviation = every.mean(axis=0), every.std(axis=0)
        told = lambda at: f"{mean[at]:.3f}" + (f" ± {deviation[at]:.3f}" if len(every) > 1 else "")
        cells = [" / ".join(told((medium, number, tier)) for tier in range(len(TIERS))) for medium in range(len(MEDIUMS)) for number in range(2)]
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
