"""Finds content twins across the split by the encoder's own embeddings, and says which pictures leave validation and test.

    python -m data.near_duplicates --train FEATURES [...] --validation FEATURES [...] --test FEATURES [...]

(folders of `encoder.features pictures` or `wholes`) writes `near_duplicates.csv` (sha256, part, twin_sha256, twin_part, similarity) beside split.csv; `split` leaves out each
picture of validation with a twin in training, and of test with one in training or validation. An embedding is the class
token after the last block of the whole view; two pictures are twins from a cosine of TWIN on, after the mean is taken off
(the same prompt drawn twice, a painting cut otherwise, the photograph that a style was laid on: looked at by eye on both
sides of the threshold).
"""

import argparse
import csv
from pathlib import Path

import numpy as np

from data.split import DUPLICATES_FILE
from encoder.features import BLOCKS, STATISTICS, read_features
from encoder.tower import WIDTH

TWIN = 0.87


def embeddings(folder: Path) -> tuple[list[str], np.ndarray]:
    """Hash and embedding [N,768] of each picture, of its clean whole view."""
    lines, values = read_features(folder)
    rows, seen = [], set()
    for row, line in enumerate(lines):
        if line["view"] == "whole" and line.get("tier", "clean") == "clean" and line["sha256"] not in seen:
            seen.add(line["sha256"])
            rows.append(row)
    start = ((len(BLOCKS) - 1) * len(STATISTICS) + STATISTICS.index("class")) * WIDTH
    return [lines[row]["sha256"] for row in rows], values[rows, start:start + WIDTH].astype(np.float32)


def of_all(folders: list[Path]) -> tuple[list[str], np.ndarray]:
    """`embeddings` of several folders; a picture that two have counts once."""
    names, values = zip(*(embeddings(folder) for folder in folders))
    names, values = sum(names, []), np.concatenate(values)
    first = list({name: row for row, name in reversed(list(enumerate(names)))}.values())
    return [names[row] for row in first], values[first]


def kept_rows(known: set[str]) -> list[list]:
    """Rows of the file that stands of pictures without features here: what was found of them holds."""
    with DUPLICATES_FILE.open(newline="") as stream:
        return [row for row in list(csv.reader(stream))[1:] if row[0] not in known or row[2] not in known]


def nearest(values: np.ndarray, earlier: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Index and cosine of the nearest of `earlier` [M,768] for each of `values` [N,768]."""
    middle = earlier.mean(0)
    values, earlier = values - middle, earlier - middle
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    earlier /= np.linalg.norm(earlier, axis=1, keepdims=True)
    cosines = values @ earlier.T
    best = cosines.argmax(1)
    return best, cosines[np.arange(len(values)), best]


def main() -> None:
    """Command line; prints how many leave each part."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for part in ("train", "validation", "test"):
        parser.add_argument(f"--{part}", type=Path, nargs="+", required=True)
    arguments = parser.parse_args()
    names, values = of_all(arguments.train)
    parts = ["train"] * len(names)
    rows = []
    for part in ("validation", "test"):
        mine, embedded = of_all(getattr(arguments, part))
        for index, (twin, cosine) in enumerate(zip(*nearest(embedded, values), strict=True)):
            if cosine >= TWIN:
                rows.append([mine[index], part, names[twin], parts[twin], round(float(cosine), 4)])
        print(f"{part}: {sum(row[1] == part for row in rows)} of {len(mine)} have a twin")
        names, values, parts = names + mine, np.concatenate([values, embedded]), parts + [part] * len(mine)
    found = {(row[0], row[2]) for row in rows}
    rows = sorted([row for row in kept_rows(set(names)) if (row[0], row[2]) not in found] + rows, key=lambda row: (row[1] != "validation", row[0]))
    with DUPLICATES_FILE.open("w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["sha256", "part", "twin_sha256", "twin_part", "similarity"])
        writer.writerows(rows)


if __name__ == "__main__":
    main()
