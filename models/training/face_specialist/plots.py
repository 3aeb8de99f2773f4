"""Command: plots of the face specialist from its test scores: ROC, scores by source, false alarms by source.

    python -m face_specialist.plots --scores test.csv --threshold 0.9 --out ../face_specialist
"""

import argparse
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  the backend comes first

from data.degrade import TIERS  # noqa: E402
from face_specialist.evaluate import QUESTIONS, alarms, read_rows  # noqa: E402


def roc(fakes: np.ndarray, genuine: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """False-alarm rates and recalls over all thresholds."""
    thresholds = np.unique(np.concatenate((fakes, genuine, (np.inf,))))[::-1]
    count = lambda scores: 1 - np.searchsorted(np.sort(scores), thresholds, "left") / len(scores)
    return count(genuine), count(fakes)


def plot_roc(rows: list[dict[str, str]], out: Path) -> None:
    """One panel a question, one line a tier."""
    questions = list(QUESTIONS.items())[:2]
    figure, panels = pyplot.subplots(1, 2, figsize=(8, 3.8), layout="constrained")
    for panel, (question, (is_fake, is_genuine)) in zip(panels, questions, strict=True):
        for tier in TIERS:
            part = [row for row in rows if row["tier"] == tier]
            scores = [np.array([float(row["score"]) for row in part if chosen(row)]) for chosen in (is_fake, is_genuine)]
            if all(len(group) for group in scores):
                panel.plot(*roc(*scores), label=tier)
        panel.plot((0, 1), (0, 1), color="0.8", linewidth=0.8)
        panel.set(title=question, xlabel="false-alarm rate", ylabel="recall")
        panel.legend()
    figure.savefig(out / "roc.svg")
    pyplot.close(figure)


def plot_scores(rows: list[dict[str, str]], out: Path) -> None:
    """A histogram of clean scores for each (source, kind) with at least ten pictures."""
    groups: dict[str, list[float]] = {}
    for row in rows:
        if row["tier"] == "clean":
            name = f"{row['label']}: {row['source'].split('/')[1]}\n{row['kind'].split(' ')[0]}"
            groups.setdefault(name, []).append(float(row["score"]))
    groups = {name: scores for name, scores in sorted(groups.items()) if len(scores) >= 10}
    columns = 4
    figure, panels = pyplot.subplots(
        -(-len(groups) // columns), columns, figsize=(10, 1.7 * -(-len(groups) // columns)), layout="constrained"
    )
    for panel, (name, scores) in zip(panels.ravel(), groups.items(), strict=False):
        panel.hist(scores, bins=20, range=(0, 1), color="tab:red" if name.startswith("ai") else "tab:blue")
        panel.set_title(f"{name} ({len(scores)})", fontsize=7)
        panel.tick_params(labelsize=6)
    for panel in panels.ravel()[len(groups) :]:
        panel.axis("off")
    figure.savefig(out / "scores.svg")
    pyplot.close(figure)


def plot_alarms(rows: list[dict[str, str]], threshold: float, out: Path) -> None:
    """Share of genuine pictures of each source that fire, by tier."""
    genuine = [row for row in rows if row["label"] == "real"]
    rates = {tier: alarms([row for row in genuine if row["tier"] == tier], threshold) for tier in TIERS}
    names = [name for name, (_, count) in rates["clean"].items() if count >= 5]
    figure, panel = pyplot.subplots(figsize=(8, 0.5 + 0.45 * len(names)), layout="constrained")
    for index, tier in enumerate(TIERS):
        values = [rates[tier].get(name, (0, 0))[0] for name in names]
        panel.barh(np.arange(len(names)) + 0.27 * (1 - index), values, 0.25, label=tier)
    labels = [f"{name.removeprefix('real ')[:48]} ({rates['clean'][name][1]})" for name in names]
    panel.set_yticks(range(len(names)), labels, fontsize=7)
    panel.set_xlabel(f"share of genuine pictures that reach {threshold:.3f}")
    panel.legend()
    figure.savefig(out / "false_alarms.svg")
    pyplot.close(figure)


def main() -> None:
    """Read the arguments and write three SVG files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scores", type=Path, nargs="+", required=True)
    parser.add_argument("--threshold", type=float, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    rows = [row for path in arguments.scores for row in read_rows(path)]
    matplotlib.rcParams["svg.fonttype"] = "none"
    plot_roc(rows, arguments.out)
    plot_scores(rows, arguments.out)
    plot_alarms(rows, arguments.threshold, arguments.out)


if __name__ == "__main__":
    main()
