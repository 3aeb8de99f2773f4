"""Which genuine pictures with a face a profile's face threshold accuses, by kind of picture, with intervals over owners. A table in Markdown.

    python -m measure.accused --faces face_specialist/run/test_scores.csv --bands ../bands.json [--profile balanced]

Pictures that photographers take of people (`measure.promise`, PEOPLE) are told by their kind, all others together. The interval is that of drawings of owners with replacement; of a kind
of which nothing is accused it ends at 3 in its number of pictures, what 95% of such kinds stay under if pictures were independent.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from data.degrade import TIERS
from data.mix import owner_of
from data.split import FOUND_FILE, read_csv
from measure.metrics import rate_up
from measure.promise import PEOPLE
from measure.score_file import read_scores

ROUNDS = 1000


def upper_end(fires: np.ndarray, owners: np.ndarray, seed: int = 1) -> float:
    """The upper end of the 95% interval of the share of rows that fire, when owners are drawn with replacement; 3 in the number of rows where none fires."""
    if not fires.any():
        return min(1.0, 3 / len(fires))
    rng, names = np.random.default_rng(seed), np.unique(owners)
    counts = np.array([[fires[owners == name].sum(), (owners == name).sum()] for name in names])
    drawn = counts[rng.integers(0, len(names), (ROUNDS, len(names)))].sum(axis=1)
    return float(np.percentile(drawn[:, 0] / drawn[:, 1], 97.5))


def cell(fires: np.ndarray, owners: np.ndarray) -> str:
    """How many of how many are accused, and the upper end in percent."""
    return f"{fires.sum()} of {len(fires)}, up to {100 * rate_up(upper_end(fires, owners), 3):.1f}%" if len(fires) else "none"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faces", type=Path, required=True)
    parser.add_argument("--bands", type=Path, required=True)
    parser.add_argument("--profile", default="balanced")
    arguments = parser.parse_args()
    threshold = json.loads(arguments.bands.read_text())["profiles"][arguments.profile]["face_specialist"]["threshold"]
    scores = read_scores(arguments.faces)
    genuine = scores.where(scores.labels == 0)
    kinds = {row["sha256"]: row["kind"] for row in read_csv(FOUND_FILE)}
    of_people = np.array([kinds.get(picture, "") if kinds.get(picture, "") in PEOPLE else "others" for picture in genuine.picture])
    owners = np.array([owner_of(source) for source in genuine.source])
    groups = {"all": np.ones(len(owners), bool), "people by photographers": of_people != "others", **{kind: of_people == kind for kind in (*PEOPLE, "others")}}
    print(f"| accused by the face at {threshold} | owners | {' | '.join(TIERS)} |\n|---|---|{'---|' * len(TIERS)}")
    for name, mine in groups.items():
        if mine.any():
            cells = [cell((genuine.score >= threshold)[mine & (genuine.tier == tier)], owners[mine & (genuine.tier == tier)]) for tier in TIERS]
            print(f"| {name} | {len(np.unique(owners[mine]))} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
