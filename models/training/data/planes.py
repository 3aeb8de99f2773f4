"""What training sees of a picture, decoded once: a shrunken plane, crops at native and at web size, and its faces.

    python -m data.planes --pictures PICTURES --sources sources.csv --finder ../face_detector --out PLANES [--share 0/2]

Each share writes `planes.K.bin` (uint8 RGB, one array after the other) and `planes.K.jsonl` (a line a picture) and goes on
where it stopped. Two shares in two processes fill two cores.
"""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from data.degrade import resize
from data.pictures import read_picture
from data.split import Picture, load_pictures
from face_detector.find import FaceFinder
from face_specialist.align import crop_face, similarity
from face_specialist.crops import LOWEST_SCORE, MOST_FACES, SIDE_PX, SMALLEST_FACE_PX, margin_template

MIDDLE_SHORT_PX, MIDDLE_LONG_PX, CROP_PX, NATIVE_CROPS = 320, 640, 256, 2
WEB_LONG_PX = (448, 1024)
"""Longer sides that pictures on the web are shrunk to: drawn evenly, for the crop at web size."""
TRIES = 3


@dataclass(frozen=True)
class Plane:
    """One array of a picture: `kind` is middle, native, web or face; `file`, `offset`, `shape` say where it lies."""

    kind: str
    file: int
    offset: int
    shape: tuple[int, int, int]


@dataclass(frozen=True)
class StoredPicture:
    """A picture and its planes."""

    picture: Picture
    planes: list[Plane]

    def of(self, kind: str) -> list[Plane]:
        """Its planes of a kind."""
        return [plane for plane in self.planes if plane.kind == kind]


def texture(pixels: np.ndarray) -> float:
    """Mean absolute difference between neighbours of the green channel."""
    green = pixels[:, :, 1].astype(np.int16)
    return float(np.abs(np.diff(green, axis=0)).mean() + np.abs(np.diff(green, axis=1)).mean())


def textured_crop(pixels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The most textured of TRIES random crops of CROP_PX (smaller where a side is)."""
    height, width = pixels.shape[:2]
    best = None
    for _ in range(TRIES):
        top, left = int(rng.integers(0, max(1, height - CROP_PX + 1))), int(rng.integers(0, max(1, width - CROP_PX + 1)))
        crop = pixels[top:top + CROP_PX, left:left + CROP_PX]
        if best is None or texture(crop) > texture(best):
            best = crop
    return best


def scaled(pixels: np.ndarray, scale: float) -> np.ndarray:
    """Shrunk by `scale`; never enlarged."""
    height, width = pixels.shape[:2]
    return pixels if scale >= 1 else resize(pixels, max(1, round(width * scale)), max(1, round(height * scale)))


def planes_of(pixels: np.ndarray, finder: FaceFinder, rng: np.random.Generator) -> list[tuple[str, np.ndarray]]:
    """(kind, uint8 [h,w,3]) of one picture."""
    height, width = pixels.shape[:2]
    short, long = min(height, width), max(height, width)
    planes = [("middle", scaled(pixels, min(MIDDLE_SHORT_PX / short, MIDDLE_LONG_PX / long)))]
    planes += [("native", textured_crop(pixels, rng)) for _ in range(NATIVE_CROPS)]
    web = scaled(pixels, max(float(rng.uniform(*WEB_LONG_PX)) / long, CROP_PX / short))
    planes.append(("web", textured_crop(web, rng)))
    faces = finder.find(pixels, LOWEST_SCORE)
    sides = faces.boxes[:, 2:].min(axis=1) if len(faces) else np.zeros(0)
    for face in np.argsort(-sides)[:MOST_FACES]:
        if sides[face] >= SMALLEST_FACE_PX:
            planes.append(("face", crop_face(pixels, similarity(faces.points[face], SIDE_PX, margin_template()), SIDE_PX)))
    return planes


def write_share(pictures: list[Picture], finder: FaceFinder, out: Path, share: int) -> None:
    """Appends what is missing; a file that does not decode gets a line without planes."""
    out.mkdir(parents=True, exist_ok=True)
    index = out / f"planes.{share}.jsonl"
    lines = [json.loads(line) for line in index.read_text().splitlines()] if index.is_file() else []
    done = {line["sha256"] for line in lines}
    offset = max((line["end"] for line in lines), default=0)
    with (out / f"planes.{share}.bin").open("ab") as planes_file, index.open("a") as index_file:
        planes_file.truncate(offset)
        for picture in tqdm([p for p in pictures if p.sha256 not in done], unit="picture", mininterval=20):
            planes = []
            try:
                rng = np.random.default_rng(int(picture.sha256[:12], 16))
                for kind, pixels in planes_of(read_picture(picture.path), finder, rng):
                    planes.append([kind, offset, *pixels.shape[:2]])
                    planes_file.write(np.ascontiguousarray(pixels).tobytes())
                    offset += pixels.size
            except (OSError, ValueError, cv2.error) as error:
                print(f"left out {picture.path.name}: {error}")
            planes_file.flush()
            index_file.write(json.dumps({"sha256": picture.sha256, "end": offset, "planes": planes}) + "\n")
            index_file.flush()


class PlaneStore:
    """Read access to the planes of a folder, all shares together."""

    def __init__(self, folder: Path, pictures: list[Picture]):
        by_hash, self.pictures, self._files = {picture.sha256: picture for picture in pictures}, [], {}
        for index in sorted(folder.glob("planes.*.jsonl")):
            share = int(index.suffixes[0][1:])
            self._files[share] = np.memmap(index.with_suffix(".bin"), np.uint8, "r")
            for line in map(json.loads, index.read_text().splitlines()):
                if line["sha256"] in by_hash and line["planes"]:
                    planes = [Plane(kind, share, offset, (height, width, 3)) for kind, offset, height, width in line["planes"]]
                    self.pictures.append(StoredPicture(by_hash[line["sha256"]], planes))

    def pixels(self, plane: Plane) -> np.ndarray:
        """RGB uint8 [h,w,3], a view of the file."""
        return self._files[plane.file][plane.offset:plane.offset + int(np.prod(plane.shape))].reshape(plane.shape)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=Path, required=True)
    parser.add_argument("--sources", type=Path, required=True, help="sources.csv or faces.csv")
    parser.add_argument("--finder", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--part", default="train")
    parser.add_argument("--share", default="0/1", help="K/N: every N-th picture from the K-th on")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    share, shares = map(int, arguments.share.split("/"))
    pictures = [p for p in load_pictures(arguments.pictures, arguments.sources) if p.part == arguments.part]
    write_share(pictures[share::shares], FaceFinder(arguments.finder), arguments.out, share)


if __name__ == "__main__":
    main()
