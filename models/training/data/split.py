"""Assigns images to training, validation (for every choice) or test (scored once per released network) by repository.

    python -m data.split --images IMAGES --sources data/sources.csv.xz

It prints the number of images in each split. `split.csv` in this folder has the split of each repository. README.md
explains the reasons in the section "Split".
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from data.collect import file_name, read_csv, read_lists
from export.command import command_parser

SPLIT_FILE = Path(__file__).with_name("split.csv")
FOUND_FILE = Path(__file__).with_name("found.csv")
"""Path of the list of images that were found after sources.csv, with the same columns. Both lists count as one."""
MATCHED_FILE = Path(__file__).with_name("matched.csv")
"""Path of the list of matched sets: images that others collected to test people or detectors, in which AI and genuine
images show similar things. Used for validation by measure.matched, never for training."""
DUPLICATES_FILE = Path(__file__).with_name("near_duplicates.csv")
"""Path of the list of validation and test images that nearly equal an image of an earlier split. These images are left
out. near_duplicates writes the list."""
MAX_REPOSITORY_IMAGES = 30
"""Maximum images of a label from one repository in validation and test, by hash, so that no source outweighs others."""


@dataclass(frozen=True)
class ListedImage:
    """An image of the lists with its file, its columns and its split."""

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

    @classmethod
    def of_row(cls, path: Path, row: dict, split: str, **changed: object) -> "ListedImage":
        """Makes an image from a row of a list. `changed` replaces values of the row."""
        values = {"is_ai": row["label"] != "real", "source": row.get("repo")}
        values["generator"] = row.get("generator") or row.get("method") or "none"
        values |= {name: row.get(name, "face") for name in ("kind", "content")}
        size = {name: int(row[name]) for name in ("width", "height")}
        return cls(path=path, sha256=row["sha256"], split=split, **size, **(values | changed))

    def row(self) -> dict:
        """Returns the columns of MATCHED_FILE that describe an image."""
        label, names = "ai" if self.is_ai else "real", ("sha256", "generator", "kind", "content")
        return {"label": label, "repo": self.source, **{name: getattr(self, name) for name in names}}


class Split:
    """The split of each repository and the list of near-duplicates, read from their files once."""

    def __init__(self) -> None:
        self._splits = {row["repo"]: row["split"] for row in read_csv(SPLIT_FILE)}
        rows = read_csv(DUPLICATES_FILE) if DUPLICATES_FILE.is_file() else []
        self._near_duplicates = {row["sha256"] for row in rows}

    def split_of(self, source: str) -> str:
        """Returns the split of a repository: "train", "validation" or "test".

        Raises ValueError for a repository that split.csv lacks, because its images could otherwise end up in two
        splits.
        """
        if source not in self._splits:
            raise ValueError(f"{source} is not in {SPLIT_FILE.name}: every repository stands in one split")
        return self._splits[source]

    def holds(self, split: str, source: str, sha256: str) -> bool:
        """Returns whether an image is in this split and is no near-duplicate of an image in an earlier split."""
        return self.split_of(source) == split and sha256 not in self._near_duplicates


def lists_of(sources: Path) -> list[Path]:
    """Returns the lists that a path stands for: sources.csv stands for itself and found.csv."""
    has_found = sources.name in ("sources.csv", "sources.csv.xz") and FOUND_FILE.is_file()
    return [sources, FOUND_FILE] if has_found else [sources]


def load_images(folder: Path, sources: Path) -> list[ListedImage]:
    """Lists the images of `sources` (sources.csv with found.csv, or faces.csv) that are in `folder`, ordered by hash.

    Leaves out near-duplicates. In validation and test, takes at most MAX_REPOSITORY_IMAGES per label and repository.
    """
    splits, images, taken = Split(), [], Counter()
    for row in sorted(read_lists(lists_of(sources)), key=lambda row: row["sha256"]):
        path, split = folder / file_name(row), splits.split_of(row["repo"])
        if not splits.holds(split, row["repo"], row["sha256"]) or not path.is_file():
            continue
        taken[row["repo"], row["label"]] += 1
        if split != "train" and taken[row["repo"], row["label"]] > MAX_REPOSITORY_IMAGES:
            continue
        images.append(ListedImage.of_row(path, row, split))
    return images


def main() -> None:
    args = command_parser(__doc__, "images", "sources").parse_args()
    images = load_images(args.images, args.sources)
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
