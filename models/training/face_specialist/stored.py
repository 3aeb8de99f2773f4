"""Finds the faces of training images once and stores them as aligned crops.

    python -m face_specialist.stored --images IMAGES --sources CSV --face-detector ../face_detector --out STORED
        [--share 0/2]

CSV is sources.csv or faces.csv. Each process writes `crops.K.bin` (uint8 RGB [288,288,3], one after the other) and
`crops.K.jsonl` (one line per image), and continues an interrupted run. Two processes with different `--share` use two
cores.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from data.images import read_image
from data.split import ListedImage, load_images
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

SHAPE = (SIDE_PX, SIDE_PX, 3)


@dataclass(frozen=True)
class StoredCrops:
    """Location of an image's crops: `count` crops from number `first` on, in the file of process `share`."""

    image: ListedImage
    share: int
    first: int
    count: int


def face_crops(pixels: np.ndarray, detector: FaceDetector) -> list[np.ndarray]:
    """Cuts the crops of an image's largest faces, uint8 [288,288,3]."""
    faces = detector.detect(pixels, LOWEST_SCORE)
    sides = faces.boxes[:, 2:].min(axis=1) if len(faces) else np.zeros(0)
    return [
        crop_face(pixels, similarity(faces.points[face], SIDE_PX, margin_template()), SIDE_PX)
        for face in np.argsort(-sides)[:MAX_FACES]
        if sides[face] >= SMALLEST_FACE_PX
    ]


def write_share(images: list[ListedImage], detector: FaceDetector, out: Path, share: int) -> None:
    """Appends the images that are missing in the file. An image that can't be decoded gets a line without crops."""
    out.mkdir(parents=True, exist_ok=True)
    index = out / f"crops.{share}.jsonl"
    lines = [json.loads(line) for line in index.read_text().splitlines()] if index.is_file() else []
    done, count = {line["sha256"] for line in lines}, sum(line["crops"] for line in lines)
    with (out / f"crops.{share}.bin").open("ab") as crops_file, index.open("a") as index_file:
        crops_file.truncate(count * int(np.prod(SHAPE)))
        for image in tqdm([p for p in images if p.sha256 not in done], unit="image", mininterval=20):
            crops = []
            try:
                crops = face_crops(read_image(image.path), detector)
            except (OSError, ValueError, cv2.error) as error:
                print(f"left out {image.path.name}: {error}")
            crops_file.write(b"".join(crop.tobytes() for crop in crops))
            crops_file.flush()
            index_file.write(json.dumps({"sha256": image.sha256, "crops": len(crops)}) + "\n")
            index_file.flush()


class FaceStore:
    """Reads the crops in a folder, whichever process wrote them."""

    def __init__(self, folder: Path, images: list[ListedImage]):
        by_hash, self.images, self._files = {image.sha256: image for image in images}, [], {}
        for index in sorted(folder.glob("crops.*.jsonl")):
            share, first = int(index.suffixes[0][1:]), 0
            lines = list(map(json.loads, index.read_text().splitlines()))
            if any(line["crops"] for line in lines):
                self._files[share] = np.memmap(index.with_suffix(".bin"), np.uint8, "r").reshape(-1, *SHAPE)
            for line in lines:
                if line["sha256"] in by_hash and line["crops"]:
                    self.images.append(StoredCrops(by_hash[line["sha256"]], share, first, line["crops"]))
                first += line["crops"]

    def crop(self, stored: StoredCrops, index: int) -> np.ndarray:
        """Reads one of an image's crops, uint8 [288,288,3]."""
        return self._files[stored.share][stored.first + index]


def main() -> None:
    parser = command_parser(__doc__, "images", "sources", "face-detector", "out")
    parser.add_argument("--share", default="0/1", help="K/N: every N-th image from the K-th on")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    share, shares = map(int, args.share.split("/"))
    images = [p for p in load_images(args.images, args.sources) if p.split == "train"]
    write_share(images[share::shares], FaceDetector(args.face_detector), args.out, share)


if __name__ == "__main__":
    main()
