"""Trains the head that confirms detections: photographed face, drawn face, or something else.

    python -m face_specialist.confirm features --face-detector ../face_detector --backbone ../encoder
        --images IMAGES --sources CSV --faces FACES --faces-csv CSV --out DETECTIONS [--share K/N]
    python -m face_specialist.confirm train --features TRAIN [TRAIN ...] --detections DETECTIONS --out confirm.npz

`detections.csv` has a label for each training detection that the face detector scores below `crops.LOWEST_SCORE`. The
labels were given by looking: photo, drawn, other (animals, flowers, cups ...) or unsure (backs of heads, skulls,
robots, blurs). Unsure detections are not used. TRAIN is the output of `face_specialist.features train`, with sure
faces: those are used for which the image's kind or content says whether it is drawn. `train` also prints results on
sources that were left out of training in turn.
"""

import argparse
import csv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from data.images import read_image
from data.split import ListedImage
from encoder.export import FoldedHead
from encoder.features import (
    add_backbone_arguments,
    describe,
    feature_file,
    feature_session,
    open_backbone,
    read_features,
)
from encoder.heads import HeadSettings, average_heads, cell_weights, logits_of, save_heads, train_head
from export.command import command_parser
from face_detector.detect import FaceDetector
from face_specialist.align import (
    LOWEST_SCORE,
    MAX_FACES,
    SIDE_PX,
    SMALLEST_FACE_PX,
    crop_face,
    margin_template,
    similarity,
)
from face_specialist.perturbation import crop_of, perturb
from face_specialist.roster import PHOTOGRAPHS, from_faces, from_sources

COLUMN = "face"
MIN_LOGIT = -1.0
"""Minimum logit of a confirmed (photographed) face, chosen on validation (experiments/0011)."""
ILLUSTRATION_KINDS = frozenset({"anime", "art", "comic", "game", "illustration"})
"""Kinds of genuine images that are drawn."""
ILLUSTRATION_CONTENTS, PHOTOGRAPH_CONTENTS = frozenset({"anime", "art"}), frozenset({"face", "people", "photo-like"})
"""Contents of generated images that look drawn, and contents that look photographed. Others may look either way."""
ANSWERS = {"photo": 1, "drawn": 0, "other": 0}
DETECTIONS = Path(__file__).with_name("detections.csv")
PERTURBED = 3
"""Number of perturbed crops of a doubtful detection that are used in addition to the unchanged crop."""
SHARES = {
    ("photo", False): 0.25,
    ("photo", True): 0.25,
    ("drawn", False): 0.125,
    ("drawn", True): 0.125,
    ("other", True): 0.25,
}
"""Shares of the training crops, by label and by whether the face detector was in doubt."""
FOLDS = 4
SETTINGS = replace(HeadSettings(), steps=1200)
SEEDS = (1, 2)


def read_detections() -> dict[str, dict[int, str]]:
    """Reads the label of each detection, by image and by rank among the image's detections, largest first."""
    detections: dict[str, dict[int, str]] = {}
    with DETECTIONS.open(newline="") as stream:
        for row in csv.DictReader(stream):
            detections.setdefault(row["sha256"], {})[int(row["rank"])] = row["what"]
    return detections


def doubtful_crops(pixels: np.ndarray, detector: FaceDetector) -> dict[int, np.ndarray]:
    """Cuts the large enough detections with a score below LOWEST_SCORE: uint8 [288,288,3] by rank."""
    faces = detector.detect(pixels)
    sides = faces.boxes[:, 2:].min(axis=1) if len(faces) else np.zeros(0)
    return {
        rank: crop_face(pixels, similarity(faces.points[face], SIDE_PX, margin_template()), SIDE_PX)
        for rank, face in enumerate(np.argsort(-sides, kind="stable")[:MAX_FACES])
        if sides[face] >= SMALLEST_FACE_PX and faces.scores[face] < LOWEST_SCORE
    }


def doubtful_rows(images: list[ListedImage], detector: FaceDetector) -> Iterator[list[tuple[dict, np.ndarray]]]:
    """Cuts training crops of the labelled detections of each image.

    Raises ValueError if the face detector's detections differ from `detections.csv`.
    """
    detections = read_detections()
    for image in images:
        crops, rows = doubtful_crops(read_image(image.path), detector), []
        for rank, what in detections[image.sha256].items():
            if rank not in crops:
                raise ValueError(
                    f"{image.path.name}: no doubtful detection of rank {rank}; was detections.csv made with another face detector?"
                )
            for number in range(PERTURBED + 1) if what != "unsure" else ():
                random = np.random.default_rng([number, int(image.sha256[:12], 16), rank])
                rows.append(
                    (
                        {**describe(image), "what": what},
                        perturb(crops[rank], random) if number else crop_of(crops[rank], None),
                    )
                )
        yield rows


def look_of(line: dict) -> str | None:
    """Returns photo or drawn for a sure face, by its line in the features. Returns None if its image does not say."""
    if line["label"] == "generated" and not line["pair"]:
        return (
            "drawn"
            if line["content"] in ILLUSTRATION_CONTENTS
            else "photo"
            if line["content"] in PHOTOGRAPH_CONTENTS
            else None
        )
    if line["label"] == "genuine" and line["kind"] not in PHOTOGRAPHS:
        return "drawn" if line["kind"] in ILLUSTRATION_KINDS else None
    return "photo"


@dataclass(frozen=True)
class Looks:
    """Training crops: `values` float16 [R,FEATURES], their labels and sources, and the face detector's doubt."""

    values: np.ndarray
    what: np.ndarray
    source: np.ndarray
    doubtful: np.ndarray

    def where(self, chosen: np.ndarray) -> "Looks":
        """Returns the crops selected by `chosen`, bool [R]."""
        return Looks(*(column[chosen] for column in vars(self).values()))

    @property
    def answers(self) -> np.ndarray:
        """Returns the value of each label in ANSWERS, int [R]: 1 for a photographed face, otherwise 0."""
        return np.array([ANSWERS[what] for what in self.what])


def gather_looks(sure: list[tuple[list[dict], np.ndarray]], doubtful: tuple[list[dict], np.ndarray]) -> Looks:
    """Joins sure faces whose image says whether it is drawn, from `features train`, with all doubtful ones from
    `features`.
    """
    parts = [([look_of(line) for line in lines], lines, values) for lines, values in sure]
    parts.append(([line["what"] for line in doubtful[0]], *doubtful))
    kept = [np.flatnonzero([what is not None for what in whats]) for whats, _, _ in parts]
    return Looks(
        np.concatenate([values[rows] for (_, _, values), rows in zip(parts, kept, strict=True)]),
        np.array([whats[row] for (whats, _, _), rows in zip(parts, kept, strict=True) for row in rows]),
        np.array([lines[row]["source"] for (_, lines, _), rows in zip(parts, kept, strict=True) for row in rows]),
        np.repeat([False, True], [sum(map(len, kept[:-1])), len(kept[-1])]),
    )


def draw_weights(looks: Looks) -> np.ndarray:
    """Returns the probability with which each crop is drawn, float64 [R] with sum 1.

    The shares of SHARES are kept. Within each, a source is drawn in proportion to the square root of its number of
    crops.
    """
    weights = np.zeros(len(looks.what))
    for (what, doubtful), share in SHARES.items():
        mine = (looks.what == what) & (looks.doubtful == doubtful)
        if mine.any():
            weights[mine] = share * cell_weights([(source,) for source in looks.source[mine]], np.ones(mine.sum()))
    return weights / weights.sum()


def train_confirmation(looks: Looks) -> FoldedHead:
    """Trains one head per seed of SEEDS and returns their mean."""
    return average_heads(
        [train_head(looks.values, looks.answers, draw_weights(looks), COLUMN, SETTINGS, seed) for seed in SEEDS]
    )


def report(looks: Looks) -> str:
    """Reports how many detections of each label are confirmed by heads that were trained without their source."""
    folds = np.searchsorted(np.unique(looks.source), looks.source) % FOLDS
    logits = np.zeros(len(folds))
    for fold in range(FOLDS):
        head = train_confirmation(looks.where(folds != fold))
        logits[folds == fold] = logits_of(head, looks.values[folds == fold])[:, 0]
    rows = ["| of sources never seen | crops | taken for photographed faces |", "|---|---|---|"]
    for what, doubtful in SHARES:
        mine = (looks.what == what) & (looks.doubtful == doubtful)
        if mine.any():
            rows.append(
                f"| {what}, {'doubtful' if doubtful else 'sure'} | {mine.sum()} | {(logits[mine] >= MIN_LOGIT).mean():.3f} |"
            )
    return "\n".join(rows)


def make_features(args: argparse.Namespace) -> None:
    cv2.setNumThreads(1)
    share, shares = map(int, args.share.split("/"))
    entries = [*from_sources(args.images, args.sources), *from_faces(args.faces, args.faces_csv)]
    file, detections = feature_file(args.out, share), read_detections()
    images = [entry.image for entry in entries if entry.split == "train" and entry.image.sha256 in detections][
        share::shares
    ]
    session = feature_session(open_backbone(args.backbone, args.calibration))
    todo = [image for image in images if image.sha256 not in file.done]
    for rows in tqdm(
        doubtful_rows(todo, FaceDetector(args.face_detector)), total=len(todo), unit="image", mininterval=30
    ):
        file.add([(line, session.run(None, {"pixels": np.ascontiguousarray(crop)[None]})[0][0]) for line, crop in rows])


def make_head(args: argparse.Namespace) -> None:
    looks = gather_looks([read_features(folder) for folder in args.features], read_features(args.detections))
    save_heads(args.out, [train_confirmation(looks)])
    print(report(looks))


def main() -> None:
    parser = command_parser(__doc__)
    commands = parser.add_subparsers(required=True)
    features = commands.add_parser("features", help="crops of doubtful detections, as features")
    add_backbone_arguments(features)
    for name in ("face-detector", "images", "sources", "faces", "faces-csv"):
        features.add_argument(f"--{name}", type=Path, required=True)
    features.add_argument("--share", default="0/1")
    features.set_defaults(run=make_features)
    train = commands.add_parser("train", help="the head")
    train.add_argument("--features", type=Path, nargs="+", required=True, help="of face_specialist.features train")
    train.add_argument("--detections", type=Path, required=True, help="of `features`")
    train.set_defaults(run=make_head)
    for command in (features, train):
        command.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
