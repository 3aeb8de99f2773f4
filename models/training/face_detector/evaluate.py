"""Measures how many of the teacher's faces the face detector and YuNet find at 97% precision, on unused sources.

    python -m face_detector.evaluate --labels FACE_DETECTOR --images FACES IMAGES --model ../face_detector
        --teacher yunet_n_dynamic.onnx --faces-csv F --sources-csv S --split validation --out RESULT.json

The faces to find are those that the teacher finds in the original at up to five scales. The face detector and YuNet
(one run at 640 px) get the image at each degradation level. A face counts if its shorter side has 64 px in the degraded
image.
"""

import json
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from data.degrade import LEVELS, to_level
from data.images import read_image
from export.command import command_parser
from face_detector.boxes import Faces, overlaps
from face_detector.detect import FaceDetector
from face_detector.labels import SURE_SCORE, LabelledImage, placements_of, read_labels
from face_detector.teacher import Teacher

SMALLEST_FACE_PX = 64
LOWEST_SCORE = 0.05
PRECISION = 0.97
YUNET_LONG_SIDE_PX = 640


@dataclass(frozen=True)
class Outcome:
    """Result for one image at one level: detections (score, 1 if right, else 0) and the number of faces to find."""

    source: str
    portrait: bool
    detections: np.ndarray
    faces: int


def match(detected: Faces, truth: Faces) -> tuple[np.ndarray, int]:
    """Matches detections with the teacher's faces, by score, at half overlap.

    Returns the detections that count [K,2] (score, right or wrong) and the number of the teacher's faces that count.
    Detections that are too small, or that match a doubtful or too small face, count neither as right nor as wrong.
    """
    counts = (truth.scores >= SURE_SCORE) & (truth.boxes[:, 2:].min(axis=1, initial=1e9) >= SMALLEST_FACE_PX)
    iou = overlaps(detected.boxes, truth.boxes)[0]
    taken = np.zeros(len(truth), bool)
    detections = []
    for index in np.argsort(-detected.scores, kind="stable"):
        free = np.where(taken, 0.0, iou[index]) if len(truth) else np.zeros(0)
        best = int(free.argmax()) if len(truth) else -1
        if best >= 0 and free[best] >= 0.5:
            taken[best] = True
            if counts[best]:
                detections.append((detected.scores[index], 1.0))
        elif detected.boxes[index, 2:].min() >= SMALLEST_FACE_PX and not (len(truth) and iou[index].max() >= 0.3):
            detections.append((detected.scores[index], 0.0))
    return np.array(detections, np.float64).reshape(-1, 2), int(counts.sum())


def recall_at_precision(outcomes: list[Outcome], precision: float = PRECISION) -> tuple[float, float]:
    """Returns the highest recall at a precision of at least `precision`, and its score threshold."""
    detections = np.concatenate([outcome.detections for outcome in outcomes])
    faces = sum(outcome.faces for outcome in outcomes)
    detections = detections[np.argsort(-detections[:, 0], kind="stable")]
    right = detections[:, 1].cumsum()
    good = np.flatnonzero(right / np.arange(1, len(detections) + 1) >= precision)
    if not good.size or not faces:
        return 0.0, 1.0
    return float(right[good[-1]] / faces), float(detections[good[-1], 0])


def at_threshold(outcomes: list[Outcome], threshold: float) -> tuple[float, float]:
    """Returns recall and precision of the detections with at least the score `threshold`."""
    detections = np.concatenate([outcome.detections for outcome in outcomes])
    kept = detections[detections[:, 0] >= threshold]
    return kept[:, 1].sum() / max(1, sum(o.faces for o in outcomes)), kept[:, 1].mean() if len(kept) else 1.0


def interval(outcomes: list[Outcome], draws: int = 300) -> tuple[float, float]:
    """Computes the 95% interval of the recall at PRECISION over sources. A portrait collection counts as one source."""
    by_source: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        by_source.setdefault(outcome.source, []).append(outcome)
    random, names, values = np.random.default_rng(1), list(by_source), []
    for _ in range(draws):
        drawn = random.choice(len(names), len(names))
        values.append(recall_at_precision([o for index in drawn for o in by_source[names[index]]])[0])
    return float(np.percentile(values, 2.5)), float(np.percentile(values, 97.5))


_detector: FaceDetector
_teacher: Teacher


def _start(model: Path, teacher: Path, long_side_px: int | None) -> None:
    global _detector, _teacher
    cv2.setNumThreads(1)
    _detector, _teacher = FaceDetector(model), Teacher(teacher)
    _detector.long_side_px = long_side_px or _detector.long_side_px


def look(image: LabelledImage, path: Path) -> dict[tuple[str, str], tuple[np.ndarray, int]]:
    """Returns the detections and the number of faces of one image, by detector and level."""
    pixels = read_image(path)
    outcomes = {}
    for level in LEVELS:
        delivered = np.ascontiguousarray(to_level(pixels, level))
        truth = image.faces.scaled(delivered.shape[1] / pixels.shape[1])
        outcomes["face_detector", level] = match(_detector.detect(delivered, LOWEST_SCORE), truth)
        outcomes["yunet", level] = match(_teacher.run_once(delivered, YUNET_LONG_SIDE_PX, LOWEST_SCORE), truth)
    return outcomes


def summarise(outcomes: list[Outcome], threshold: float) -> dict[str, float]:
    """Computes the measures for one detector, level and kind of image."""
    recall, at = recall_at_precision(outcomes)
    low, high = interval(outcomes)
    fixed_recall, fixed_precision = at_threshold(outcomes, threshold)
    return {
        "images": len(outcomes),
        "faces": sum(outcome.faces for outcome in outcomes),
        "recall_at_97_precision": round(recall, 4),
        "interval": [round(low, 4), round(high, 4)],
        "threshold": round(at, 4),
        "recall_as_shipped": round(float(fixed_recall), 4),
        "precision_as_shipped": round(float(fixed_precision), 4),
    }


def main() -> None:
    parser = command_parser(__doc__, "labels", "model", "teacher", "faces-csv", "sources-csv", "out", "images+")
    parser.add_argument("--split", choices=("validation", "test"), required=True)
    parser.add_argument("--long-side-px", type=int)
    parser.add_argument("--every", type=int, default=1, help="take every n-th scene only")
    parser.add_argument("--portraits-every", type=int, default=1, help="take every n-th portrait only")
    args = parser.parse_args()
    placements = placements_of(args.faces_csv, args.sources_csv)
    paths = {path.stem: path for path in chain.from_iterable(folder.iterdir() for folder in args.images)}
    chosen_split = [
        image
        for name, image in read_labels(args.labels).items()
        if name in paths and placements[name].split == args.split
    ]
    chosen = [image for image in chosen_split if not placements[image.name].portrait][:: args.every]
    chosen += [image for image in chosen_split if placements[image.name].portrait][:: args.portraits_every]
    collected: dict[tuple[str, str], list[Outcome]] = {}
    with ProcessPoolExecutor(1, initializer=_start, initargs=(args.model, args.teacher, args.long_side_px)) as pool:
        looks = pool.map(look, chosen, [paths[image.name] for image in chosen], chunksize=4)
        for image, result in tqdm(zip(chosen, looks, strict=True), total=len(chosen)):
            placement = placements[image.name]
            for key, (detections, faces) in result.items():
                collected.setdefault(key, []).append(
                    Outcome(placement.repository, placement.portrait, detections, faces)
                )
    threshold = json.loads((args.model / "manifest.json").read_text())["detect"]["score_threshold"]
    table = {}
    for (detector, level), outcomes in collected.items():
        for kind, wanted in (("scenes", False), ("portraits", True)):
            group = [outcome for outcome in outcomes if outcome.portrait == wanted]
            if group:
                table[f"{detector} {level} {kind}"] = summarise(group, threshold if detector != "yunet" else 0.6)
    for name, row in sorted(table.items()):
        print(f"{name:26s} " + " ".join(f"{key}={value}" for key, value in row.items()))
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps(table, indent=2) + "\n")


if __name__ == "__main__":
    main()
