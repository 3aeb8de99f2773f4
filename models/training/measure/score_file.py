"""Reads and writes score files: CSV with a row for each image and level, from which thresholds and tables are made.

Files have the columns COLUMNS. Scores and probabilities are 0..1.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

COLUMNS = ["picture", "label", "source", "generator", "kind", "content", "tier", "score", "drawn"]
"""Columns: `label` is ai or real. `generator` is `none` for genuine images. `score` is 0..1. `drawn` is the probability
of an illustration, and is empty or missing for detectors that don't compute it. Other columns are ignored."""


@dataclass(frozen=True)
class Scores:
    """The columns of a score file as arrays of equal length. Labels are 1 (AI) and 0 (genuine)."""

    image: np.ndarray
    labels: np.ndarray
    source: np.ndarray
    generator: np.ndarray
    kind: np.ndarray
    content: np.ndarray
    level: np.ndarray
    score: np.ndarray
    illustration: np.ndarray
    """Probability of an illustration, 0..1, or nan if unknown."""

    def where(self, mask: np.ndarray) -> "Scores":
        """Selects rows by a mask or an index array."""
        return type(self)(*(column[mask] for column in vars(self).values()))


def read_scores(path: Path) -> Scores:
    """Reads a score file. Raises KeyError if a column except `drawn` is missing, ValueError for unknown labels."""
    with path.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        if row["label"] not in ("ai", "real"):
            raise ValueError(f"{path}: label {row['label']!r}, expected ai or real")
    text = {name: np.array([row[name] for row in rows]) for name in COLUMNS[:-1]}
    labels, scores = (text["label"] == "ai").astype(int), text["score"].astype(float)
    illustration = np.array([float(row.get("drawn") or "nan") for row in rows])
    return Scores(text["picture"], labels, *(text[name] for name in COLUMNS[2:7]), scores, illustration)


def read_all(paths: list[Path]) -> Scores:
    """Reads the rows of several score files. Raises ValueError if two files have the same image and level."""
    files = [vars(read_scores(path)) for path in paths]
    rows = Scores(**{name: np.concatenate([file[name] for file in files]) for name in files[0]})
    if len(set(zip(rows.image, rows.level, strict=True))) < len(rows.image):
        raise ValueError("two files have the same image")
    return rows


def score_row(line: dict, is_ai: bool, score: float, **further: object) -> dict:
    """Makes a row from the line of an image in a feature file."""
    described = {name: line[name] for name in ("source", "generator", "kind", "content", "tier")}
    label = "ai" if is_ai else "real"
    return {"picture": line["sha256"], "label": label, **described, "score": f"{score:.6f}", **further}


def write_scores(path: Path, rows: list[dict]) -> None:
    """Writes rows with COLUMNS as keys. `drawn` may be missing, and other columns may follow."""
    further = dict.fromkeys(name for row in rows for name in row if name not in COLUMNS)
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, fieldnames=[*COLUMNS, *further])
        writer.writeheader()
        writer.writerows(rows)
