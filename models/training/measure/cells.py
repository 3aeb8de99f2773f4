"""Rows and cells of accuracy tables in Markdown: shares and measures with 95% intervals over sources.

Intervals come from drawing sources with replacement. If none or all of n images are flagged, the interval extends to
3 / n from there, which is the 95% limit for independent images.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from data.degrade import LEVEL_NAMES, LEVELS
from data.mix import source_of
from measure.domain_thresholds import Classified
from measure.metrics import rate_up, recall_at, source_bootstrap
from measure.score_file import Scores

MIN_SOURCES = 3
"""Minimum number of sources of a rate that has an interval. With fewer, sources can't be drawn in different ways."""
RESAMPLES = 1000
HEADER = f"| {{}} | n | sources | {' | '.join(LEVEL_NAMES.values())} |\n|---|---|---|{'---|' * len(LEVEL_NAMES)}"


def sources_of(rows: Scores) -> np.ndarray:
    """Returns the source of each row: the owner of its repository."""
    return np.array([source_of(repository) for repository in rows.source])


def rate_interval(fires: np.ndarray, sources: np.ndarray) -> tuple[float, float]:
    """Computes the 95% interval of the flagged share by drawing sources with replacement.

    If none or all images are flagged, it extends 3 / n from there.
    """
    beyond = min(1.0, 3 / len(fires))
    if not fires.any():
        return 0.0, beyond
    if fires.all():
        return 1 - beyond, 1.0
    names, number = np.unique(sources, return_inverse=True)
    counts = np.stack((np.bincount(number, fires), np.bincount(number)), axis=1)
    sampled = counts[np.random.default_rng(1).integers(0, len(names), (RESAMPLES, len(names)))].sum(axis=1)
    low, high = np.percentile(sampled[:, 0] / sampled[:, 1], (2.5, 97.5))
    return float(low), float(high)


def rate_cell(fires: np.ndarray, sources: np.ndarray, false: bool) -> str:
    """Formats recall with two decimals, or FPR in percent, rounded up. With MIN_SOURCES, adds the interval."""
    if not len(fires):
        return "-"
    low, high = (None, None) if len(np.unique(sources)) < MIN_SOURCES else rate_interval(fires, sources)
    if false:
        text = f"{100 * rate_up(float(fires.mean()), 3):.1f}%"
        return text if low is None else f"{text} ({100 * low:.1f} to {100 * rate_up(high, 3):.1f}%)"
    return f"{fires.mean():.2f}" if low is None else f"{fires.mean():.2f} ({low:.2f} to {high:.2f})"


def measure_cell(rows: Scores, measure: Callable[[np.ndarray], float]) -> str:
    """Formats a measure of the chosen rows, int [n], with its interval. A source that is drawn twice counts twice."""
    low, high = source_bootstrap(rows.labels, sources_of(rows), measure)
    return f"{measure(np.arange(len(rows.labels))):.3f} ({low:.3f} to {high:.3f})"


def percent(share: float) -> str:
    """Formats a share in percent with one decimal."""
    return f"{100 * share:.1f}%"


def at_one_percent(labels: np.ndarray, scores: np.ndarray) -> float:
    """Computes the recall at an FPR of 1% on the same images."""
    return recall_at(labels, scores, 0.01)


@dataclass(frozen=True)
class Table:
    """Makes table rows from one set of images."""

    rows: Classified

    def row(self, name: str, mine: np.ndarray, false: bool) -> str:
        """Makes a row: the number of images and sources at level none, and the flagged share at each level."""
        chosen = self.rows.where(mine)
        sources = sources_of(chosen)
        cells = [
            rate_cell(chosen.fires[chosen.level == level], sources[chosen.level == level], false) for level in LEVELS
        ]
        return f"| {name} | {(chosen.level == 'clean').sum():,} | {len(np.unique(sources))} | {' | '.join(cells)} |"

    def groups(self, names: np.ndarray, label: int, least: int = 1, last: str | None = None) -> Iterator[str]:
        """Yields a row for each of `names`, str [rows], the largest group first, then the row `last` if given.

        Groups with less than `least` images are only named below the table.
        """
        mine = (self.rows.labels == label) & (self.rows.level == "clean")
        count = dict(zip(*(each.tolist() for each in np.unique(names[mine], return_counts=True)), strict=True))
        ordered = sorted(count, key=lambda name: (-count[name], name))
        for name in ordered:
            if count[name] >= least:
                yield self.row(name, (names == name) & (self.rows.labels == label), label == 0)
        if last is not None:
            yield last
        if omitted := [f"{name} {count[name]}" for name in ordered if count[name] < least]:
            yield from ("", f"Without a row, because they have fewer than {least} images: {', '.join(omitted)}.")

    def ranking(self, name: str, measure: Callable[[np.ndarray, np.ndarray], float]) -> str:
        """Makes a row of a measure that needs labels and scores, but no threshold."""
        cells = []
        for level in LEVELS:
            mine = self.rows.where(self.rows.level == level)
            if not len(mine.labels):
                cells.append("-")
                continue
            cells.append(measure_cell(mine, lambda index, mine=mine: measure(mine.labels[index], mine.score[index])))
        return f"| {name} | {(self.rows.level == 'clean').sum():,} | {len(np.unique(sources_of(self.rows)))} | {' | '.join(cells)} |"
