"""Pictures with what the two heads say of their faces: read from stored features, joined into one score."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from encoder.features import read_features
from encoder.heads import load_heads, logits_of
from face_specialist.roster import DFDC, GREY, MANIPULATED_KINDS, PHOTOGRAPHS, SECOND_DFDC
from face_specialist.train import COLUMNS

SMALL_PX = 96
FAKE_KINDS = MANIPULATED_KINDS | {"generated", "made"}
"""Kinds of pictures that are no genuine ones: their faces count as a photograph's."""


@dataclass(frozen=True)
class JudgedFace:
    """A face of a picture in one tier: its line, and the logits of COLUMNS."""

    line: dict
    logits: tuple[float, float]


@dataclass(frozen=True)
class JudgedPicture:
    """A picture in one tier: the line of its largest face, how many were looked at, and the highest score of them."""

    line: dict
    faces: int
    score: float


def read_faces(features: Path, heads: Path) -> list[JudgedFace]:
    """Faces of a folder of features with the logits that `heads` give."""
    lines, values = read_features(features)
    by_column = {head.columns[0]: head for head in load_heads(heads)}
    logits = np.stack([logits_of(by_column[column], values)[:, 0] for column in COLUMNS], axis=1)
    return [JudgedFace(line, tuple(row)) for line, row in zip(lines, logits.tolist(), strict=True)]


def scores_of(faces: list[JudgedFace], manifest: dict) -> np.ndarray:
    """Scores 0..1 as the engine computes them: the chance that either head is right, each on its calibrated scale. float64 [F]."""
    genuine = np.ones(len(faces))
    for index, column in enumerate(COLUMNS):
        head = manifest["heads"][column]
        logits = np.array([face.logits[index] for face in faces])
        genuine *= 1 / (1 + np.exp(head["scale"] * logits + head["offset"]))
    return 1 - genuine


def judge(faces: list[JudgedFace], scores: Iterable[float]) -> list[JudgedPicture]:
    """One row a picture and tier: whichever of its faces scores highest."""
    found: dict[tuple, list[tuple[JudgedFace, float]]] = {}
    for face, score in zip(faces, scores, strict=True):
        found.setdefault((face.line["sha256"], face.line["tier"]), []).append((face, float(score)))
    return [JudgedPicture(min(members, key=lambda member: member[0].line["face"])[0].line, len(members),
                          max(score for _, score in members)) for members in found.values()]


def face_kind(picture: JudgedPicture) -> str:
    """The kind of face that thresholds hold for and the card reports (`measure.kinds`)."""
    line = picture.line
    if line["kind"] not in PHOTOGRAPHS | FAKE_KINDS:
        return "drawn face"
    if line["source"] == GREY:
        return "grey face"
    if line["source"] in (DFDC, SECOND_DFDC) or line["kind"] == "frame":
        return "video face"
    if line["side_px"] < SMALL_PX:
        return "small face"
    return "group face" if picture.faces > 1 else "portrait"
