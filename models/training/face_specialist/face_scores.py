"""Computes scores of faces and of images from stored features by the two heads.

Input: folders of features and a manifest. Output: scores 0..1, for each face or image.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from encoder.features import read_features
from encoder.heads import logits_of
from encoder.package import heads_of
from face_specialist.confirm import COLUMN as CONFIRM_COLUMN, ILLUSTRATION_KINDS, MIN_LOGIT
from face_specialist.roster import DFDC, GREY, SECOND_DFDC
from face_specialist.train import COLUMNS

SMALL_PX = 96
MAX_SCORED_FACES = 8
"""Maximum number of faces that the engine scores in one image, largest first."""


@dataclass(frozen=True)
class ScoredFace:
    """A face in an image at one degradation level: its line in the features, and its logits in the columns COLUMNS."""

    line: dict
    logits: tuple[float, float]


@dataclass(frozen=True)
class ScoredImage:
    """An image at one degradation level: its largest face's line, the number of scored faces, and the highest score."""

    line: dict
    faces: int
    score: float


def image_of(line: dict) -> tuple[str, str]:
    """Returns the image and the degradation level of a face's line."""
    return line["sha256"], line["tier"]


def confirmed_lines(lines: list[dict], logits: np.ndarray) -> Iterator[tuple[int, dict]]:
    """Yields the index and line of each detection that the engine would score as a face.

    `logits` decides which detections are confirmed. They are numbered again, largest first.
    """
    faces = Counter()
    for index in np.flatnonzero(logits >= MIN_LOGIT):
        image = image_of(lines[index])
        if faces[image] < MAX_SCORED_FACES:
            yield int(index), lines[index] | {"face": faces[image]}
            faces[image] += 1


def read_faces(features: Path, heads: list[Path]) -> list[ScoredFace]:
    """Reads the confirmed faces in a folder of features, with the logits by heads in files or encoders' folders.

    Later heads replace earlier ones.
    """
    lines, values = read_features(features)
    by_column = heads_of(heads)
    logits = np.stack([logits_of(by_column[column], values)[:, 0] for column in (*COLUMNS, CONFIRM_COLUMN)], axis=1)
    confirmed = confirmed_lines(lines, logits[:, -1])
    return [ScoredFace(line, tuple(logits[index, :-1].tolist())) for index, line in confirmed]


def scores_of(faces: list[ScoredFace], manifest: dict) -> np.ndarray:
    """Computes scores 0..1 as the engine does (native/engine/inspection.h, ScoreFaces).

    A score combines the probabilities of both heads on their calibrated scales, if one face of the image or all faces
    are fake. The result is float64 [F] in the order of `faces`, which must include all faces of each image.
    """
    numbers = {image: number for number, image in enumerate(dict.fromkeys(image_of(face.line) for face in faces))}
    images = np.array([numbers[image_of(face.line)] for face in faces])
    found, aggregation = np.bincount(images), manifest["joining"]
    genuine = np.ones(len(faces))
    for index, column in enumerate(COLUMNS):
        head = manifest["heads"][column]
        odds = head["scale"] * np.array([face.logits[index] for face in faces]) + head["offset"]
        alone = odds - aggregation["sharing"] * np.log(found[images])
        if column == "manipulated":
            others = (np.bincount(images, odds)[images] - odds) - (found[images] - 1) * aggregation["genuine"]
            alone -= aggregation["contrast"] * others / found[images]
        genuine *= 1 / (1 + np.exp(np.maximum(alone, (np.bincount(images, odds) / found)[images])))
    return 1 - genuine


def aggregate_faces(faces: list[ScoredFace], scores: Iterable[float]) -> list[ScoredImage]:
    """Makes one entry for each image and level, from the face with the highest score."""
    found: dict[tuple, list[tuple[ScoredFace, float]]] = {}
    for face, score in zip(faces, scores, strict=True):
        found.setdefault(image_of(face.line), []).append((face, float(score)))
    return [
        ScoredImage(
            min(members, key=lambda member: member[0].line["face"])[0].line,
            len(members),
            max(score for _, score in members),
        )
        for members in found.values()
    ]


def face_kind(image: ScoredImage) -> str:
    """Returns the kind of face that thresholds and the model card distinguish (`measure.kinds`)."""
    line = image.line
    if line["kind"] in ILLUSTRATION_KINDS:
        return "drawn face"
    if line["source"] == GREY:
        return "grey face"
    if line["source"] in (DFDC, SECOND_DFDC) or line["kind"] == "frame":
        return "video face"
    if line["side_px"] < SMALL_PX:
        return "small face"
    return "group face" if image.faces > 1 else "portrait"
