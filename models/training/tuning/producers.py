"""Processes that make training crops during training. Each fills its own ring buffer (tuning.feed).

There are three kinds: `images` (crops of whole training images), `faces` (faces, fakes made from them, and collected
fakes), and `pairs` (genuine crops, each with its version after an autoencoder of an image generator).
"""

import multiprocessing
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import cv2
import numpy as np
import torch

from data.autoencoders import FAMILIES, Autoencoder
from data.mix import draw_weights
from data.split import ListedImage, load_images
from encoder.features import training_rows
from encoder.heads import cell_weights
from encoder.package import TUNED
from face_specialist.fakes import MIXES, FakeMaker
from face_specialist.landmarks import LandmarkDetector
from face_specialist.pairs import FacePool, StoredFace, crops_of
from face_specialist.perturbation import perturb
from face_specialist.roster import from_faces, from_sources
from face_specialist.stored import FaceStore
from face_specialist.train import ONE_CLASS_SHARE
from full_image.pairs import pair_rows
from full_image.train import CROPS_OF
from tuning.feed import SHARES, Ring

FACE_SHARES = {"paired_fake": 0.40, "generated": 0.34, "manipulated": 0.08, "genuine": 0.18}
"""Shares in which faces are drawn, as for the released encoder: genuine photographs with a fake made from them, and
single faces by label. If a group is empty, the others share its draws."""
COLUMN_OF = {crop: column for column, crops in CROPS_OF.items() for crop in crops}
"""Head that each kind of training crop trains."""
Item = TypeVar("Item")
Row = tuple[dict, np.ndarray]
"""Line that describes a crop, and the crop uint8 [224,224,3]."""
Draw = Callable[[], list[Row]]
"""Function that draws something at random and returns its crops. Returns none if the image can't be read."""


@dataclass(frozen=True)
class Material:
    """Paths of the images that are cropped, and of the networks that degrade them (see the arguments of `tuning.tune`)."""

    images: Path
    sources: Path
    graphics: Path | None
    faces: Path
    faces_csv: Path
    stored: list[Path]
    landmarks: Path
    autoencoders: Path

    def training_images(self) -> list[ListedImage]:
        """Lists the collected training images."""
        return [image for image in load_images(self.images, self.sources) if image.split == "train"]

    def graphics_images(self) -> list[ListedImage]:
        """Lists the images that data.graphics made, if any."""
        return load_images(self.graphics, self.graphics / "index.csv") if self.graphics else []

    def face_pool(self) -> FacePool:
        """Loads the stored faces of the training split. Finding their landmarks takes about a minute."""
        entries = [*from_sources(self.images, self.sources), *from_faces(self.faces, self.faces_csv)]
        entries = [entry for entry in entries if entry.split == "train"]
        stores = [FaceStore(folder, [entry.image for entry in entries]) for folder in self.stored]
        return FacePool(stores, entries, LandmarkDetector(self.landmarks))


def target_of(**answers: float) -> np.ndarray:
    """Returns a target float32 [5] with the given labels by column. The other columns are nan."""
    return np.array([answers.get(column, np.nan) for column in TUNED], np.float32)


def image_target(line: dict) -> np.ndarray:
    """Returns the target of a crop of a whole image: a label for the head of its kind."""
    return target_of(**{COLUMN_OF[line["crop"]]: float(line["is_ai"])})


def face_target(line: dict) -> np.ndarray:
    """Returns the target of a face: a genuine face has labels for both face heads, a fake only for its own head."""
    return target_of(manipulated=0, generated=0) if line["label"] == "genuine" else target_of(**{line["label"]: 1})


def drawing(items: list[Item], weights: np.ndarray, random: np.random.Generator) -> Callable[[], Item]:
    """Returns a function that draws an item by its weight."""
    bounds = np.cumsum(weights)
    return lambda: items[min(int(np.searchsorted(bounds, random.random() * bounds[-1])), len(items) - 1)]


def image_draw(material: Material, random: np.random.Generator, device: str) -> Draw:
    """Returns a function that draws a training image as `data.mix` weighs it and cuts one crop of each kind."""
    images = [*material.training_images(), *material.graphics_images()]
    draw = drawing(images, draw_weights(images), random)
    return lambda: [row for rows in training_rows([draw()], int(random.integers(1 << 30)), set()) for row in rows]


def pair_draw(material: Material, random: np.random.Generator, device: str) -> Draw:
    """Returns a function that draws a genuine collected image and cuts crops, each also after an autoencoder."""
    genuine = [image for image in material.training_images() if not image.is_ai]
    draw = drawing(genuine, draw_weights(genuine), random)
    autoencoders = {family: Autoencoder(material.autoencoders, family, device) for family in FAMILIES}
    return lambda: [
        row for rows in pair_rows([draw()], autoencoders, int(random.integers(1 << 30)), set()) for row in rows
    ]


def face_drawing(faces: list[StoredFace], random: np.random.Generator) -> Callable[[], tuple[str, StoredFace]]:
    """Returns a function that draws a group of FACE_SHARES and a face in it.

    Faces are drawn by source and method. Sources with one label are drawn less often.
    """
    names = ("genuine", "manipulated", "generated")
    weights = cell_weights(
        [(face.entry.image.source, face.entry.method) for face in faces],
        np.array([names.index(face.entry.label) for face in faces]),
    )
    labels = defaultdict(set)
    for face in faces:
        labels[face.entry.image.source].add(face.entry.label)
    # A head could learn the look of a source with only one label. A fake made from its faces prevents that.
    weights *= [
        1 if len(labels[face.entry.image.source]) > 1 or face.points is not None else ONE_CLASS_SHARE for face in faces
    ]
    draws = {}
    for sort in FACE_SHARES:
        rows = [
            row
            for row, face in enumerate(faces)
            if (face.points is not None if sort == "paired_fake" else face.entry.label == sort)
        ]
        if rows:
            draws[sort] = drawing([faces[row] for row in rows], weights[rows], random)
    shares = np.array([FACE_SHARES[sort] for sort in draws])
    draw_sort = drawing(list(draws), shares, random)
    return lambda: (sort := draw_sort(), draws[sort]())


def face_draw(material: Material, random: np.random.Generator, device: str) -> Draw:
    """Returns a function that draws a collected face, or a face and a fake made from it with the same perturbation."""
    pool, maker = material.face_pool(), FakeMaker(material.autoencoders)
    draw = face_drawing(pool.faces, random)

    def rows() -> list[Row]:
        sort, face = draw()
        if sort == "paired_fake":
            return crops_of(face, pool, maker, MIXES["all"], int(random.integers(1 << 30)))
        return [({"label": face.entry.label}, perturb(pool.pixels(face), random))]

    return rows


KINDS = {"images": (image_draw, image_target), "faces": (face_draw, face_target), "pairs": (pair_draw, image_target)}


def produce(kind: str, material: Material, folder: Path, name: str, slots: int, seed: list[int], device: str) -> None:
    """Fills a ring until the parent process ends. Runs in its own process."""
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    ring, (start, target) = Ring(folder, name, slots), KINDS[kind]
    draw = start(material, np.random.default_rng(seed), device)
    while multiprocessing.parent_process().is_alive():
        try:
            rows = draw()
        except (OSError, ValueError, cv2.error) as error:
            print(f"{name} left one out: {error}", flush=True)
            continue
        for line, crop in rows:
            ring.put(crop, target(line))


def divide(producers: int) -> dict[str, int]:
    """Divides the processes between the kinds.

    A sixth make faces and a ninth pairs, as for the released encoder. Raises ValueError for fewer than three processes.
    """
    if producers < len(SHARES):
        raise ValueError(f"{producers} producers; {len(SHARES)} at least, one for each kind of crop")
    faces, pairs = max(1, round(producers / 6)), max(1, round(producers / 9))
    return {"images": producers - faces - pairs, "faces": faces, "pairs": pairs}


class Producers:
    """Starts the processes and owns their rings. The processes end with the `with` block."""

    def __init__(self, material: Material, count: int, folder: Path, slots: int, seed: list[int], device: str):
        # Spawned, not forked, because a process that uses the GPU must not inherit the state of the training loop.
        context, self.rings, self._processes = multiprocessing.get_context("spawn"), {}, []
        for kind, wanted in divide(count).items():
            names = [f"{kind}.{index}" for index in range(wanted)]
            self.rings[kind] = [Ring(folder, name, slots, new=True) for name in names]
            for name in names:
                args = (kind, material, folder, name, slots, [*seed, len(self._processes)], device)
                self._processes.append(context.Process(target=produce, args=args, name=name, daemon=True))

    def __enter__(self) -> "Producers":
        for process in self._processes:
            process.start()
        return self

    def __exit__(self, *failure: object) -> None:
        for process in self._processes:
            process.terminate()
            process.join()

    def check(self) -> None:
        """Raises RuntimeError if a process has ended."""
        for process in self._processes:
            if not process.is_alive():
                raise RuntimeError(f"the producer {process.name} ended with {process.exitcode}")
