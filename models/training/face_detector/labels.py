"""Reads the teacher's labels and the split of each labelled image.

In: `labels.jsonl` and the lists. Out: `LabelledImage` and `Placement` by image name.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from data.split import Split, read_csv
from face_detector.boxes import Faces
from face_specialist.roster import REPEATED, place


@dataclass(frozen=True)
class Placement:
    """Placement of a row:

    `split` is train, validation, test or unused; `portrait` means a collection of single faces (faces.csv).
    """

    split: str
    portrait: bool
    repository: str


def placements_of(faces_csv: Path, sources_csv: Path) -> dict[str, Placement]:
    """Places every row of both files, by image name (the first 16 characters of its SHA-256)."""
    splits, placements = Split(), {}
    for row in read_csv(sources_csv):
        split = "unused" if row["repo"] in REPEATED else splits.split_of(row["repo"])
        placements[row["sha256"][:16]] = Placement(split, False, row["repo"])
    for row in read_csv(faces_csv):
        placements[row["sha256"][:16]] = Placement(place(row, splits)[1], True, row["repo"])
    return placements


SURE_SCORE = 0.7
"""Teacher's score from which a detection is a face, chosen by looking: at 0.6 merged runs still show parts of faces."""
DOUBTFUL_SCORE = 0.3
"""Detections with a teacher score from here to SURE_SCORE are ignored in training; below it there is no face."""


@dataclass(frozen=True)
class LabelledImage:
    """One image, its working copy and the teacher's faces in pixels of the upright original."""

    name: str
    copy: Path
    copy_scale: float
    width: int
    height: int
    faces: Faces


def read_labels(folder: Path) -> dict[str, LabelledImage]:
    """Reads FOLDER/labels.jsonl by image name (the first 16 characters of the original's SHA-256)."""
    images = {}
    for line in (folder / "labels.jsonl").read_text().splitlines():
        row = json.loads(line)
        faces = Faces(
            np.array(row["scores"], np.float32),
            np.array(row["boxes"], np.float32).reshape(-1, 4),
            np.array(row["points"], np.float32).reshape(-1, 5, 2),
        )
        name = row["picture"]
        images[name] = LabelledImage(
            name,
            folder / "copies" / f"{name}.jpg",
            row["copy_scale"],
            row["width"],
            row["height"],
            faces.select(faces.scores >= DOUBTFUL_SCORE),
        )
    return images
