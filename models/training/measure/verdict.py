"""What a profile's verdict finds and whom it accuses: a picture fires where either detector does. A table in Markdown, by medium and tier.

    python -m measure.verdict --full-image full_image/run/test_scores.csv --faces face_specialist/run/test_scores.csv --bands ../bands.json [--profile balanced]

Both score files are of the same part. A picture that is in the second one has a face; faces of pictures that were edited elsewhere than in a face are not scored there, so that
what the verdict finds of these is the whole picture's share. Accused are genuine pictures as people send them (`measure.medium_thresholds`).
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from data.degrade import TIERS
from measure.medium_thresholds import MEDIUMS, Classified, genuine_of, apply_thresholds, is_drawn, weights_of
from measure.metrics import rate_up
from measure.score_file import read_scores


def either(whole: Classified, faces: Classified) -> Classified:
    """The rows of the whole picture, firing where it or a face of the same picture and tier fires."""
    fired = {key for key, fires in zip(zip(faces.picture, faces.tier, strict=True), faces.fires, strict=True) if fires}
    return replace(whole, fires=whole.fires | np.array([key in fired for key in zip(whole.picture, whole.tier, strict=True)]))


def shares(rows: Classified, medium: str) -> tuple[float, float]:
    """Of rows of one medium the share of AI pictures that fire, and that of genuine ones, weighed as people send them."""
    return float(rows.fires[rows.labels == 1].mean()), float(weights_of(genuine_of(rows), medium) @ rows.fires[rows.labels == 0])


def judged_by(parser: argparse.ArgumentParser) -> tuple[Classified, Classified]:
    """The rows of both detectors, held against the thresholds of a profile: all from the command line."""
    for name in ("full-image", "faces", "bands"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--profile", default="balanced")
    arguments = parser.parse_args()
    bands = json.loads(arguments.bands.read_text())["profiles"][arguments.profile]
    return apply_thresholds(read_scores(arguments.full_image), bands["full_image_specialist"]), apply_thresholds(read_scores(arguments.faces), bands["face_specialist"])


def main() -> None:
    """Command line."""
    whole, faces = judged_by(argparse.ArgumentParser(description=__doc__.splitlines()[0]))
    both = either(whole, faces)
    print("| looks, tier | AI, genuine | found, by the whole picture alone | accused, by the whole picture alone |\n|---|---|---|---|")
    for medium in MEDIUMS:
        for tier in TIERS:
            mine = (is_drawn(whole.drawn) == (medium == "drawn")) & (whole.tier == tier)
            labels = whole.labels[mine]
            (found, accused), (alone, accused_alone) = (shares(rows.where(mine), medium) for rows in (both, whole))
            print(f"| {medium}, {tier} | {(labels == 1).sum()}, {(labels == 0).sum()} | {found:.3f}, {alone:.3f} | {rate_up(accused):.2%}, {rate_up(accused_alone):.2%} |")


if __name__ == "__main__":
    main()
