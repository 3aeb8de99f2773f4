"""Two versions beside each other on the same pictures: AUC, recall at 1% and the balanced verdict by tier, and what lies between them, with intervals over owners.

    python -m measure.beside --before BEFORE.csv FACES.csv ../bands.json --after AFTER.csv FACES.csv NEW/bands.json [--earlier validation_scores.csv]

Of each version the score files of the whole picture and of faces, and its thresholds. Pictures that both have count. With `--earlier`, a score file of before, its pictures (old owners) and all
others (new owners) are told apart. A difference is the mean over the tiers; its 95% interval draws owners with replacement, the same for both versions.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from data.degrade import TIERS
from data.mix import owner_of
from measure.medium_thresholds import Classified, apply_thresholds, either
from measure.metrics import auc, recall_at
from measure.score_file import read_scores

RATE = 0.01
ROUNDS = 300
Measure = Callable[[Classified], float]


def found(rows: Classified) -> float:
    """Share of AI pictures that fire."""
    return float(rows.fires[rows.labels == 1].mean()) if (rows.labels == 1).any() else float("nan")


def accused(rows: Classified) -> float:
    """Share of genuine pictures that fire, each alike."""
    return float(rows.fires[rows.labels == 0].mean()) if (rows.labels == 0).any() else float("nan")


MEASURES: dict[str, Measure] = {"AUC": lambda rows: auc(rows.labels, rows.score), "recall at 1%": lambda rows: recall_at(rows.labels, rows.score, RATE),
                                "verdict finds": found, "verdict accuses": accused}


def read_version(whole: Path, faces: Path, bands: Path, profile: str) -> Classified:
    """The rows of the whole picture, firing where either detector does."""
    band = json.loads(bands.read_text())["profiles"][profile]
    return either(apply_thresholds(read_scores(whole), band["full_image_specialist"]), apply_thresholds(read_scores(faces), band["face_specialist"]))


def same_rows(first: Classified, second: Classified) -> tuple[Classified, Classified]:
    """The rows that both have, in one order."""
    places = [{key: row for row, key in enumerate(zip(rows.picture, rows.tier, strict=True))} for rows in (first, second)]
    keys = [key for key in places[0] if key in places[1]]
    return first.where(np.array([places[0][key] for key in keys])), second.where(np.array([places[1][key] for key in keys]))


def by_tier(rows: Classified, measure: Measure) -> list[float]:
    """A measure of each tier."""
    return [measure(rows.where(rows.tier == tier)) for tier in TIERS]


def interval(first: Classified, second: Classified, measure: Measure) -> tuple[float, float, float]:
    """The mean difference of the tiers, and its 95% interval over owners."""
    rng, owners = np.random.default_rng(1), np.array([owner_of(source) for source in first.source])
    members = [np.flatnonzero(owners == owner) for owner in np.unique(owners)]
    difference = lambda rows: float(np.nanmean(by_tier(second.where(rows), measure)) - np.nanmean(by_tier(first.where(rows), measure)))
    drawn = [difference(np.concatenate([members[at] for at in rng.integers(0, len(members), len(members))])) for _ in range(ROUNDS)]
    return (difference(np.arange(len(owners))), *(float(np.nanpercentile(drawn, share)) for share in (2.5, 97.5)))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("before", "after"):
        parser.add_argument(f"--{name}", type=Path, nargs=3, required=True, metavar=("WHOLE", "FACES", "BANDS"))
    parser.add_argument("--earlier", type=Path)
    parser.add_argument("--profile", default="balanced")
    arguments = parser.parse_args()
    first, second = same_rows(*(read_version(*version, arguments.profile) for version in (arguments.before, arguments.after)))
    groups = {"all": np.ones(len(first.labels), bool)}
    if arguments.earlier:
        there = np.isin(first.picture, read_scores(arguments.earlier).picture)
        groups |= {"old owners": there, "new owners": ~there}
    print(f"| | {' / '.join(TIERS)}: before | after | mean difference (95% over owners) |\n|---|---|---|---|")
    for group, mine in groups.items():
        rows = [version.where(mine) for version in (first, second)]
        pictures = [len(np.unique(rows[0].picture[rows[0].labels == label])) for label in (1, 0)]
        for name, measure in MEASURES.items():
            cells = [" / ".join(f"{value:.3f}" for value in by_tier(version, measure)) for version in rows]
            print(f"| {group} ({pictures[0]} AI, {pictures[1]} genuine): {name} | {' | '.join(cells)} | {{:+.3f}} ({{:+.3f}} to {{:+.3f}}) |".format(*interval(*rows, measure)))


if __name__ == "__main__":
    main()
