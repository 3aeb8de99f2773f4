"""Command: cut an aligned crop of every face of 64 px and over, with a margin, for training and evaluation.

    python -m face_specialist.crops --labels FINDER --pictures FACES PICTURES --csv faces.csv sources.csv --out CROPS

Writes crops.npy (uint8 [N,288,288,3]) and index.csv, one row a crop in the same order.
"""

import argparse
import csv
from concurrent.futures import ProcessPoolExecutor
from itertools import chain
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from data.pictures import read_picture
from face_detector.labels import LabelledPicture, read_labels
from face_specialist.align import TEMPLATE, crop_face, similarity

SIDE_PX = 288
"""Side of a stored crop."""
MARGIN = 1.25
"""A stored crop shows this many times the side that the network sees, so that training can shift, turn and scale."""
SMALLEST_FACE_PX = 64
MOST_FACES = 6
LOWEST_SCORE = 0.8
"""Teacher's score: surer than for the finder, since a wrong crop would be a wrong label here."""
COLUMNS = ("picture", "face", "repository", "label", "method", "group", "side_px", "scale", "score")


def margin_template() -> np.ndarray:
    """The template in a stored crop: the same face, smaller by MARGIN about the middle."""
    return (TEMPLATE - 0.5) / MARGIN + 0.5


def cut(picture: LabelledPicture, path: Path, row: dict[str, str]) -> tuple[list[np.ndarray], list[tuple]]:
    """Crops of the largest faces of one picture, and their index rows."""
    faces = picture.faces
    sides = faces.boxes[:, 2:].min(axis=1)
    chosen = np.flatnonzero((sides >= SMALLEST_FACE_PX) & (faces.scores >= LOWEST_SCORE))
    chosen = chosen[np.argsort(-sides[chosen])][:MOST_FACES]
    if not chosen.size:
        return [], []
    pixels = read_picture(path)
    crops, rows = [], []
    for face in chosen:
        matrix = similarity(faces.points[face], SIDE_PX, margin_template())
        crops.append(crop_face(pixels, matrix, SIDE_PX))
        scale = round(float(np.hypot(matrix[0, 0], matrix[1, 0])), 4)
        method = row.get("method") or row.get("generator") or "photograph"
        group = row.get("group") or picture.name
        rows.append(
            (picture.name, int(face), row["repo"], row["label"], method, group)
            + (round(float(sides[face]), 1), scale, round(float(faces.scores[face]), 4))
        )
    return crops, rows


def main() -> None:
    """Read the arguments and write the crops."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--labels", type=Path, required=True)
    parser.add_argument("--pictures", type=Path, nargs="+", required=True)
    parser.add_argument("--csv", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    labels = read_labels(arguments.labels)
    paths = {path.stem: path for path in chain.from_iterable(folder.iterdir() for folder in arguments.pictures)}
    rows = {}
    for csv_path in arguments.csv:
        with csv_path.open(newline="") as stream:
            rows |= {row["sha256"][:16]: row for row in csv.DictReader(stream)}
    names = [name for name in rows if name in labels and name in paths]
    work = ([labels[name] for name in names], [paths[name] for name in names], [rows[name] for name in names])
    arguments.out.mkdir(parents=True, exist_ok=True)
    crops = []
    with (
        ProcessPoolExecutor(arguments.workers) as pool,
        (arguments.out / "index.csv").open("w", newline="") as stream,
    ):
        writer = csv.writer(stream)
        writer.writerow(COLUMNS)
        for cuts, index in tqdm(pool.map(cut, *work, chunksize=8), total=len(names)):
            crops += cuts
            writer.writerows(index)
    np.save(arguments.out / "crops.npy", np.stack(crops))


if __name__ == "__main__":
    main()
