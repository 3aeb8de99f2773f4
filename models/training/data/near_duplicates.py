"""Finds images that nearly equal an image of another split, so that validation and test can leave them out.

    python -m data.near_duplicates --train FEATURES [...] --validation FEATURES [...] --test FEATURES [...]

FEATURES are output folders of `encoder.features images` or `wholes`. The command writes `near_duplicates.csv` (sha256,
split, duplicate_of, duplicate_split, similarity). With this file, `data.split` leaves out validation images with a
near-duplicate in training, and test images with one in training or validation. Two images are near-duplicates if the
cosine of their embeddings is at least NEAR_DUPLICATE: the same prompt drawn twice, a painting cropped differently, or a
photograph and its restyled copy. An embedding is the class token after the last block for the whole image scaled down,
minus the mean of all images. The threshold was chosen by looking at pairs of images just below and above it.
"""

import csv
from pathlib import Path

import numpy as np

from data.split import DUPLICATES_FILE
from encoder.backbone import WIDTH
from encoder.features import BLOCKS, STATISTICS, read_features
from export.command import command_parser

NEAR_DUPLICATE = 0.87


def embeddings(folder: Path) -> tuple[list[str], np.ndarray]:
    """Reads the digest of each image and the embedding [N,768] of its undegraded whole crop."""
    lines, values = read_features(folder)
    rows, seen = [], set()
    for row, line in enumerate(lines):
        if line["crop"] == "whole" and line.get("tier", "clean") == "clean" and line["sha256"] not in seen:
            seen.add(line["sha256"])
            rows.append(row)
    start = ((len(BLOCKS) - 1) * len(STATISTICS) + STATISTICS.index("class")) * WIDTH
    return [lines[row]["sha256"] for row in rows], values[rows, start : start + WIDTH].astype(np.float32)


def joined_embeddings(folders: list[Path]) -> tuple[list[str], np.ndarray]:
    """Joins the `embeddings` of several folders. An image in two folders counts once."""
    names, values = zip(*(embeddings(folder) for folder in folders))
    names, values = sum(names, []), np.concatenate(values)
    first = list({name: row for row, name in reversed(list(enumerate(names)))}.values())
    return [names[row] for row in first], values[first]


def kept_rows(known: set[str]) -> list[list]:
    """Reads the existing rows about images without features in this run, so that the new file keeps them."""
    with DUPLICATES_FILE.open(newline="") as stream:
        return [row for row in list(csv.reader(stream))[1:] if row[0] not in known or row[2] not in known]


def nearest(values: np.ndarray, earlier: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns for each of `values` [N,768] the index of the most similar row of `earlier` [M,768] and their cosine."""
    middle = earlier.mean(0)
    values, earlier = values - middle, earlier - middle
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    earlier /= np.linalg.norm(earlier, axis=1, keepdims=True)
    cosines = values @ earlier.T
    best = cosines.argmax(1)
    return best, cosines[np.arange(len(values)), best]


def main() -> None:
    """Prints how many images each split loses."""
    parser = command_parser(__doc__)
    for split in ("train", "validation", "test"):
        parser.add_argument(f"--{split}", type=Path, nargs="+", required=True)
    args = parser.parse_args()
    names, values = joined_embeddings(args.train)
    splits = ["train"] * len(names)
    rows = []
    for split in ("validation", "test"):
        mine, embedded = joined_embeddings(getattr(args, split))
        for index, (near_duplicate, cosine) in enumerate(zip(*nearest(embedded, values), strict=True)):
            if cosine >= NEAR_DUPLICATE:
                rows.append(
                    [mine[index], split, names[near_duplicate], splits[near_duplicate], round(float(cosine), 4)]
                )
        print(f"{split}: {sum(row[1] == split for row in rows)} of {len(mine)} have a near-duplicate")
        names, values, splits = names + mine, np.concatenate([values, embedded]), splits + [split] * len(mine)
    found = {(row[0], row[2]) for row in rows}
    rows = sorted(
        [row for row in kept_rows(set(names)) if (row[0], row[2]) not in found] + rows,
        key=lambda row: (row[1] != "validation", row[0]),
    )
    with DUPLICATES_FILE.open("w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["sha256", "split", "duplicate_of", "duplicate_split", "similarity"])
        writer.writerows(rows)


if __name__ == "__main__":
    main()
