"""Computes features of faces for training, choosing and testing the two face heads, in the files of `encoder.features`.

    python -m face_specialist.features train --stored STORED STORED_OF_FACES --landmarks MODEL --autoencoders TAESD
        [--mix swaps] [--pairs-only] --backbone BACKBONE --images IMAGES --sources CSV --faces FACES --faces-csv CSV
        --seed 1 --out OUT
    python -m face_specialist.features images --split validation --face-detector ../face_detector --made MADE
        --groups GROUPS --backbone BACKBONE --images IMAGES --sources CSV --faces FACES --faces-csv CSV --out OUT

`train` computes features of every stored face of the training split once, and of a fake made from each photograph of a
person. A second run with another `--seed` and folder uses other crops and fakes. `images` computes features of the
detections of each image at the three degradation levels, cut as the engine does. MADE is the output of
`face_specialist.unseen`, GROUPS of `face_specialist.groups`. Both commands resume after an interruption. `--share K/N`
divides the work between processes.
"""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import cv2
import numpy as np
import torch
from tqdm import tqdm

from data.degrade import LEVELS, to_level
from data.images import read_image
from encoder.backbone import CROP_PX
from encoder.features import add_backbone_arguments, feature_file, feature_session, open_backbone
from export.command import command_parser
from face_detector.detect import FaceDetector
from face_specialist.align import SMALLEST_FACE_PX, crop_face, similarity
from face_specialist.fakes import MIXES, FakeMaker, Mix
from face_specialist.groups import MADE_GROUP
from face_specialist.landmarks import LandmarkDetector
from face_specialist.pairs import FacePool, crops_of
from face_specialist.roster import FaceImage, from_faces, from_sources
from face_specialist.stored import FaceStore
from face_specialist.unseen import read_made

MAX_DETECTIONS = 24
"""Maximum number of detections of an image that the engine passes to the encoder, largest first."""
Rows = list[tuple[dict, np.ndarray]]


def training_rows(
    pool: FacePool, maker: FakeMaker, mix: Mix, seed: int, share: tuple[int, int], done: set[str], pairs_only: bool
) -> Iterator[Rows]:
    """Cuts the training crops of all faces, image by image in a random order given by `seed`."""
    names = sorted({face.entry.image.sha256 for face in pool.faces})[share[0] :: share[1]]
    faces = {name: list(group) for name, group in groupby(pool.faces, lambda face: face.entry.image.sha256)}
    for index in np.random.default_rng(seed).permutation(len(names)):
        if names[index] in done:
            continue
        yield [
            row
            for face in faces[names[index]]
            if face.points is not None or not pairs_only
            for row in crops_of(face, pool, maker, mix, seed)
        ]


def largest_detections(pixels: np.ndarray, detector: FaceDetector) -> list[tuple[float, np.ndarray]]:
    """Returns (side in px, points [5,2]) of the largest detections of at least 64 px, as the engine chooses them."""
    faces = detector.detect(pixels)
    sides = faces.boxes[:, 2:].min(axis=1) if len(faces) else np.zeros(0)
    order = [face for face in np.argsort(-sides, kind="stable")[:MAX_DETECTIONS] if sides[face] >= SMALLEST_FACE_PX]
    return [(float(sides[face]), faces.points[face]) for face in order]


def detected_faces(pixels: np.ndarray, detector: FaceDetector) -> list[tuple[float, np.ndarray]]:
    """Cuts the crops of the largest detections as the engine does: (side in px, crop uint8 [224,224,3])."""
    return [
        (side_px, crop_face(pixels, similarity(points, CROP_PX), CROP_PX))
        for side_px, points in largest_detections(pixels, detector)
    ]


def image_rows(images: list[FaceImage], detector: FaceDetector, done: set[str]) -> Iterator[Rows]:
    """Cuts the crops of the detections of every image at every degradation level."""
    for entry in images:
        if entry.image.sha256 in done:
            continue
        try:
            pixels = read_image(entry.image.path)
        except OSError as error:
            print(f"left out {entry.image.path.name}: {error}")
            continue
        line = entry.line()
        yield [
            ({**line, "pair": "", "tier": level, "face": face, "side_px": round(side_px, 1)}, crop)
            for level in LEVELS
            for face, (side_px, crop) in enumerate(
                detected_faces(np.ascontiguousarray(to_level(pixels, level)), detector)
            )
        ]


def main() -> None:
    parser = command_parser(__doc__, "images", "sources", "faces", "faces-csv", "out")
    parser.add_argument("what", choices=("train", "images"))
    add_backbone_arguments(parser)
    parser.add_argument("--stored", type=Path, nargs="+", help="for train: crops of sources.csv, of faces.csv")
    parser.add_argument("--landmarks", type=Path, help="for train: OpenSeeFace's model")
    parser.add_argument("--autoencoders", type=Path, help="for train: folder of taesd weights")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mix", choices=MIXES, default="all", help="for train: which fakes are made")
    parser.add_argument("--pairs-only", action="store_true", help="leave out faces that get no paired fake")
    parser.add_argument("--face-detector", type=Path, help="for images: folder of the face detector")
    parser.add_argument("--made", type=Path, help="for images: fakes made by face_specialist.unseen")
    parser.add_argument("--groups", type=Path, help="for images: output of face_specialist.groups")
    parser.add_argument("--split", choices=("train", "validation", "test"), help="for images")
    parser.add_argument("--most", type=int, help="stop after so many images")
    parser.add_argument("--share", default="0/1")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    share, shares = map(int, args.share.split("/"))
    split = "train" if args.what == "train" else args.split
    entries = [*from_sources(args.images, args.sources), *from_faces(args.faces, args.faces_csv)]
    entries = [entry for entry in entries if entry.split == split]
    session = feature_session(open_backbone(args.backbone, args.calibration))
    file = feature_file(args.out, share)
    if args.what == "train":
        stores = [FaceStore(folder, [entry.image for entry in entries]) for folder in args.stored]
        pool = FacePool(stores, entries, LandmarkDetector(args.landmarks))
        rows = training_rows(
            pool, FakeMaker(args.autoencoders), MIXES[args.mix], args.seed, (share, shares), file.done, args.pairs_only
        )
    else:
        entries += read_made(args.made, split) if args.made else []
        entries += read_made(args.groups, split, MADE_GROUP) if args.groups else []
        rows = image_rows(entries[share::shares], FaceDetector(args.face_detector), file.done)
    for index, crops in enumerate(tqdm(rows, unit="image", mininterval=30)):
        file.add([(line, session.run(None, {"pixels": crop[None]})[0][0]) for line, crop in crops])
        if args.most and index + 1 >= args.most:
            break


if __name__ == "__main__":
    main()
