"""Puts into a reference what faces accuse: the highest face score of each genuine row, and the thresholds that bands.json has for them.

    python -m adaptation.faces --faces ../training/face_specialist/run/validation_scores.csv --models .. --out ../reference

The last step of a reference, after `measure.promise` has set the thresholds: a profile's rate is that of both detectors, so thresholds that are fitted
to a reference must know what its faces have spent. Prints how many rows have a face.
"""

import argparse
import csv
import json
from pathlib import Path

from adaptation.reference import NAME_DIGITS
from measure.score_file import Scores, read_scores


def highest_scores(faces: Scores) -> dict[tuple[str, str], float]:
    """By a picture's first NAME_DIGITS and tier the highest score of its faces."""
    highest: dict[tuple[str, str], float] = {}
    for picture, tier, score in zip(faces.picture, faces.tier, faces.score, strict=True):
        key = picture[:NAME_DIGITS], tier
        highest[key] = max(highest.get(key, 0.0), float(score))
    return highest


def add_faces(rows: list[dict[str, str]], highest: dict[tuple[str, str], float]) -> list[dict[str, str]]:
    """The rows with a column `face`: empty of AI pictures and of those without a face."""
    found = [highest.get((row["picture"], row["tier"])) if row["label"] == "real" else None for row in rows]
    return [{**row, "face": "" if score is None else f"{score:.6f}"} for row, score in zip(rows, found, strict=True)]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faces", type=Path, required=True, help="score file of the face specialist on the reference's pictures")
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    with (arguments.out / "rows.csv").open(newline="") as stream:
        rows = add_faces(list(csv.DictReader(stream)), highest_scores(read_scores(arguments.faces)))
    with (arguments.out / "rows.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    profiles = json.loads((arguments.models / "bands.json").read_text())["profiles"]
    facts = json.loads((arguments.out / "reference.json").read_text())
    facts["face_thresholds"] = {name: bands["face_specialist"]["threshold"] for name, bands in profiles.items()}
    (arguments.out / "reference.json").write_text(json.dumps(facts) + "\n")
    print(f"{sum(row['face'] != '' for row in rows)} of {len(rows)} rows have a face")


if __name__ == "__main__":
    main()
