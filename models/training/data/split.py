"""Splits images by whole repository: training, validation (all choosing), test (scored once for each network that ships).

    python -m data.split --images IMAGES --sources data/sources.csv.xz

prints the number of images in each split. `split.csv` in this folder has the split of each repository; the reasons are
in README.md, "Split".
"""

import argparse
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from data.collect import file_name, read_csv, read_lists

SPLIT_FILE = Path(__file__).with_name("split.csv")
FOUND_FILE = Path(__file__).with_name("found.csv")
"""Second list, with the columns of sources.csv: images that were found later. They count as images of sources.csv."""
MATCHED_FILE = Path(__file__).with_name("matched.csv")
"""Matched sets, made by others to test people or detectors, with both classes on like topics in one repository:
validation of measure.matched, never training."""
DUPLICATES_FILE = Path(__file__).with_name("near_duplicates.csv")
"""Images of validation and test with a near-duplicate in an earlier split (written by near_duplicates); they are left
out."""
MOST_A_REPOSITORY = 30
"""Maximum images of a label that validation and test take from one repository, first by hash, so that no source
outweighs the rest."""


@dataclass(frozen=True)
class ListedImage:
    """One listed image: path, columns of the list, and split."""

    path: Path
    sha256: str
    is_ai: bool
    source: str
    generator: str
    kind: str
    content: str
    split: str
    width: int
    height: int


class Split:
    """Splits by repository; read once."""

    def __init__(self) -> None:
        self._splits = {row["repo"]: row["split"] for row in read_csv(SPLIT_FILE)}
        self._near_duplicates = (
            {row["sha256"] for row in read_csv(DUPLICATES_FILE)} if DUPLICATES_FILE.is_file() else set()
        )

    def split_of(self, source: str) -> str:
        """Returns "train", "validation" or "test".

        Raises ValueError for a repository that split.csv lacks, because it could be in two splits.
        """
        if source not in self._splits:
            raise ValueError(f"{source} is not in {SPLIT_FILE.name}: every repository stands in one split")
        return self._splits[source]

    def holds(self, split: str, source: str, sha256: str) -> bool:
        """Returns whether an image is of that split and has no near-duplicate in an earlier split."""
        return self.split_of(source) == split and sha256 not in self._near_duplicates


def lists_of(sources: Path) -> list[Path]:
    """Returns the lists meant by a path: sources.csv includes found.csv."""
    return (
        [sources, FOUND_FILE]
        if sources.name in ("sources.csv", "sources.csv.xz") and FOUND_FILE.is_file()
        else [sources]
    )


def load_images(folder: Path, sources: Path) -> list[ListedImage]:
    """Lists images of `sources` (sources.csv with found.csv, or faces.csv) that `folder` has, ordered by hash.

    Leaves out near-duplicates, and in validation and test images beyond MOST_A_REPOSITORY.
    """
    splits, images, taken = Split(), [], Counter()
    for row in sorted(read_lists(lists_of(sources)), key=lambda row: row["sha256"]):
        path, split = folder / file_name(row), splits.split_of(row["repo"])
        if not splits.holds(split, row["repo"], row["sha256"]) or not path.is_file():
            continue
        taken[row["repo"], row["label"]] += 1
        if split != "train" and taken[row["repo"], row["label"]] > MOST_A_REPOSITORY:
            continue
        generator = row.get("generator") or row.get("method") or "none"
        images.append(
            ListedImage(
                path,
                row["sha256"],
                row["label"] != "real",
                row["repo"],
                generator,
                row.get("kind", "face"),
                row.get("content", "face"),
                split,
                int(row["width"]),
                int(row["height"]),
            )
        )
    return images


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--images", type=Path, required=True)
    parser.add_argument("--sources", type=Path, required=True, help="sources.csv")
    arguments = parser.parse_args()
    images = load_images(arguments.images, arguments.sources)
    for split in ("train", "validation", "test"):
        for is_ai in (True, False):
            chosen = [image for image in images if image.split == split and image.is_ai == is_ai]
            sources, generators = {image.source for image in chosen}, {image.generator for image in chosen}
            generator_text = f", {len(generators)} generators" if is_ai else ""
            print(
                f"{split:11s} {'AI' if is_ai else 'genuine':8s} {len(chosen):6d} images of {len(sources):3d} repositories{generator_text}"
            )


if __name__ == "__main__":
    main()
