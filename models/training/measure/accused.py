"""Which genuine pictures with a face a profile's face threshold accuses, by kind of picture, and which swaps it finds, with intervals over owners. Tables in Markdown.

    python -m measure.accused --faces face_specialist/run/test_scores.csv --bands ../bands.json [--profile balanced] [--found-only --part validation]
    python -m measure.accused --faces PEOPLE [PEOPLE ...] --bands ../bands.json --without face_specialist/run/validation_scores.csv

Pictures that photographers take of people (`measure.promise`, PEOPLE) are told by their kind, all others together; those with three faces and more where the score file counts faces.
The interval is that of drawings of owners with replacement, from 2.5 to 97.5%; of a kind of which nothing is accused it ends at 3 in its number of pictures, what 95% of such kinds stay
under if pictures were independent; likewise of one of which all is. `--found-only` leaves the pictures of `data/found.csv`, which a hunt found, `--part` those of one part of the split; `--without` leaves out the owners in other score files, such as those that set the threshold.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from data.degrade import TIERS
from data.mix import owner_of
from data.split import FOUND_FILE, Split, read_csv
from measure.metrics import rate_up
from measure.promise import PEOPLE, is_swap
from measure.score_file import Scores, read_all, read_scores

ROUNDS = 1000
LEAST_GROUP = 3
"""Faces of a picture that is told as one of several."""


def interval(fires: np.ndarray, owners: np.ndarray, seed: int = 1) -> tuple[float, float]:
    """The 95% interval of the share of rows that fire, when owners are drawn with replacement; where none or all of them do, to 3 in the number of rows from there."""
    beyond = min(1.0, 3 / len(fires))
    if not fires.any():
        return 0.0, beyond
    if fires.all():
        return 1 - beyond, 1.0
    rng, names = np.random.default_rng(seed), np.unique(owners)
    counts = np.array([[fires[owners == name].sum(), (owners == name).sum()] for name in names])
    drawn = counts[rng.integers(0, len(names), (ROUNDS, len(names)))].sum(axis=1)
    low, high = np.percentile(drawn[:, 0] / drawn[:, 1], (2.5, 97.5))
    return float(low), float(high)


def cell(fires: np.ndarray, owners: np.ndarray) -> str:
    """How many of how many fire, with the interval in percent; where they fire and are of one owner there is none."""
    if not len(fires):
        return "none"
    told = f"{fires.sum()} of {len(fires)}"
    if fires.any() and len(np.unique(owners)) == 1:
        return told
    low, high = interval(fires, owners)
    return f"{told}, {100 * low:.1f} to {100 * rate_up(high, 3):.1f}%"


def print_table(title: str, scores: Scores, threshold: float, groups: dict[str, np.ndarray]) -> None:
    """A row a group, bool [rows], with its owners and a cell a tier; groups without a row are left out."""
    owners, fires = np.array([owner_of(source) for source in scores.source]), scores.score >= threshold
    print(f"| {title} | owners | {' | '.join(TIERS)} |\n|---|---|{'---|' * len(TIERS)}")
    for name, mine in groups.items():
        if mine.any():
            cells = [cell(fires[mine & (scores.tier == tier)], owners[mine & (scores.tier == tier)]) for tier in TIERS]
            print(f"| {name} | {len(np.unique(owners[mine]))} | {' | '.join(cells)} |")
    print()


def kinds_of(genuine: Scores, faces: dict[tuple[str, str], int]) -> dict[str, np.ndarray]:
    """Groups of genuine rows, bool [rows]: all, PEOPLE together, by kind, with several `faces`, and the others."""
    kinds = {row["sha256"]: row["kind"] for row in read_csv(FOUND_FILE)}
    kind = np.array([kinds.get(picture, "") for picture in genuine.picture])
    people = np.isin(kind, PEOPLE)
    several = np.array([faces.get(key, 0) >= LEAST_GROUP for key in zip(genuine.picture, genuine.tier, strict=True)], bool)
    return {"all": np.ones(len(kind), bool), "people by photographers": people, **{name: kind == name for name in PEOPLE},
            "three faces and more": several, "of these, people by photographers": several & people, "others": ~people}


def chosen_rows(scores: Scores, found_only: bool, part: str | None) -> np.ndarray:
    """Rows of pictures of FOUND_FILE and of a part of the split, bool [rows]."""
    split, found = Split(), {row["sha256"] for row in read_csv(FOUND_FILE)}
    return np.array([(not found_only or picture in found) and (part is None or split.part_of(source) == part) for picture, source in zip(scores.picture, scores.source, strict=True)], bool)


def of_other_owners(scores: Scores, others: list[Scores]) -> np.ndarray:
    """Rows of owners who are in none of the others, bool [rows]."""
    seen = {owner_of(source) for each in others for source in each.source}
    return np.array([owner_of(source) not in seen for source in scores.source], bool)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faces", type=Path, nargs="+", required=True, help="score files of face_specialist.calibrate")
    parser.add_argument("--bands", type=Path, required=True)
    parser.add_argument("--profile", default="balanced")
    parser.add_argument("--found-only", action="store_true", help="pictures that a hunt found")
    parser.add_argument("--part", choices=("train", "validation", "test"), help="rows of this part of the split alone")
    parser.add_argument("--without", type=Path, nargs="+", default=[], help="score files whose owners are left out")
    arguments = parser.parse_args()
    threshold = json.loads(arguments.bands.read_text())["profiles"][arguments.profile]["face_specialist"]["threshold"]
    scores = read_all(arguments.faces)
    scores = scores.where(chosen_rows(scores, arguments.found_only, arguments.part))
    scores = scores.where(of_other_owners(scores, [read_scores(path) for path in arguments.without]))
    genuine, swaps = scores.where(scores.labels == 0), scores.where(is_swap(scores))
    faces = {(row["picture"], row["tier"]): int(row.get("faces") or 0) for path in arguments.faces for row in read_csv(path)}
    print_table(f"accused by the face at {threshold}", genuine, threshold, kinds_of(genuine, faces))
    print_table(f"swaps found at {threshold}", swaps, threshold,
                {"all": np.ones(len(swaps.score), bool), **{str(method): swaps.generator == method for method in np.unique(swaps.generator)}})


if __name__ == "__main__":
    main()
