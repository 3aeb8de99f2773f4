"""Which source trains, chooses or tests the face finder: whole repositories, never single pictures."""

import csv
from dataclasses import dataclass
from pathlib import Path

TEST_REPOSITORIES = frozenset(
    {
        "IT-BestBelgrade/course.best.rs",
        "VikramShenoy97/Human-Segmentation-Dataset",
        "EliSchwartz/imagenet-sample-images",
        "BIDS/BSDS500",
        "cszn/FFDNet",
        "timorleste/photography",
        "dcsan/imagen",
        "muset-ai/awesome-nanobanana2",
        "openalpr/benchmarks",
        "Mohanish-5744/Major_Ensemble_Gender",
    }
)
"""Snapshots with many faces, everyday objects, nature, street scenes, portraits and two AI galleries. FFDNet repeats
pictures of BSDS500, so the two stay together."""
VALIDATION_REPOSITORIES = frozenset(
    {
        "neetimsina/neetimsina.github.io",
        "xuebinqin/U-2-Net",
        "minimaxir/gemimg",
        "mh-majumdar/photography",
        "justadudewhohacks/face-api.js",
        "anirudh04/akphotography.github.io",
        "odessa-rooms/odessa-rooms.github.io",
        "datitran/raccoon_dataset",
    }
)
"""Sources that choose the threshold and the input size."""


@dataclass(frozen=True)
class Placement:
    """Where a picture belongs: `part` is train, validation or test; `portrait` for a collection of single faces."""

    part: str
    portrait: bool
    repository: str
    label: str


def part_of_pictures(csv_paths: list[Path]) -> dict[str, Placement]:
    """Placement of every row of `faces.csv` and `sources.csv`, by picture name (16 characters of its sha256)."""
    placements = {}
    for path in csv_paths:
        with path.open(newline="") as stream:
            for row in csv.DictReader(stream):
                repository = row["repo"]
                part = "test" if repository in TEST_REPOSITORIES else "train"
                part = "validation" if repository in VALIDATION_REPOSITORIES else part
                placements[row["sha256"][:16]] = Placement(part, "face_box" in row, repository, row["label"])
    return placements
