"""Scores a part of the split with a peer's own detector, the one of the Python package `sahu65`, as whoever installs it gets it.

    python -m venv PEER && PEER/bin/pip install sahu65==1.1.0 opencv-python-headless pillow-avif-plugin tqdm scikit-learn
    PEER/bin/python -m measure.compare --part test --pictures PICTURES --sources CSV [--most 600] --out sahu65.csv [--ours test_scores.csv]

The score file that it writes is one that `measure.report` reads. A picture in its clean tier goes in as the file that it is, in the others as the JPEG that
the tier makes of it. Content Credentials are not asked: a detector is measured. It prints AUC and recall at 1% by tier, of the same pictures with another score file's
scores (`--ours`), too, and the median milliseconds of a clean picture as the package itself tells them. Goes on where it stopped.
"""

import argparse
import csv
import os
from collections import Counter
from pathlib import Path

import numpy as np
from tqdm import tqdm

from data.degrade import TIERS, encode_jpeg, shrink_to
from data.pictures import read_picture
from data.split import Picture, load_pictures
from measure.metrics import auc, recall_at
from measure.score_file import COLUMNS, Scores, read_scores


def as_file(picture: Picture, tier: str) -> bytes:
    """What a caller of the peer would send. Raises OSError where the picture does not decode."""
    setting = TIERS[tier]
    if setting is None:
        return picture.path.read_bytes()
    return encode_jpeg(np.ascontiguousarray(shrink_to(read_picture(picture.path), setting[0])), setting[1])


def row_of(picture: Picture, tier: str, score: float) -> dict:
    """A row of a score file."""
    return {"picture": picture.sha256, "label": "ai" if picture.is_ai else "real", "source": picture.source, "generator": picture.generator,
            "kind": picture.kind, "content": picture.content, "tier": tier, "score": f"{score:.6f}"}


def mixed_order(pictures: list[Picture]) -> list[Picture]:
    """In an order in which no source and no generator comes a second time before all have come once."""
    seen, ranked = Counter(), []
    for picture in sorted(pictures, key=lambda picture: picture.sha256):
        cell = picture.source, picture.generator, picture.is_ai
        ranked.append((seen[cell], picture.sha256, picture))
        seen[cell] += 1
    return [picture for *_, picture in sorted(ranked, key=lambda entry: entry[:2])]


def summary(name: str, scores: Scores) -> str:
    """AUC and recall at 1% by tier, as a row in Markdown."""
    cells = []
    for tier in TIERS:
        mine = scores.where(scores.tier == tier)
        cells.append(f"{auc(mine.labels, mine.score):.3f}, {recall_at(mine.labels, mine.score, 0.01):.2f}")
    count = len(set(scores.picture[scores.labels == 1])), len(set(scores.picture[scores.labels == 0]))
    return f"| {name} ({count[0]} AI, {count[1]} genuine): AUC, recall at 1% | {' | '.join(cells)} |"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("pictures", "sources", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--part", choices=("validation", "test"), required=True)
    parser.add_argument("--most", type=int, help="pictures, one of each source and generator before any has two (default: all)")
    parser.add_argument("--ours", type=Path, help="score file of the same part")
    arguments = parser.parse_args()
    os.environ.setdefault("ENABLE_C2PA", "false")
    from sahu65 import LocalDetector  # the peer's, in an environment of its own
    detector, milliseconds, refused = LocalDetector().warm(), [], 0
    done = set(read_scores(arguments.out).picture) if arguments.out.is_file() else set()
    pictures = [picture for picture in load_pictures(arguments.pictures, arguments.sources) if picture.part == arguments.part]
    pictures = mixed_order(pictures)[:arguments.most]
    with arguments.out.open("a", newline="") as stream:
        writer = csv.DictWriter(stream, fieldnames=COLUMNS)
        if not done:
            writer.writeheader()
        for picture in tqdm([picture for picture in pictures if picture.sha256 not in done], unit="picture", mininterval=30):
            try:
                found = {tier: detector.detect_bytes(as_file(picture, tier)) for tier in TIERS}
            except Exception as error:  # noqa: BLE001  whatever the peer refuses is left out, and said
                refused += 1
                print(f"left out {picture.path.name}: {error}")
                continue
            milliseconds.append(found["clean"].latency_ms)
            writer.writerows(row_of(picture, tier, result.detector_probability) for tier, result in found.items())
            stream.flush()
    scores = read_scores(arguments.out)
    print(summary("sahu65", scores))
    if arguments.ours:
        ours = read_scores(arguments.ours)
        print(summary("ours", ours.where(np.isin(ours.picture, scores.picture))))
    if milliseconds:
        print(f"{np.median(milliseconds):.0f} ms a clean picture (median), {refused} refused")


if __name__ == "__main__":
    main()
