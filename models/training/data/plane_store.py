"""Decoded training pictures as planes in one flat file, so that the trainer never decodes a file.

    python -m data.plane_store --pictures PICTURES --faces FACES --drawn DRAWN --out PLANES

A picture gives one plane: itself, or where its longer side exceeds 1024 px itself shrunk to that, and then also up to
three native-resolution crops of 512 px. `planes.bin` has the bytes, `planes.json` the list.
"""
import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from tqdm import tqdm

from data.degrade import shrink_to
from data.pictures import read_picture
from data.split import Picture, load_face_pictures, load_pictures

WHOLE_PX, CROP_PX, CROPS = 1024, 512, 3


@dataclass(frozen=True)
class Plane:
    """Where one plane lies in the file: byte offset, size, and whether it is the whole picture."""

    offset: int
    height: int
    width: int
    whole: bool


@dataclass(frozen=True)
class StoredPicture:
    """A picture's identity and its planes; the whole picture comes first."""

    sha256: str
    is_ai: bool
    source: str
    generator: str
    planes: list[Plane]


def planes_of(pixels: np.ndarray, rng: np.random.Generator) -> list[np.ndarray]:
    """The whole picture (shrunk where large), then native crops at random places where it was shrunk."""
    planes = [shrink_to(pixels, WHOLE_PX)]
    height, width = pixels.shape[:2]
    if max(height, width) > WHOLE_PX * 1.2:
        for _ in range(CROPS):
            top = int(rng.integers(0, max(1, height - CROP_PX)))
            left = int(rng.integers(0, max(1, width - CROP_PX)))
            planes.append(pixels[top:top + CROP_PX, left:left + CROP_PX])
    return planes


def write_planes(pictures: list[Picture], out: Path, seed: int = 1) -> list[StoredPicture]:
    """Writes planes.bin and planes.json; a file that does not decode is left out and named."""
    out.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    stored, offset = [], 0
    with (out / "planes.bin").open("wb") as stream:
        for picture in tqdm(pictures, unit="picture", mininterval=10):
            try:
                pixels = read_picture(picture.path)
            except OSError as error:
                print(f"left out {picture.path.name}: {error}")
                continue
            planes = []
            for index, plane in enumerate(planes_of(pixels, rng)):
                stream.write(np.ascontiguousarray(plane).tobytes())
                planes.append(Plane(offset, plane.shape[0], plane.shape[1], index == 0))
                offset += plane.size
            stored.append(StoredPicture(picture.sha256, picture.is_ai, picture.source, picture.generator, planes))
    (out / "planes.json").write_text(json.dumps([asdict(picture) for picture in stored]))
    return stored


class PlaneStore:
    """Read access to the planes of a folder."""

    def __init__(self, folder: Path):
        self.pictures = [StoredPicture(**{**entry, "planes": [Plane(**plane) for plane in entry["planes"]]})
                         for entry in json.loads((folder / "planes.json").read_text())]
        self._bytes = np.memmap(folder / "planes.bin", np.uint8, "r")

    def pixels(self, plane: Plane) -> np.ndarray:
        """RGB uint8 [H,W,3], a view of the file."""
        size = plane.height * plane.width * 3
        return self._bytes[plane.offset:plane.offset + size].reshape(plane.height, plane.width, 3)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=Path, required=True)
    parser.add_argument("--faces", type=Path, required=True)
    parser.add_argument("--drawn", type=Path, required=True, help="what `data.drawn` wrote")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    pictures = [p for p in load_pictures(arguments.pictures) if p.part == "train"]
    pictures += load_face_pictures(arguments.faces) + load_pictures(arguments.drawn)
    stored = write_planes(pictures, arguments.out)
    print(f"{len(stored)} pictures, {(arguments.out / 'planes.bin').stat().st_size / 1e9:.1f} GB")


if __name__ == "__main__":
    main()
