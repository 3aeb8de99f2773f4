"""Command: score pictures as the service would: find faces, crop those of 64 px and over, score each, take the highest.

    python -m face_specialist.predict --pictures FACES PICTURES --labels FINDER --finder ../face_detector
        --specialist ../face_specialist --faces-csv F --sources-csv S --part test --out scores.csv

One row a picture and tier, in the columns of `measure.score_file` and two more, group and faces; a picture without a
face has none, as the service gives no score. Only pictures on which the teacher found such a face are looked at.
"""

import argparse
import csv
import json
from collections.abc import Callable
from itertools import chain
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from data.degrade import TIERS, to_tier
from data.pictures import read_picture
from export.verify import open_session
from face_detector.find import FaceFinder
from face_detector.labels import SURE_SCORE, read_labels
from face_detector.parts import part_of_pictures
from face_specialist.align import crop_face, similarity
from face_specialist.mesonet import load_mesonet
from face_specialist.stored import ALSO_TRAINING
from measure.score_file import COLUMNS

SMALLEST_FACE_PX = 64
MOST_FACES = 8


def load_specialist(folder: Path) -> tuple[int, Callable[[np.ndarray], np.ndarray]]:
    """Side of the crops in px, and a function from uint8 [N,side,side,3] RGB to calibrated scores [N], 0..1."""
    manifest = json.loads((folder / "manifest.json").read_text())
    session = open_session(folder / manifest["file"])
    scale, offset = manifest["calibration"]["scale"], manifest["calibration"]["offset"]

    def score(crops: np.ndarray) -> np.ndarray:
        logits = session.run(["logit"], {"pixels": crops})[0]
        return 1 / (1 + np.exp(-(scale * logits.astype(np.float64) + offset)))

    return manifest["input"]["size_px"], score


def face_crops(picture: np.ndarray, finder: FaceFinder, side_px: int) -> np.ndarray:
    """Aligned crops uint8 [F,side,side,3] of the largest faces of 64 px and over; F is 0 where there is none."""
    faces = finder.find(picture)
    sides = faces.boxes[:, 2:].min(axis=1, initial=1e9)
    chosen = np.flatnonzero(sides >= SMALLEST_FACE_PX)
    chosen = chosen[np.argsort(-sides[chosen], kind="stable")][:MOST_FACES]
    crops = [crop_face(picture, similarity(faces.points[face], side_px), side_px) for face in chosen]
    return np.stack(crops) if crops else np.zeros((0, side_px, side_px, 3), np.uint8)


def main() -> None:
    """Read the arguments, score every picture of the part in the three tiers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=Path, nargs="+", required=True)
    parser.add_argument("--labels", type=Path, required=True)
    parser.add_argument("--finder", type=Path, required=True)
    scorer = parser.add_mutually_exclusive_group(required=True)
    scorer.add_argument("--specialist", type=Path, help="folder of an exported specialist")
    scorer.add_argument("--mesonet", type=Path, help="Meso4 weights, h5: the baseline")
    parser.add_argument("--faces-csv", type=Path, required=True)
    parser.add_argument("--sources-csv", type=Path, required=True)
    parser.add_argument("--part", choices=("train", "validation", "test"), required=True)
    parser.add_argument("--source", nargs="*", help="only these repositories, whatever their part")
    parser.add_argument("--every", type=int, default=1, help="take every n-th picture only")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    placements = part_of_pictures(arguments.faces_csv, arguments.sources_csv)
    paths = {path.stem: path for path in chain.from_iterable(folder.iterdir() for folder in arguments.pictures)}
    finder = FaceFinder(arguments.finder)
    side_px, score = load_specialist(arguments.specialist) if arguments.specialist else load_mesonet(arguments.mesonet)

    def wanted(name: str) -> bool:
        placement = placements[name]
        if arguments.source:
            return placement.repository in arguments.source
        part = "train" if placement.repository in ALSO_TRAINING else placement.part
        return part == arguments.part

    pictures = [
        picture
        for name, picture in read_labels(arguments.labels).items()
        if name in paths
        and wanted(name)
        and ((picture.faces.scores >= SURE_SCORE) & (picture.faces.boxes[:, 2:].min(axis=1) >= SMALLEST_FACE_PX)).any()
    ][:: arguments.every]
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    with arguments.out.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow((*COLUMNS, "group", "faces"))
        unseen = 0
        for picture in tqdm(pictures, mininterval=10):
            placement = placements[picture.name]
            pixels = read_picture(paths[picture.name])
            for tier in TIERS:
                crops = face_crops(np.ascontiguousarray(to_tier(pixels, tier)), finder, side_px)
                if not len(crops):
                    unseen += 1
                    continue
                is_fake = placement.label != "real"
                origin = (placement.repository, placement.method if is_fake else "none", placement.method, "face")
                row = (picture.name, "ai" if is_fake else "real", *origin, tier, f"{score(crops).max():.6f}")
                writer.writerow((*row, placement.group, len(crops)))
    print(f"{len(pictures)} pictures in {len(TIERS)} tiers, {unseen} times no face of {SMALLEST_FACE_PX} px was found")


if __name__ == "__main__":
    main()
