"""What the face specialist adds: fakes that the pair finds and the full-image specialist alone does not, at the same false alarms.

    python -m studies.added --full-image ../full_image/run/test_scores.csv --faces face_specialist/run/test_scores.csv [--rate 0.01]

Both score files are of the same part; pictures in both count. Alone, the full-image specialist's threshold lets RATE of these genuine pictures
fire; of the pair each part has its own threshold, both at the same rate, the highest at which no more than RATE of the genuine fire in either.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from data.degrade import TIERS
from measure.metrics import threshold_at
from measure.score_file import Scores, read_scores


@dataclass(frozen=True)
class Added:
    """Counts of fakes: `alone` found by the full-image specialist, `pair` by either, `new` by the pair and not alone, `lost` the other way."""

    fakes: int
    genuine: int
    alone: int
    pair: int
    new: int
    lost: int


def fires_alone(scores: np.ndarray, genuine: np.ndarray, rate: float) -> np.ndarray:
    """Which pictures fire at the threshold that lets `rate` of the genuine ones."""
    return scores >= threshold_at(scores[genuine], rate)


def fires_pair(full_image: np.ndarray, faces: np.ndarray, genuine: np.ndarray, rate: float) -> np.ndarray:
    """Which pictures fire in either, each at its own share of the genuine, the largest one that keeps both together within `rate`."""
    allowed = int(np.floor(rate * genuine.sum()))
    for count in range(allowed, -1, -1):
        own = (count + 0.5) / genuine.sum()
        fires = fires_alone(full_image, genuine, own) | fires_alone(faces, genuine, own)
        if fires[genuine].sum() <= allowed:
            return fires
    raise ValueError("ties among the genuine pictures")


def both(full_image: Scores, faces: Scores, tier: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Labels, generators and both scores of a tier's pictures that are in both files."""
    scores = {picture: score for picture, score, its in zip(full_image.picture, full_image.score, full_image.tier, strict=True) if its == tier}
    rows = faces.where((faces.tier == tier) & np.isin(faces.picture, list(scores)))
    return rows.labels, rows.generator, np.array([scores[picture] for picture in rows.picture]), rows.score


def added(labels: np.ndarray, full_image: np.ndarray, faces: np.ndarray, rate: float) -> Added:
    """Counts at `rate`."""
    fakes, genuine = labels == 1, labels == 0
    alone, pair = fires_alone(full_image, genuine, rate), fires_pair(full_image, faces, genuine, rate)
    return Added(int(fakes.sum()), int(genuine.sum()), int(alone[fakes].sum()), int(pair[fakes].sum()),
                 int((pair & ~alone)[fakes].sum()), int((alone & ~pair)[fakes].sum()))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full-image", type=Path, required=True, nargs="+", help="score files of the full-image specialist")
    parser.add_argument("--faces", type=Path, required=True, help="score file of the face specialist")
    parser.add_argument("--rate", type=float, default=0.01)
    arguments = parser.parse_args()
    files = [read_scores(path) for path in arguments.full_image]
    full_image = Scores(*(np.concatenate(columns) for columns in zip(*(vars(scores).values() for scores in files), strict=True)))
    faces = read_scores(arguments.faces)
    print("| tier | fakes, genuine | full image alone | pair | found by the pair alone | lost by it |\n|---|---|---|---|---|---|")
    for tier in TIERS:
        labels, _, whole, face = both(full_image, faces, tier)
        found = added(labels, whole, face, arguments.rate)
        print(f"| {tier} | {found.fakes}, {found.genuine} | {found.alone / found.fakes:.3f} | {found.pair / found.fakes:.3f} | {found.new} | {found.lost} |")


if __name__ == "__main__":
    main()
