"""Makes fakes by methods that are never used in training, from images of one split.

    python -m face_specialist.unseen --split test --face-detector ../face_detector --landmarks MODEL --images IMAGES
        --sources CSV --faces FACES --faces-csv CSV --out MADE

Writes PNG files and `SPLIT.csv`. Validation and test both get faces warped over triangles with a Poisson seam, and
faces with another person's expression. The test split also gets fakes by an autoencoder trained on two people.
"""

import csv
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from PIL import Image
from tqdm import tqdm

from data.degrade import shrink_to
from data.images import read_image
from data.split import ListedImage, read_csv
from export.command import command_parser
from face_detector.detect import FaceDetector
from face_specialist.align import LOWEST_SCORE, MARGIN, SIDE_PX, crop_face, margin_template, similarity
from face_specialist.landmarks import INNER_LIPS, MIN_CONFIDENCE, LandmarkDetector
from face_specialist.roster import GREY, TWO_PEOPLE, FaceImage, from_faces, from_sources
from face_specialist.triangles import reenact_face, size_of, swap_face
from face_specialist.two_people import swap_person, train_two_people

SMALLEST_PX, LONGEST_PX = 96, 2000
"""Minimum side in px of faces from which fakes are made, and maximum longer side in px of images. Larger images are
left out, as in all versions. Group images are rare, so they are shrunk instead."""
COUNTS = {"validation": 60, "test": 90}
"""Number of fakes of each method in a split."""
CANDIDATES = 25
COLUMNS = ("file", "sha256", "label", "method", "split", "source", "group", "made_of", "width", "height")


@dataclass(frozen=True)
class Person:
    """A face in an image, `side_px` in size.

    `crop` is its stored crop, cut by `matrix`. `crop_points` and `points` are its landmarks in the crop and in the
    image.
    """

    entry: FaceImage
    side_px: float
    crop: np.ndarray
    matrix: np.ndarray
    crop_points: np.ndarray
    points: np.ndarray


def pixels_of(entry: FaceImage) -> np.ndarray:
    """Reads the image for making fakes, uint8 [H,W,3], shrunk to LONGEST_PX. Raises OSError if it is damaged."""
    return shrink_to(read_image(entry.image.path), LONGEST_PX)


def people_in(
    entry: FaceImage, detector: FaceDetector, landmarks: LandmarkDetector, smallest_px: float = SMALLEST_PX
) -> list[Person]:
    """Lists the faces of an image that are large and sharp enough, largest first."""
    try:
        pixels = pixels_of(entry)
    except OSError:
        return []
    faces, people = detector.detect(pixels, LOWEST_SCORE), []
    sides = faces.boxes[:, 2:].min(axis=1) if len(faces) else np.zeros(0)
    for face in (face for face in np.argsort(-sides, kind="stable") if sides[face] >= smallest_px):
        matrix = similarity(faces.points[face], SIDE_PX, margin_template())
        crop = crop_face(pixels, matrix, SIDE_PX)
        points, confidence = landmarks.detect(crop, MARGIN)
        if confidence >= MIN_CONFIDENCE:
            inverse = cv2.invertAffineTransform(matrix)
            in_image = points @ inverse[:, :2].T + inverse[:, 2]
            people.append(Person(entry, float(sides[face]), crop, matrix, points, in_image))
    return people


def near_people(person: Person, people: list[Person], random: np.random.Generator) -> list[Person]:
    """Lists some other people, the most similar pose and skin first, with faces that are not much smaller."""
    drawn = [people[index] for index in random.permutation(len(people))[:CANDIDATES]]
    others = [
        other
        for other in drawn
        if other.entry.group != person.entry.group and size_of(other.points) > 0.6 * size_of(person.points)
    ]
    middle = slice(int(0.45 * SIDE_PX), int(0.6 * SIDE_PX))

    def distance(other: Person) -> float:
        colour = np.abs(
            other.crop[middle, middle].mean(axis=(0, 1)) - person.crop[middle, middle].mean(axis=(0, 1))
        ).mean()
        return float(np.abs(other.crop_points - person.crop_points).mean() + 0.1 * colour)

    return sorted(others, key=distance)


def in_region(person: Person, pixels: np.ndarray, change: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
    """Applies `change(region, points in it)` to the square around the face and returns the changed image."""
    reach = 2.6 * size_of(person.points)
    left, top = np.clip((person.points.mean(axis=0) - reach).astype(int), 0, None)
    right, bottom = np.minimum((person.points.mean(axis=0) + reach).astype(int), pixels.shape[1::-1])
    made = pixels.copy()
    made[top:bottom, left:right] = change(
        np.ascontiguousarray(pixels[top:bottom, left:right]), person.points - (left, top)
    )
    return made


def mouth_opening(person: Person) -> float:
    """Returns how far the mouth is open, in px of the stored crop."""
    return float(np.ptp(person.crop_points[list(INNER_LIPS), 1]))


def make_fake(method: str, person: Person, people: list[Person], random: np.random.Generator) -> np.ndarray | None:
    """Changes an image by one of the two triangle methods. Returns None if no other person fits."""
    others, pixels = near_people(person, people, random), pixels_of(person.entry)
    inside = (person.points > 2).all() and (person.points < np.array(pixels.shape[1::-1]) - 3).all()
    if not others or not inside:
        return None
    if method == "triangle-swap":
        other = others[0]
        source = pixels_of(other.entry)
        return in_region(person, pixels, lambda region, points: swap_face(region, points, source, other.points))
    driver = max(others[:8], key=lambda other: abs(mouth_opening(other) - mouth_opening(person)))
    source = pixels_of(driver.entry)
    return in_region(person, pixels, lambda region, points: reenact_face(region, points, source, driver.points))


class MadeFolder:
    """Writes fakes as PNG files, with a row of the list for each."""

    def __init__(self, folder: Path, split: str):
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._split, self._rows = folder, split, []

    def add(self, pixels: np.ndarray, method: str, entry: FaceImage, face: int = 0) -> None:
        """Writes a fake of the image `entry`, in which the face with this number was changed."""
        name = f"{entry.image.sha256[:16]}.{face}.{method}.png"
        Image.fromarray(pixels).save(self._folder / name)
        digest = hashlib.sha256((self._folder / name).read_bytes()).hexdigest()
        made, of = (name, digest, "manipulated", method, self._split), entry.image
        self._rows.append((*made, of.source, entry.group, of.sha256, *pixels.shape[1::-1]))

    def close(self) -> None:
        """Writes the list of fakes."""
        with (self._folder / f"{self._split}.csv").open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(COLUMNS)
            writer.writerows(self._rows)


def read_made(folder: Path, split: str, kind: str = "made") -> list[FaceImage]:
    """Lists the fakes that this command or `face_specialist.groups` wrote for a split."""
    found = []
    for row in read_csv(folder / f"{split}.csv"):
        described = {
            "is_ai": True,
            "source": row["source"],
            "generator": row["method"],
            "kind": kind,
            "content": "face",
        }
        image = ListedImage.of_row(folder / row["file"], row, split, **described)
        found.append(FaceImage(image, row["label"], row["method"], row["group"], split))
    return found


def people_of(entries: list[FaceImage], detector: FaceDetector, landmarks: LandmarkDetector) -> list[Person]:
    """Lists the largest face of each image that has a face."""
    whole = [entry for entry in entries if max(entry.image.width, entry.image.height) <= LONGEST_PX]
    found = (people_in(entry, detector, landmarks) for entry in tqdm(whole, unit="image", mininterval=20))
    return [people[0] for people in found if people]


def main() -> None:
    parser = command_parser(__doc__, "face-detector", "landmarks", "images", "sources", "faces", "faces-csv", "out")
    parser.add_argument("--split", choices=tuple(COUNTS), required=True)
    parser.add_argument("--count", type=int, help="of each method; default: COUNTS")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    detector, landmarks = FaceDetector(args.face_detector), LandmarkDetector(args.landmarks)
    roster = [*from_sources(args.images, args.sources), *from_faces(args.faces, args.faces_csv)]
    photographs = [entry for entry in roster if entry.is_photograph and entry.image.source != GREY]
    count, random = args.count or COUNTS[args.split], np.random.default_rng(17)
    people = people_of([entry for entry in photographs if entry.split == args.split], detector, landmarks)
    folder, two = MadeFolder(args.out, args.split), [p for p in people if p.entry.image.source == TWO_PEOPLE]
    people = [person for person in people if person.entry.image.source != TWO_PEOPLE]
    print(f"{len(people)} people in images of the {args.split} part")
    for method in ("triangle-swap", "triangle-reenactment"):
        made = 0
        for index in random.permutation(len(people)):
            pixels = make_fake(method, people[index], people, random) if made < count else None
            if pixels is not None:
                folder.add(pixels, method, people[index].entry)
                made += 1
    if two:
        names = {row["sha256"]: Path(row["path"]).parent.name for row in read_csv(args.sources)}
        who = sorted({names[person.entry.image.sha256] for person in two})
        taught = people_of([entry for entry in photographs if entry.split == "autoencoder"], detector, landmarks)
        crops = tuple([p.crop for p in taught if names[p.entry.image.sha256] == name] for name in who)
        network = train_two_people(crops)
        for person in (two[index] for index in random.permutation(len(two))[:count]):
            other = 1 - who.index(names[person.entry.image.sha256])
            pixels = pixels_of(person.entry)
            made = swap_person(pixels, person.crop, person.crop_points, person.matrix, network, other)
            folder.add(made, "two-people-autoencoder", person.entry)
    folder.close()


if __name__ == "__main__":
    main()
