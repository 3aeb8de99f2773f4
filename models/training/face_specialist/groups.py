"""Command: genuine pictures of two to five people in which one face is changed, by the methods of `face_specialist.unseen`.

    python -m face_specialist.groups --part test --finder ../face_detector --landmarks MODEL --pictures PICTURES
        --sources CSV --faces FACES --faces-csv CSV --out GROUPS

Writes PNG files and `PART.csv`: of each picture up to three faces, each in turn changed by each method, the others left as they are. Who takes a face's
place comes from another picture.
"""

import argparse
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from data.degrade import TIERS
from face_detector.find import FaceFinder
from face_specialist.align import SMALLEST_FACE_PX
from face_specialist.landmarks import LandmarkFinder
from face_specialist.roster import GREY, from_faces, from_sources
from face_specialist.unseen import LONGEST_PX, SMALLEST_PX, MadeFolder, Person, make_fake, people_in

MADE_GROUP = "made-group"
"""Kind of these pictures."""
FEWEST, MOST = 2, 5
METHODS = ("triangle-swap", "triangle-reenactment")
MOST_GROUPS = 80
"""Pictures of a part, the first by hash; who lends a face comes from what was looked at until then."""
MOST_OF_A_PICTURE = 3
"""Faces that are changed, each in a copy of its own."""


def longest_px(person: Person) -> int:
    """Longest side of the picture that a person is in, as fakes are made of it."""
    return min(LONGEST_PX, max(person.owner.picture.width, person.owner.picture.height))


def targets(people: list[Person]) -> list[Person]:
    """Whom to change: those whose face is still judged once the hard tier has shrunk the picture; where there is none, once the web's has; else anyone."""
    for longest in (TIERS["hard"][0], TIERS["web"][0]):
        chosen = [person for person in people if person.side_px * min(1.0, longest / longest_px(person)) >= SMALLEST_FACE_PX]
        if chosen:
            return chosen[:MOST_OF_A_PICTURE]
    return people[:MOST_OF_A_PICTURE]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("finder", "landmarks", "pictures", "sources", "faces", "faces-csv", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--part", choices=("validation", "test"), required=True)
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    finder, landmarks, random = FaceFinder(arguments.finder), LandmarkFinder(arguments.landmarks), np.random.default_rng(29)
    roster = [*from_sources(arguments.pictures, arguments.sources), *from_faces(arguments.faces, arguments.faces_csv)]
    photographs = [owner for owner in roster if owner.part == arguments.part and owner.is_photograph and owner.picture.source != GREY]
    found, groups = [], []
    for owner in tqdm(photographs, unit="picture", mininterval=20):
        found.append(people_in(owner, finder, landmarks, SMALLEST_FACE_PX))
        if FEWEST <= len(found[-1]) <= MOST:
            groups.append(found[-1])
        if len(groups) == MOST_GROUPS:
            break
    # As in `unseen`: who lends a face fills most of a picture.
    others = [people[0] for people in found if people and people[0].side_px >= SMALLEST_PX]
    folder, made = MadeFolder(arguments.out, arguments.part), 0
    for people in groups:
        for method in METHODS:
            for face, person in enumerate(targets(people)):
                pixels = make_fake(method, person, others, random)
                if pixels is not None:
                    folder.add(pixels, method, person.owner, face)
                    made += 1
    folder.close()
    print(f"{made} made of {len(groups)} pictures of {FEWEST} to {MOST} people")


if __name__ == "__main__":
    main()
