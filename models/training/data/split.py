"""Splits pictures by whole repository: training, validation (all choosing), test (scored once for each network that ships).

    python -m data.split --pictures PICTURES

prints how many pictures of each part there are. `split.csv` beside this file says where a repository stands; why, README.md, "Split".
"""

import argparse
import csv
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from data.collect import file_name, read_lists

SPLIT_FILE = Path(__file__).with_name("split.csv")
FOUND_FILE = Path(__file__).with_name("found.csv")
"""A second list, of the columns of sources.csv: what was found after it. Its pictures belong to those of sources.csv."""
MATCHED_FILE = Path(__file__).with_name("matched.csv")
"""Sets that other people made to test people or detectors, both classes on like topics in one repository: validation of measure.matched, never training."""
DUPLICATES_FILE = Path(__file__).with_name("near_duplicates.csv")
"""Pictures of validation and test with a twin in an earlier part (written by near_duplicates): they are left out."""
MOST_A_REPOSITORY = 30
"""Pictures of a label that validation and test take from one repository, the first by hash: no source outweighs the rest."""


@dataclass(frozen=True)
class Picture:
    """One picture: where it lies, what it is, and which part of the split it belongs to."""

    path: Path
    sha256: str
    is_ai: bool
    source: str
    generator: str
    kind: str
    content: str
    part: str
    width: int
    height: int


def read_csv(path: Path) -> list[dict[str, str]]:
    """Rows of a CSV file with a header."""
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


class Split:
    """Where pictures stand, by their repository; read once."""

    def __init__(self) -> None:
        self._parts = {row["repo"]: row["part"] for row in read_csv(SPLIT_FILE)}
        self._twins = {row["sha256"] for row in read_csv(DUPLICATES_FILE)} if DUPLICATES_FILE.is_file() else set()

    def part_of(self, source: str) -> str:
        """"train", "validation" or "test". Raises ValueError for a repository that split.csv does not name: it could stand in two parts."""
        if source not in self._parts:
            raise ValueError(f"{source} is not in {SPLIT_FILE.name}: every repository stands in one part")
        return self._parts[source]

    def holds(self, part: str, source: str, sha256: str) -> bool:
        """Whether a picture is of that part and no twin of one in an earlier part."""
        return self.part_of(source) == part and sha256 not in self._twins


def lists_of(sources: Path) -> list[Path]:
    """The lists that are meant by one: sources.csv stands for what was found after it, too."""
    return [sources, FOUND_FILE] if sources.name == "sources.csv" and FOUND_FILE.is_file() else [sources]


def load_pictures(folder: Path, sources: Path) -> list[Picture]:
    """Pictures of `sources` (sources.csv, with it found.csv, or faces.csv) that `folder` holds, in order of their hashes.

    Less the near-duplicates and, in validation and test, less what exceeds MOST_A_REPOSITORY.
    """
    split, pictures, taken = Split(), [], Counter()
    for row in sorted(read_lists(lists_of(sources)), key=lambda row: row["sha256"]):
        path, part = folder / file_name(row), split.part_of(row["repo"])
        if not split.holds(part, row["repo"], row["sha256"]) or not path.is_file():
            continue
        taken[row["repo"], row["label"]] += 1
        if part != "train" and taken[row["repo"], row["label"]] > MOST_A_REPOSITORY:
            continue
        generator = row.get("generator") or row.get("method") or "none"
        pictures.append(Picture(path, row["sha256"], row["label"] != "real", row["repo"], generator, row.get("kind", "face"),
                                row.get("content", "face"), part, int(row["width"]), int(row["height"])))
    return pictures


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=Path, required=True)
    parser.add_argument("--sources", type=Path, required=True, help="sources.csv")
    arguments = parser.parse_args()
    pictures = load_pictures(arguments.pictures, arguments.sources)
    for part in ("train", "validation", "test"):
        for is_ai in (True, False):
            chosen = [picture for picture in pictures if picture.part == part and picture.is_ai == is_ai]
            sources, generators = {picture.source for picture in chosen}, {picture.generator for picture in chosen}
            told = f", {len(generators)} generators" if is_ai else ""
            print(f"{part:11s} {'AI' if is_ai else 'genuine':8s} {len(chosen):6d} pictures of {len(sources):3d} repositories{told}")


if __name__ == "__main__":
    main()
