"""Reads the faces that the teacher found, and the split of each image.

Input: `labels.jsonl` and the lists of images. Output: `LabelledImage` and `Placement` by image name.
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
    """Use of an image in training and tests.

    `split` is train, validation, test or unused. `portrait` is true if the image comes from a collection of single
    faces (faces.csv).
    """

    split: str
    portrait: bool
    repository: str


def placements_of(faces_csv: Path, sources_csv: Path) -> dict[str, Placement]:
    """Returns the split of each row of both lists, by image name (the first 16 characters of its SHA-256)."""
    splits, placements = Split(), {}
    for row in read_csv(sources_csv):
        split = "unused" if row["repo"] in REPEATED else splits.split_of(row["repo"])
        placements[row["sha256"][:16]] = Placement(split, False, row["repo"])
    for row in read_csv(faces_csv):
        placements[row["sha256"][:16]] = Placement(place(row, splits)[1], True, row["repo"])
    return placements


SURE_SCORE = 0.7
"""Minimum teacher's score of a face. Chosen by looking: at 0.6 some detections are only parts of faces."""
DOUBTFUL_SCORE = 0.3
"""Teacher's score below which there is no face. Detections between this score and SURE_SCORE are not trained on."""


@dataclass(frozen=True)
class LabelledImage:
    """An image, its small copy, and the teacher's faces in pixels of the upright original."""

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
