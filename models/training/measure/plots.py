"""Draws the ROC curves of a score file by degradation level as a compact SVG.

python -m measure.plots --scores full_image/run/test_scores.csv --out ../full_image_specialist/plots/roc.svg
"""

from pathlib import Path

import matplotlib

from export.command import command_parser

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402  the backend comes first
import numpy as np  # noqa: E402

from data.degrade import LEVELS  # noqa: E402
from measure.metrics import auc  # noqa: E402
from measure.score_file import Scores, read_scores  # noqa: E402

plt.rcParams.update(
    {
        "font.size": 8,
        "svg.fonttype": "none",
        "svg.hashsalt": "telltale",
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
)


def draw_roc(scores: Scores, path: Path) -> None:
    """Draws ROC curves with a logarithmic FPR axis, because the product works at low FPR.

    The file contains no date, so that equal scores give an equal file.
    """
    figure, axes = plt.subplots(figsize=(4, 3))
    for level in LEVELS:
        rows = scores.where(scores.level == level)
        thresholds = np.unique(np.quantile(rows.score, np.linspace(0, 1, 200)))
        fpr = [(rows.score[rows.labels == 0] >= t).mean() for t in thresholds]
        tpr = [(rows.score[rows.labels == 1] >= t).mean() for t in thresholds]
        axes.plot(fpr, tpr, label=f"{level}, AUC {auc(rows.labels, rows.score):.3f}")
    axes.set(xscale="log", xlim=(1e-3, 1), ylim=(0, 1), xlabel="false-positive rate", ylabel="recall")
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def main() -> None:
    args = command_parser(__doc__, "scores", "out").parse_args()
    draw_roc(read_scores(args.scores), args.out)


if __name__ == "__main__":
    main()
