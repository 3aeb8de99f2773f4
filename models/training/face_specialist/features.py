"""Frozen features of faces, in the files of `encoder.features`: what the two heads are trained, chosen and tested on.

    python -m face_specialist.features train --stored STORED STORED_OF_FACES --landmarks MODEL --autoencoders TAESD [--mix swaps] [--pairs-only]
        --tower TOWER --pictures PICTURES --sources CSV --faces FACES --faces-csv CSV --seed 1 --out OUT
    python -m face_specialist.features pictures --part validation --finder ../face_detector --made MADE --groups GROUPS
        --tower TOWER --pictures PICTURES --sources CSV --faces FACES --faces-csv CSV --out OUT

`train`: every stored face of the training part once, and a fake twin of each photograph of a person; another `--seed` into
another folder is another round. `pictures`: the finds of each picture in the three tiers, as the engine cuts them;
MADE is what `face_specialist.unseen` wrote, GROUPS what `face_specialist.groups` did. Both go on where they stopped; `--share K/N` divides the work.
"""

import argparse
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import cv2
import numpy as np
import torch
from tqdm import tqdm

from data.degrade import TIERS, to_tier
from data.pictures import read_picture
from encoder.features import add_tower_arguments, feature_file, feature_session, open_tower
from encoder.tower import VIEW_PX
from face_detector.find import FaceFinder
from face_specialist.align import SMALLEST_FACE_PX, crop_face, similarity
from face_specialist.fakes import MIXES, FakeMaker, Mix
from face_specialist.groups import MADE_GROUP
from face_specialist.landmarks import LandmarkFinder
from face_specialist.pairs import FacePool, views_of
from face_specialist.roster import FacePicture, from_faces, from_sources
from face_specialist.stored import FaceStore
from face_specialist.unseen import read_made

MOST_FINDS = 24
"""Of a picture, the largest first, that the engine may show the encoder."""
Rows = list[tuple[dict, np.ndarray]]


def training_rows(pool: FacePool, maker: FakeMaker, mix: Mix, seed: int, share: tuple[int, int], done: set[str], pairs_only: bool) -> Iterator[Rows]:
    """All views of a picture's faces, the pictures in a random order that `seed` gives."""
    names = sorted({face.owner.picture.sha256 for face in pool.faces})[share[0]::share[1]]
    faces = {name: list(group) for name, group in groupby(pool.faces, lambda face: face.owner.picture.sha256)}
    for index in np.random.default_rng(seed).permutation(len(names)):
        if names[index] in done:
            continue
        yield [row for face in faces[names[index]] if face.points is not None or not pairs_only
               for row in views_of(face, pool, maker, mix, seed)]


def largest_finds(pixels: np.ndarray, finder: FaceFinder) -> list[tuple[float, np.ndarray]]:
    """(side in px, points [5,2]) of the largest finds of 64 px and over, as the engine chooses them."""
    faces = finder.find(pixels)
    sides = faces.boxes[:, 2:].min(axis=1) if len(faces) else np.zeros(0)
    order = [face for face in np.argsort(-sides, kind="stable")[:MOST_FINDS] if sides[face] >= SMALLEST_FACE_PX]
    return [(float(sides[face]), faces.points[face]) for face in order]


def found_faces(pixels: np.ndarray, finder: FaceFinder) -> list[tuple[float, np.ndarray]]:
    """(side in px, crop uint8 [224,224,3]) of those finds, as the engine cuts them."""
    return [(side_px, crop_face(pixels, similarity(points, VIEW_PX), VIEW_PX)) for side_px, points in largest_finds(pixels, finder)]


def picture_rows(pictures: list[FacePicture], finder: FaceFinder, done: set[str]) -> Iterator[Rows]:
    """The finds of every picture in every tier."""
    for owner in pictures:
        if owner.picture.sha256 in done:
            continue
        try:
            pixels = read_picture(owner.picture.path)
        except OSError as error:
            print(f"left out {owner.picture.path.name}: {error}")
            continue
        line = {"sha256": owner.picture.sha256, "source": owner.picture.source, "kind": owner.picture.kind,
                "content": owner.picture.content, "label": owner.label, "method": owner.method, "group": owner.group}
        yield [({**line, "pair": "", "tier": tier, "face": face, "side_px": round(side_px, 1)}, crop) for tier in TIERS
               for face, (side_px, crop) in enumerate(found_faces(np.ascontiguousarray(to_tier(pixels, tier)), finder))]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("train", "pictures"))
    add_tower_arguments(parser)
    parser.add_argument("--pictures", type=Path, required=True)
    parser.add_argument("--sources", type=Path, required=True, help="sources.csv")
    parser.add_argument("--faces", type=Path, required=True)
    parser.add_argument("--faces-csv", type=Path, required=True)
    parser.add_argument("--stored", type=Path, nargs="+", help="for train: crops of sources.csv, of faces.csv")
    parser.add_argument("--landmarks", type=Path, help="for train: OpenSeeFace's model")
    parser.add_argument("--autoencoders", type=Path, help="for train: folder of taesd weights")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mix", choices=MIXES, default="all", help="for train: which fakes are made")
    parser.add_argument("--pairs-only", action="store_true", help="leave out faces that get no fake twin")
    parser.add_argument("--finder", type=Path, help="for pictures: folder of the face detector")
    parser.add_argument("--made", type=Path, help="for pictures: fakes made by face_specialist.unseen")
    parser.add_argument("--groups", type=Path, help="for pictures: groups with a changed face, made by face_specialist.groups")
    parser.add_argument("--part", choices=("train", "validation", "test"), help="for pictures")
    parser.add_argument("--most", type=int, help="stop after so many pictures")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--share", default="0/1")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    share, shares = map(int, arguments.share.split("/"))
    part = "train" if arguments.what == "train" else arguments.part
    owners = [*from_sources(arguments.pictures, arguments.sources), *from_faces(arguments.faces, arguments.faces_csv)]
    owners = [owner for owner in owners if owner.part == part]
    session = feature_session(open_tower(arguments.tower, arguments.calibration))
    file = feature_file(arguments.out, share)
    if arguments.what == "train":
        stores = [FaceStore(folder, [owner.picture for owner in owners]) for folder in arguments.stored]
        pool = FacePool(stores, owners, LandmarkFinder(arguments.landmarks))
        rows = training_rows(pool, FakeMaker(arguments.autoencoders), MIXES[arguments.mix], arguments.seed, (share, shares), file.done, arguments.pairs_only)
    else:
        owners += read_made(arguments.made, part) if arguments.made else []
        owners += read_made(arguments.groups, part, MADE_GROUP) if arguments.groups else []
        rows = picture_rows(owners[share::shares], FaceFinder(arguments.finder), file.done)
    for index, views in enumerate(tqdm(rows, unit="picture", mininterval=30)):
        file.add([(line, session.run(None, {"pixels": view[None]})[0][0]) for line, view in views])
        if arguments.most and index + 1 >= arguments.most:
            break


if __name__ == "__main__":
    main()
