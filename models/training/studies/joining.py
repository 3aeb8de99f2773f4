"""Genuine pictures of several people, accused by rules that join their faces: a table in Markdown.

    python -m studies.joining --features PEOPLE [PEOPLE ...] --heads ../encoder --manifest ../face_specialist/manifest.json --bands ../bands.json

PEOPLE are what `face_specialist.features pictures` wrote of genuine pictures. Rows are rules and numbers of faces, cells those accused at a profile's
threshold, of how many, with intervals over owners as `measure.accused` has them.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from data.degrade import TIERS
from data.mix import owner_of
from face_specialist.face_scores import ScoredPicture, join_faces, read_faces, scores_of
from measure.accused import cell

COUNTS = {"1 face": (1, 1), "2 faces": (2, 2), "3 to 5 faces": (3, 5), "6 faces and more": (6, 99), "3 faces and more": (3, 99)}
RULES = {"as it ships": {}, "without contrast": {"contrast": 0.0}, "the highest face alone": {"contrast": 0.0, "sharing": 0.0}}
"""What each rule changes of the manifest's `joining`."""


def by_count(pictures: list[ScoredPicture], threshold: float) -> list[str]:
    """A line for each of COUNTS: its cell in each tier, and how many owners are behind it."""
    faces, tiers = np.array([picture.faces for picture in pictures]), np.array([picture.line["tier"] for picture in pictures])
    fires = np.array([picture.score >= threshold for picture in pictures])
    owners = np.array([owner_of(picture.line["source"]) for picture in pictures])
    lines = []
    for name, (least, most) in COUNTS.items():
        mine = (faces >= least) & (faces <= most)
        cells = [cell(fires[mine & (tiers == tier)], owners[mine & (tiers == tier)]) for tier in TIERS]
        lines.append(f"{name} | {len(np.unique(owners[mine]))} | {' | '.join(cells)}")
    return lines


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--features", type=Path, nargs="+", required=True)
    parser.add_argument("--heads", type=Path, nargs="+", required=True)
    for name in ("manifest", "bands"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--profile", default="balanced")
    arguments = parser.parse_args()
    manifest = json.loads(arguments.manifest.read_text())
    threshold = json.loads(arguments.bands.read_text())["profiles"][arguments.profile]["face_specialist"]["threshold"]
    read = [face for folder in arguments.features for face in read_faces(folder, arguments.heads)]
    faces = [face for face in read if face.line["label"] == "genuine"]
    print(f"| rule | faces | owners | {' | '.join(TIERS)} |\n|---|---|---|{'---|' * len(TIERS)}")
    for name, change in RULES.items():
        joined = join_faces(faces, scores_of(faces, manifest | {"joining": manifest["joining"] | change}))
        for line in by_count(joined, threshold):
            print(f"| {name} | {line} |")


if __name__ == "__main__":
    main()
