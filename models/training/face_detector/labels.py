"""Reads the teacher's labels and says which pictures may train, choose or test."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from face_detector.boxes import Faces

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
