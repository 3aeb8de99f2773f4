"""Which picture trains, chooses or tests the finder: the parts of the split, and whether it is a portrait."""

from dataclasses import dataclass
from pathlib import Path

from data.split import Split, read_csv
from face_specialist.roster import REPEATED, place


@dataclass(frozen=True)
class Placement:
    """`part`: train, validation, test or unused; `portrait`: from a collection of single faces (faces.csv)."""

    part: str
    portrait: bool
    repository: str


def part_of_pictures(faces_csv: Path, sources_csv: Path) -> dict[str, Placement]:
    """Placement of every row of both files, by picture name (the first 16 characters of its sha256)."""
    split, placements = Split(), {}
    for row in read_csv(sources_csv):
        part = "unused" if row["repo"] in REPEATED else split.part_of(row["repo"])
        placements[row["sha256"][:16]] = Placement(part, False, row["repo"])
    for row in read_csv(faces_csv):
        placements[row["sha256"][:16]] = Placement(place(row, split)[1], True, row["repo"])
    return placements
