"""Splits pictures by whole source and whole generator: training, validation (choosing), test (final report only).

    python -m data.split --pictures PICTURES --faces FACES

prints how many pictures of each source fall where. The reasons for the split are in README.md.
"""
import argparse
import csv
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

VALIDATION = {
    "kakaobrain/minDALL-E", "wyrde/wyrde-comfyui-workflows", "minimaxir/gemimg",
    "emanhamed/Houses-dataset", "jbhuang0604/SelfExSR", "cszn/FFDNet", "neetimsina/neetimsina.github.io",
    "IT-BestBelgrade/course.best.rs", "Linzaer/Ultra-Light-Fast-Generic-Face-Detector-1MB", "wrynearson/portfolio",
    "amirmh13/photosBlog", "jsilland/photos", "FangFrankSun/fenghua-fang.com", "JasonYebra/j3anderikaWedding",
    "EdjeElectronics/TensorFlow-Object-Detection-API-Tutorial-Train-Multiple-Objects-Windows-10",
}
TEST = {
    "dcsan/imagen",
    "odessa-rooms/odessa-rooms.github.io", "imazen/codec-corpus", "timorleste/photography",
    "anirudh04/akphotography.github.io", "mh-majumdar/photography", "chandrikadeb7/Face-Mask-Detection",
    "datitran/raccoon_dataset", "Chris8one/chrisphoto", "sachinchoolur/lightGallery",
    "NishantTharani/NishantTharani.github.io",
}
GENERATORS_SEEN = {"sd1.x"}
"""Generators of test sources whose family is in training as well: reported apart from the left-out ones."""
FACE_SOURCES = {("real", "ffhq"): 600, ("real", "dfdc-original"): 300, ("generated", "stylegan2-family"): 600}
"""Whole face pictures that also serve training: label, start of the method, at most so many."""
CONTENT_FILE = Path(__file__).with_name("content.csv")
"""Photograph or art, of the AI pictures of validation and test: judged once by eye, for the report alone."""
DUPLICATES_FILE = "near_duplicates.csv"
"""Beside index.csv: pictures of validation and test with a twin in an earlier part (written by near_duplicates)."""


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


def part_of(source: str) -> str:
    """"train", "validation" or "test"."""
    return "validation" if source in VALIDATION else "test" if source in TEST else "train"


def load_pictures(folder: Path) -> list[Picture]:
    """Pictures of a folder collected from sources.csv, less the near-duplicates listed there."""
    left_out = set()
    if (folder / DUPLICATES_FILE).is_file():
        with (folder / DUPLICATES_FILE).open(newline="") as stream:
            left_out = {row["sha256"] for row in csv.DictReader(stream)}
    with CONTENT_FILE.open(newline="") as stream:
        judged = {row["sha256"]: row["content"] for row in csv.DictReader(stream)}
    with (folder / "index.csv").open(newline="") as stream:
        return [Picture(folder / row["file"], row["sha256"], row["label"] == "ai", row["repo"], row["generator"] or "none",
                        row["kind"], judged.get(row["sha256"], row["content"]), part_of(row["repo"]),
                        int(row["width"]), int(row["height"])) for row in csv.DictReader(stream)
                if row["sha256"] not in left_out]


def load_face_pictures(folder: Path) -> list[Picture]:
    """Training pictures of a folder collected from faces.csv, by FACE_SOURCES, in the order of the file."""
    pictures, used = [], Counter()
    with (folder / "index.csv").open(newline="") as stream:
        for row in csv.DictReader(stream):
            for (label, method), limit in FACE_SOURCES.items():
                if row["label"] == label and row["method"].startswith(method) and used[method] < limit:
                    used[method] += 1
                    is_ai = label == "generated"
                    kind = "generated" if is_ai else "video-frame" if method.startswith("dfdc") else "dataset"
                    generator = method if is_ai else "none"
                    pictures.append(Picture(folder / row["file"], row["sha256"], is_ai, row["repo"], generator, kind, "face",
                                            "train", int(row["width"]), int(row["height"])))
    return pictures


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=Path, required=True)
    parser.add_argument("--faces", type=Path, required=True)
    arguments = parser.parse_args()
    pictures = load_pictures(arguments.pictures) + load_face_pictures(arguments.faces)
    counts = Counter((p.part, "ai" if p.is_ai else "real", p.source) for p in pictures)
    for (part, label, source), count in sorted(counts.items(), key=lambda item: (item[0][:2], -item[1])):
        print(f"{part:10s} {label:4s} {count:5d} {source}")
    for part, label in sorted({key[:2] for key in counts}):
        print(f"{part:10s} {label:4s} {sum(n for key, n in counts.items() if key[:2] == (part, label)):5d} in all")


if __name__ == "__main__":
    main()
