"""Reads the stored crops and sorts them into the pools that training, choosing and testing draw from."""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from face_detector.parts import Placement

ALSO_TRAINING = frozenset({"Mohanish-5744/Major_Ensemble_Gender"})
"""UTKFace chooses for the finder; here its 600 genuine faces are worth more in training."""


@dataclass(frozen=True)
class StoredCrop:
    """One stored crop: row of crops.npy, its picture, and where that picture belongs."""

    row: int
    picture: str
    placement: Placement
    side_px: float

    @property
    def part(self) -> str:
        """train, validation, test or unused."""
        return "train" if self.placement.repository in ALSO_TRAINING else self.placement.part

    @property
    def is_fake(self) -> bool:
        """Swapped, generated or edited."""
        return self.placement.label != "real"


def read_crops(folder: Path, placements: dict[str, Placement]) -> tuple[np.ndarray, list[StoredCrop]]:
    """crops.npy (memory-mapped uint8 [N,288,288,3]) and its index."""
    with (folder / "index.csv").open(newline="") as stream:
        crops = [
            StoredCrop(row, line["picture"], placements[line["picture"]], float(line["side_px"]))
            for row, line in enumerate(csv.DictReader(stream))
        ]
    return np.load(folder / "crops.npy", mmap_mode="r"), crops
