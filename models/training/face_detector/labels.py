"""Reads the teacher's labels and says which pictures may train, choose or test."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from data.split import Split, read_csv
from face_detector.boxes import Faces
from face_specialist.roster import REPEATED, place


@dataclass(frozen=True)
class Placement:
    """`part`: train, validation, test or unused; `portrait`: from a collection of single faces (faces.csv)."""

    part: str
    portrait: bool
    repository: str


def part_of_pictures(faces_csv: Path, sources_csv: Path) -> dict[str, Placement]:
    """Placement of every row of both files, by picture name (the first 16 characters of its sha256)."""
    split, placements = Split(), {}
    for row in read_csv(sources_csv):
        part = "unused" if row["repo"] in REPEATED else split.part_of(row["repo"])
        placements[row["sha256"][:16]] = Placement(part, False, row["repo"])
    for row in read_csv(faces_csv):
        placements[row["sha256"][:16]] = Placement(place(row, split)[1], True, row["repo"])
    return placements


SURE_SCORE = 0.7
"""From this teacher score on a find is a face. Chosen by looking: at 0.6 the merged runs still show parts of faces."""
DOUBTFUL_SCORE = 0.3
"""Between this and SURE_SCORE a find counts neither for nor against; below it there is no face."""


@dataclass(frozen=True)
class LabelledPicture:
    """One picture, its working copy and the teacher's faces, these in pixels of the upright original."""

    name: str
    copy: Path
    copy_scale: float
    width: int
    height: int
    faces: Faces


def read_labels(folder: Path) -> dict[str, LabelledPicture]:
    """Everything in FOLDER/labels.jsonl, by picture name (the first 16 characters of the original's sha256)."""
    pictures = {}
    for line in (folder / "labels.jsonl").read_text().splitlines():
        row = json.loads(line)
        faces = Faces(
            np.array(row["scores"], np.float32),
            np.array(row["boxes"], np.float32).reshape(-1, 4),
            np.array(row["points"], np.float32).reshape(-1, 5, 2),
        )
        name = row["picture"]
        pictures[name] = LabelledPicture(
            name,
            folder / "copies" / f"{name}.jpg",
            row["copy_scale"],
            row["width"],
            row["height"],
            faces.select(faces.scores >= DOUBTFUL_SCORE),
        )
    return pictures
