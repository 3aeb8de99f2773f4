"""Finds near-duplicate pictures across the split by perceptual hash, and says which ones leave validation and test.

    python -m data.near_duplicates --pictures PICTURES --faces FACES

writes `near_duplicates.csv` (sha256, part, twin_sha256, twin_part, distance) into PICTURES; `split` then leaves out each
picture of validation that has a twin in training, and of test that has one in training or validation. Two hashes are
used together, so that one look-alike (a plain sky) does not count: 64-bit DCT hash within 6 bits, mean colour layout within 24.
"""
import argparse
import csv
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from data.degrade import resize
from data.pictures import read_picture
from data.split import DUPLICATES_FILE, Picture, load_face_pictures, load_pictures

HASH_BITS, LAYOUT_LEVELS = 6, 24
ORDER = {"train": 0, "validation": 1, "test": 2}


def perceptual_hash(pixels: np.ndarray) -> np.ndarray:
    """64 bools: signs of the 8x8 lowest DCT coefficients of a 32 px grey thumbnail about their median."""
    grey = cv2.cvtColor(resize(pixels, 32, 32), cv2.COLOR_RGB2GRAY).astype(np.float32)
    low = cv2.dct(grey)[:8, :8].flatten()
    return low > np.median(low[1:])


def colour_layout(pixels: np.ndarray) -> np.ndarray:
    """Colours of a 4x4 thumbnail, int16 [48]."""
    return resize(pixels, 4, 4).astype(np.int16).flatten()


def find_twins(pictures: list[Picture]) -> list[tuple[Picture, Picture, int]]:
    """(picture, its nearest twin in an earlier part, hash distance) for each picture that has one."""
    hashes, layouts = [], []
    for picture in tqdm(pictures, unit="picture", mininterval=10):
        pixels = read_picture(picture.path)
        hashes.append(perceptual_hash(pixels))
        layouts.append(colour_layout(pixels))
    hashes, layouts = np.array(hashes), np.array(layouts)
    parts = np.array([ORDER[picture.part] for picture in pictures])
    twins = []
    for index, picture in enumerate(pictures):
        earlier = np.flatnonzero(parts < parts[index])
        if not len(earlier):
            continue
        distances = (hashes[earlier] != hashes[index]).sum(1)
        close = np.abs(layouts[earlier] - layouts[index]).mean(1) <= LAYOUT_LEVELS
        distances = np.where(close, distances, 64)
        best = int(distances.argmin())
        if distances[best] <= HASH_BITS:
            twins.append((picture, pictures[earlier[best]], int(distances[best])))
    return twins


def main() -> None:
    """Command line; prints the count for each pair of sources."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=Path, required=True)
    parser.add_argument("--faces", type=Path, required=True)
    arguments = parser.parse_args()
    (arguments.pictures / DUPLICATES_FILE).unlink(missing_ok=True)
    pictures = load_pictures(arguments.pictures) + load_face_pictures(arguments.faces)
    twins = find_twins(pictures)
    with (arguments.pictures / DUPLICATES_FILE).open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["sha256", "part", "twin_sha256", "twin_part", "distance"])
        for picture, twin, distance in twins:
            writer.writerow([picture.sha256, picture.part, twin.sha256, twin.part, distance])
    pairs = {}
    for picture, twin, _ in twins:
        key = f"{picture.source} ({picture.part}) ~ {twin.source} ({twin.part})"
        pairs[key] = pairs.get(key, 0) + 1
    for key, count in sorted(pairs.items(), key=lambda item: -item[1]):
        print(f"{count:4d} {key}")
    print(f"{len(twins)} pictures left out of {len(pictures)}")


if __name__ == "__main__":
    main()
