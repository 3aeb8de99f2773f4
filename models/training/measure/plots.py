"""Plots of score files as compact SVG: ROC by tier, false-alarm rate by kind of picture.

    python -m measure.plots --scores TEST.csv --bands ../bands.json --detector full_image_specialist --out FOLDER
"""
import argparse
import json
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402  the backend comes first
import numpy as np  # noqa: E402

from measure.medium_thresholds import Classified, apply_thresholds  # noqa: E402
from measure.metrics import auc  # noqa: E402
from measure.score_file import Scores, read_scores  # noqa: E402

plt.rcParams.update({"font.size": 8, "svg.fonttype": "none", "svg.hashsalt": "telltale", "axes.spines.top": False,
                     "axes.spines.right": False})
TIERS = ("clean", "web", "hard")


def save(figure, path: Path) -> None:
    """Writes an SVG without a date, so that the same scores give the same file."""
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def draw_roc(scores: Scores, path: Path) -> None:
    """ROC of each tier, false-positive rate on a log axis: the left end is where the product works."""
    figure, axes = plt.subplots(figsize=(4, 3))
    for tier in TIERS:
        rows = scores.where(scores.tier == tier)
        thresholds = np.unique(np.quantile(rows.score, np.linspace(0, 1, 200)))
        fpr = [(rows.score[rows.labels == 0] >= t).mean() for t in thresholds]
        tpr = [(rows.score[rows.labels == 1] >= t).mean() for t in thresholds]
        axes.plot(fpr, tpr, label=f"{tier}, AUC {auc(rows.labels, rows.score):.3f}")
    axes.set(xscale="log", xlim=(1e-3, 1), ylim=(0, 1), xlabel="false-positive rate", ylabel="recall")
    axes.legend(frameon=False)
    save(figure, path)


def draw_false_alarms(scores: Classified, path: Path) -> None:
    """False-alarm rate of each kind of genuine picture, by tier."""
    genuine = scores.where(scores.labels == 0)
    kinds = sorted(set(genuine.kind))
    figure, axes = plt.subplots(figsize=(5, 0.34 * len(kinds) + 0.9))
    for index, tier in enumerate(TIERS):
        rates = [100 * genuine.fires[(genuine.kind == kind) & (genuine.tier == tier)].mean() for kind in kinds]
        axes.barh(np.arange(len(kinds)) + (index - 1) * 0.26, rates, 0.24, label=tier)
    axes.set(yticks=np.arange(len(kinds)), yticklabels=kinds, xlabel="false alarms, %")
    axes.legend(frameon=False)
    save(figure, path)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scores", type=Path, required=True)
    parser.add_argument("--bands", type=Path, required=True, help="of which the balanced profile is taken")
    parser.add_argument("--detector", required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    scores = read_scores(arguments.scores)
    draw_roc(scores, arguments.out / "roc.svg")
    balanced = json.loads(arguments.bands.read_text())["profiles"]["balanced"][arguments.detector]
    draw_false_alarms(apply_thresholds(scores, balanced), arguments.out / "false-alarms-by-kind.svg")


if __name__ == "__main__":
    main()
