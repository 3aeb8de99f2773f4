"""Lists the images with faces, with the label, method, group and split of each.

Images of sources.csv follow data.split. In faces.csv, frames of the DFDC data set are split by their original video.
One repository with many images of two people is not used for training: half of it trains the autoencoder that makes
fakes of the other half, which are for the test split.
"""

import hashlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from data.collect import file_name
from data.split import ListedImage, Split, load_images, read_csv

DFDC, SECOND_DFDC = "i-Shreyansh/DeepFake-Detection", "erprogs/GenConViT"
DFDC_VALIDATION, DFDC_TEST = 15, 15
"""Percentages of DFDC's videos for validation and for test."""
GREY = "muxspace/facial_expressions"
"""Repository whose images are all grey."""
TWO_PEOPLE = "minjeancho/Deepfake-Face-Swapping-"
REPEATED = frozenset({"cszn/FFDNet"})
"""Repositories that contain images of BSDS500, which is used for training."""
MAX_COLLECTION_IMAGES = 100
"""Maximum images of one label that validation and test take from one collection of faces."""
PHOTOGRAPHS = frozenset(
    "dataset camera web-photo real-face frame face original portrait-photo group-photo event press sports".split()
)
"""Kinds whose faces are photographs of people, from which fakes can be made."""
MANIPULATED_KINDS = frozenset({"swapped", "reenacted", "edited-face", "lip-sync"})
OTHER_EDITS = frozenset({"edited", "edited-local", "edited-whole", "restored", "try-on"})
"""Kinds for which it is unknown whether a face was changed."""
GENERATED_EDITS = "stylegan"
"""Methods that edit a face by generating it anew. The result keeps no pixel of the image, so it counts as generated."""


@dataclass(frozen=True)
class FaceImage:
    """A face image: `label` is genuine, manipulated or generated. `method` is how a fake was made ("" if genuine).

    `group` is the video or image. `split` is train, validation, test, or autoencoder (see `unseen`).
    """

    image: ListedImage
    label: str
    method: str
    group: str
    split: str

    def line(self) -> dict:
        """Returns the fields of a feature file's line that describe the image."""
        described = {name: getattr(self.image, name) for name in ("sha256", "source", "kind", "content")}
        return described | {"label": self.label, "method": self.method, "group": self.group}

    @property
    def is_photograph(self) -> bool:
        """Returns whether the image is a genuine photograph of people."""
        return self.label == "genuine" and self.image.kind in PHOTOGRAPHS


def dfdc_group(row: dict[str, str]) -> str:
    """Returns the original video of a DFDC row: its group, or ORIGINAL in a path FAKE_ORIGINAL_frame.jpg."""
    return row["group"] or Path(row["path"]).stem.rsplit("_", 1)[0].split("_")[-1]


def dfdc_split(group: str) -> str:
    """Returns train, validation or test, chosen by the hash of a video's name."""
    draw = int(hashlib.sha256(group.encode()).hexdigest()[:8], 16) % 100
    return "validation" if draw < DFDC_VALIDATION else "test" if draw < DFDC_VALIDATION + DFDC_TEST else "train"


def place(row: dict[str, str], splits: Split) -> tuple[str, str]:
    """Returns the group (video, or the image itself) and the split of a row of faces.csv.

    Frames in the second copy of DFDC are unused if their video is in training.
    """
    split = splits.split_of(row["repo"])
    if row["repo"] not in (DFDC, SECOND_DFDC):
        return row["group"] or row["sha256"][:16], split
    group = dfdc_group(row)
    if row["repo"] == DFDC:
        return group, dfdc_split(group)
    return group, "unused" if dfdc_split(group) == "train" else split


def from_sources(folder: Path, sources: Path) -> list[FaceImage]:
    """Lists the images of sources.csv, without those that were edited elsewhere than in a face."""
    found = []
    for image in load_images(folder, sources):
        if image.kind in OTHER_EDITS or image.source in REPEATED:
            continue
        label, method = "genuine", ""
        if image.is_ai:
            manipulated = image.kind in MANIPULATED_KINDS and not image.generator.startswith(GENERATED_EDITS)
            label, method = "manipulated" if manipulated else "generated", image.generator
        split = image.split
        if image.source == TWO_PEOPLE:
            split = "test" if int(image.sha256[0], 16) % 2 else "autoencoder"
        found.append(FaceImage(image, label, method, image.sha256[:16], split))
    return found


def from_faces(folder: Path, faces: Path) -> list[FaceImage]:
    """Lists the images of faces.csv, without those that `place` leaves unused."""
    splits, found, taken = Split(), [], Counter()
    for row in sorted(read_csv(faces), key=lambda row: row["sha256"]):
        path, (group, split) = folder / file_name(row), place(row, splits)
        if split == "unused" or not path.is_file():
            continue
        taken[row["repo"], row["label"], split] += 1
        if split != "train" and taken[row["repo"], row["label"], split] > MAX_COLLECTION_IMAGES:
            continue
        label = {"real": "genuine", "generated": "generated"}.get(row["label"], "manipulated")
        method = row["method"].split(" (")[0]
        image = ListedImage.of_row(path, row, split, generator=method, kind="face", content="face")
        found.append(FaceImage(image, label, "" if label == "genuine" else method, group, split))
    return found
