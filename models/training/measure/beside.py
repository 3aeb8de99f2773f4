"""Compares two versions on the same images: AUC, recall at 1% FPR and balanced verdict, by level, with intervals.

    python -m measure.beside --before BEFORE.csv FACES.csv ../bands.json --after AFTER.csv FACES.csv NEW/bands.json
        [--earlier validation_scores.csv]

Each version has score files of full images and of faces, and its thresholds. Only images that both versions have count.
`--earlier` names an earlier score file: its images (old sources) and all others (new sources) are reported separately.
A difference is the mean over levels. Its 95% interval draws sources with replacement, the same sources for both
versions.
"""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from data.degrade import LEVELS
from data.mix import source_of
from export.command import command_parser
from measure.domain_thresholds import Classified, apply_thresholds, either
from measure.metrics import auc, recall_at
from measure.score_file import read_scores

RATE = 0.01
RESAMPLES = 300
Measure = Callable[[Classified], float]


def found(rows: Classified) -> float:
    """Computes the share of AI images that are flagged."""
    return float(rows.fires[rows.labels == 1].mean()) if (rows.labels == 1).any() else float("nan")


def flagged(rows: Classified) -> float:
    """Computes the share of genuine images that are flagged. All images have equal weight."""
    return float(rows.fires[rows.labels == 0].mean()) if (rows.labels == 0).any() else float("nan")


MEASURES: dict[str, Measure] = {
    "AUC": lambda rows: auc(rows.labels, rows.score),
    "recall at 1%": lambda rows: recall_at(rows.labels, rows.score, RATE),
    "verdict detects": found,
    "verdict flags": flagged,
}


def read_version(whole: Path, faces: Path, bands: Path, profile: str) -> Classified:
    """Reads the full images of a version. A row is flagged if either detector flags it."""
    band = json.loads(bands.read_text())["profiles"][profile]
    return either(
        apply_thresholds(read_scores(whole), band["full_image_specialist"]),
        apply_thresholds(read_scores(faces), band["face_specialist"]),
    )


def same_rows(first: Classified, second: Classified) -> tuple[Classified, Classified]:
    """Selects the rows that both versions have, in the same order."""
    places = [{key: row for row, key in enumerate(zip(each.image, each.level))} for each in (first, second)]
    keys = [key for key in places[0] if key in places[1]]
    return first.where(np.array([places[0][key] for key in keys])), second.where(
        np.array([places[1][key] for key in keys])
    )


def by_level(rows: Classified, measure: Measure) -> list[float]:
    """Computes a measure at each degradation level."""
    return [measure(rows.where(rows.level == level)) for level in LEVELS]


def interval(first: Classified, second: Classified, measure: Measure) -> tuple[float, float, float]:
    """Computes the mean difference over levels with its 95% interval over sources."""
    rng, sources = np.random.default_rng(1), np.array([source_of(repository) for repository in first.source])
    members = [np.flatnonzero(sources == source) for source in np.unique(sources)]
    difference = lambda rows: float(
        np.nanmean(by_level(second.where(rows), measure)) - np.nanmean(by_level(first.where(rows), measure))
    )
    sampled = [
        difference(np.concatenate([members[at] for at in rng.integers(0, len(members), len(members))]))
        for _ in range(RESAMPLES)
    ]
    return (difference(np.arange(len(sources))), *(float(np.nanpercentile(sampled, share)) for share in (2.5, 97.5)))


def main() -> None:
    parser = command_parser(__doc__)
    for name in ("before", "after"):
        parser.add_argument(f"--{name}", type=Path, nargs=3, required=True, metavar=("WHOLE", "FACES", "BANDS"))
    parser.add_argument("--earlier", type=Path)
    parser.add_argument("--profile", default="balanced")
    args = parser.parse_args()
    first, second = same_rows(*(read_version(*version, args.profile) for version in (args.before, args.after)))
    groups = {"all": np.ones(len(first.labels), bool)}
    if args.earlier:
        there = np.isin(first.image, read_scores(args.earlier).image)
        groups |= {"old sources": there, "new sources": ~there}
    print(f"| | {' / '.join(LEVELS)}: before | after | mean difference (95% over sources) |\n|---|---|---|---|")
    for group, mine in groups.items():
        rows = [version.where(mine) for version in (first, second)]
        images = [len(np.unique(rows[0].image[rows[0].labels == label])) for label in (1, 0)]
        for name, measure in MEASURES.items():
            cells = [" / ".join(f"{value:.3f}" for value in by_level(version, measure)) for version in rows]
            print(
                f"| {group} ({images[0]} AI, {images[1]} genuine): {name} | {' | '.join(cells)} | {{:+.3f}} ({{:+.3f}} to {{:+.3f}}) |".format(
                    *interval(*rows, measure)
                )
            )


if __name__ == "__main__":
    main()
