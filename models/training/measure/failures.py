"""Looks for what the shipped models get wrong among pictures of our own making, prints the counts and keeps one of each.

    python -m measure.failures --models .. --samples ../../samples --landmarks MODEL --out FOLDER [--variants 24]

Drawings (`measure.drawings`) come from no generator and show no face but one kind; the portrait is in the public domain, and
is swapped, turned and covered here. Scores are against the balanced profile of `bands.json`. Each kind's worst picture goes to
FOLDER/MODEL-KIND.webp where it is a failure.
"""

import argparse
import json
from pathlib import Path

import cv2
import numpy as np

from data.pictures import read_picture
from encoder.reference_engine import ReferenceEngine
from encoder.tower import VIEW_PX
from face_detector.find import FaceFinder
from face_specialist.align import crop_face, similarity
from face_specialist.blend import self_blended
from face_specialist.crops import MARGIN, margin_template
from face_specialist.crops import SIDE_PX as STORED_PX
from face_specialist.landmarks import LandmarkFinder
from face_specialist.treatment import view_of
from measure.drawings import KINDS
from measure.medium_thresholds import MEDIUMS, threshold_between

KEPT_PX = 256


class Report:
    """Prints a line a kind and keeps its worst picture."""

    def __init__(self, out: Path):
        self._out = out
        out.mkdir(parents=True, exist_ok=True)

    def add(self, model: str, kind: str, wrong: list[bool], badness: list[float], pictures: list[np.ndarray]) -> None:
        """`badness`: the higher, the worse; printed and used to choose."""
        worst = int(np.argmax(badness))
        print(f"{model:22s} {kind:28s} {sum(wrong):3d} of {len(wrong):3d} wrong, worst {badness[worst]:.2f}", flush=True)
        if any(wrong):
            kept = cv2.resize(pictures[worst], (KEPT_PX, KEPT_PX), interpolation=cv2.INTER_AREA)
            path = str(self._out / f"{model}-{kind.replace(' ', '-')}.webp")
            cv2.imwrite(path, kept[:, :, ::-1], [cv2.IMWRITE_WEBP_QUALITY, 88])


def covered(portrait: np.ndarray, box: np.ndarray, share: float) -> np.ndarray:
    """The portrait with the lower `share` of its face under a plain cloth."""
    picture = portrait.copy()
    left, top, width, height = box
    rim = (int(left - 0.05 * width), int(top + (1 - share) * height)), (int(left + 1.05 * width), int(top + 1.05 * height))
    cv2.rectangle(picture, *rim, (188, 206, 220), -1)
    return picture


def turned(portrait: np.ndarray, degrees: float) -> np.ndarray:
    """The portrait turned about its middle, its border repeated."""
    height, width = portrait.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
    return cv2.warpAffine(portrait, matrix, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101)


def look_at_finder(report: Report, finder: FaceFinder, drawings: dict[str, list[np.ndarray]], portrait: np.ndarray) -> None:
    """Finds where there is no face; the portrait's face lost when turned by 15 to 180 degrees or covered by 30 to 80%."""
    best = lambda picture: float(finder.find(picture, 0.01).scores.max(initial=0.0))
    limit = finder.detect["score_threshold"]
    for kind, pictures in drawings.items():
        scores = [best(picture) for picture in pictures]
        if kind == "doll":
            report.add("face_detector", "doll not found", [s < limit for s in scores], [1 - s for s in scores], pictures)
        else:
            report.add("face_detector", f"face found in {kind}", [s >= limit for s in scores], scores, pictures)
    box = finder.find(portrait).boxes[0]
    for name, changed in (
        ("turned face", [turned(portrait, degrees) for degrees in range(15, 181, 15)]),
        ("covered face", [covered(portrait, box, share / 100) for share in range(30, 81, 10)]),
    ):
        scores = [best(picture) for picture in changed]
        report.add("face_detector", f"{name} not found", [s < limit for s in scores], [1 - s for s in scores], changed)


def look_at_confirmation(report: Report, finder: FaceFinder, models: ReferenceEngine, drawings: dict[str, list[np.ndarray]]) -> None:
    """Finds in drawings that are judged as photographed faces."""
    for kind, pictures in drawings.items():
        found = [(picture, finder.find(picture).points) for picture in pictures]
        crops = [crop_face(picture, similarity(points[0], VIEW_PX), VIEW_PX) for picture, points in found if len(points)]
        if crops:
            judged = [models.face_score(crop) is not None for crop in crops]
            report.add("face_specialist", f"{kind} judged as a face", judged, [float(each) for each in judged], crops)


def look_at_specialist(report: Report, models: ReferenceEngine, limit: float, stored: np.ndarray, points: np.ndarray, variants: int) -> None:
    """Parts of a stored crop's face replaced by a changed copy, and not seen. `points`: its landmarks."""
    random = np.random.default_rng(1)
    swapped = [self_blended(stored, points, random) for _ in range(variants)]
    score = lambda crop: models.face_score(view_of(crop, None)) or 0.0
    scores = [score(crop) for crop in swapped]
    report.add("face_specialist", "swapped not seen", [s < limit for s in scores], [1 - s for s in scores], swapped)
    report.add("face_specialist", "genuine taken for swapped", [score(stored) >= limit], [score(stored)], [stored])


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--samples", type=Path, required=True, help="the project's samples: a portrait, and it autoencoded")
    parser.add_argument("--landmarks", type=Path, required=True, help="OpenSeeFace's model")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--variants", type=int, default=24)
    arguments = parser.parse_args()
    balanced = json.loads((arguments.models / "bands.json").read_text())["profiles"]["balanced"]
    whole = [balanced["full_image_specialist"][medium]["threshold"] for medium in MEDIUMS]
    report, models = Report(arguments.out), ReferenceEngine(arguments.models)
    drawings = {kind: [draw(np.random.default_rng(seed)) for seed in range(arguments.variants)] for kind, draw in KINDS.items()}
    for kind, pictures in drawings.items():
        scores, drawn = zip(*(models.full_image(picture) for picture in pictures), strict=True)
        wrong = [score >= threshold_between(*whole, share) for score, share in zip(scores, drawn, strict=True)]
        report.add("full_image_specialist", f"{kind} taken for AI", wrong, scores, pictures)
    rebuilt = read_picture(arguments.samples / "portrait-autoencoded.png")
    score, share = models.full_image(rebuilt)
    report.add("full_image_specialist", "autoencoded not seen", [score < threshold_between(*whole, share)], [1 - score], [rebuilt])
    finder, portrait = FaceFinder(arguments.models / "face_detector"), read_picture(arguments.samples / "portrait.png")
    look_at_finder(report, finder, drawings, portrait)
    look_at_confirmation(report, finder, models, drawings)
    stored = crop_face(portrait, similarity(finder.find(portrait).points[0], STORED_PX, margin_template()), STORED_PX)
    points, _ = LandmarkFinder(arguments.landmarks).find(stored, MARGIN)
    look_at_specialist(report, models, balanced["face_specialist"]["threshold"], stored, points, arguments.variants)


if __name__ == "__main__":
    main()
