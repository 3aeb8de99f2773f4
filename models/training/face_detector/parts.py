"""Which picture trains, chooses or tests the two face models: whole sources, generators and face groups.

`data.split` places the pictures of sources.csv; this file places the face collections of faces.csv the same way, so
that no test source of one model trains another.
"""

import csv
import hashlib
from dataclasses import dataclass
from pathlib import Path

from data.split import FACE_SOURCES, part_of

COLLECTIONS = {
    "dinablachman/realorfake": "train",
    "hmdghoul/generated-faces": "train",
    "Mohanish-5744/Major_Ensemble_Gender": "validation",
    "muxspace/facial_expressions": "test",
    "erprogs/GenConViT": "test",
}
"""FFHQ and StyleGAN train the full-image specialist too; UTKFace chooses; LFW and a second copy of DFDC test."""
DFDC = "i-Shreyansh/DeepFake-Detection"
REPEATED = {"cszn/FFDNet"}
"""Repeats pictures of BSDS500, which trains: used nowhere here."""


@dataclass(frozen=True)
class Placement:
    """`part`: train, validation, test or unused; `portrait`: from a collection of single faces; `group`: identity or
    video, never in two parts."""

    part: str
    portrait: bool
    repository: str
    label: str
    method: str
    group: str


def dfdc_group(row: dict[str, str]) -> str:
    """The original video of a DFDC row: its group, or the last name in a GenConViT path (FAKE_ORIGINAL_frame.jpg)."""
    return row["group"] or Path(row["path"]).stem.rsplit("_", 1)[0].split("_")[-1]


def _dfdc_part(group: str, full_image_groups: set[str]) -> str:
    """Groups that train the full-image specialist train; of the others 40% train, 10% choose, 50% test."""
    if group in full_image_groups:
        return "train"
    draw = int(hashlib.sha256(group.encode()).hexdigest()[:8], 16) % 100
    return "train" if draw < 40 else "validation" if draw < 50 else "test"


def part_of_pictures(faces_csv: Path, sources_csv: Path) -> dict[str, Placement]:
    """Placement of every row of both files, by picture name (the first 16 characters of its sha256)."""
    with sources_csv.open(newline="") as stream:
        placements = {
            row["sha256"][:16]: Placement(
                "unused" if row["repo"] in REPEATED else part_of(row["repo"]),
                False,
                row["repo"],
                row["label"],
                row["generator"] or "photograph",
                row["sha256"][:16],
            )
            for row in csv.DictReader(stream)
        }
    with faces_csv.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    originals = [row for row in rows if row["method"].startswith("dfdc-original")]
    full_image_groups = {dfdc_group(row) for row in originals[: FACE_SOURCES["real", "dfdc-original"]]}
    for row in rows:
        is_dfdc = row["method"].startswith("dfdc")
        group = dfdc_group(row) if is_dfdc else row["sha256"][:16]
        part = _dfdc_part(group, full_image_groups) if row["repo"] == DFDC else COLLECTIONS[row["repo"]]
        if row["repo"] == "erprogs/GenConViT" and _dfdc_part(group, full_image_groups) != "test":
            part = "unused"
        placements[row["sha256"][:16]] = Placement(part, True, row["repo"], row["label"], row["method"], group)
    return placements
