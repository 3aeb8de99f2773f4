"""What the two detectors fire on together at a profile's thresholds, and what a gate would change: a face would count only where the whole picture
scores at least so much.

    python -m studies.gate --full-image full_image/run/validation_scores.csv --faces face_specialist/run/validation_scores.csv
                                   --bands ../bands.json [--profile balanced]

Both score files are of the same part; pictures in both count, one row a tier. What ships has no gate, the first row.
"""

import argparse

import numpy as np

from measure.metrics import rate_up
from measure.verdict import judged_by

GATES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
"""Scores of the whole picture."""


def count_fires(whole: np.ndarray, whole_fires: np.ndarray, face_fires: np.ndarray, gate: float) -> tuple[int, int]:
    """How many rows fire by the face alone, and how many by either detector, where a face counts from the whole picture's score `gate` on."""
    face = face_fires & (whole >= gate)
    return int((face & ~whole_fires).sum()), int((face | whole_fires).sum())


def main() -> None:
    """Command line."""
    whole, faces = judged_by(argparse.ArgumentParser(description=__doc__.split("\n\n")[0]))
    index = {key: row for row, key in enumerate(zip(whole.picture, whole.tier, strict=True))}
    rows = np.array([index.get(key, -1) for key in zip(faces.picture, faces.tier, strict=True)])
    both, at = rows >= 0, rows[rows >= 0]
    labels, scores, whole_fires, face_fires = faces.labels[both], whole.score[at], whole.fires[at], faces.fires[both]
    pictures = int((whole.labels == 0).sum())
    print(f"{both.sum()} rows with a face, {(labels == 1).sum()} of AI pictures; {pictures} genuine rows with and without a face")
    print("| gate | genuine, by the face alone | of all genuine | AI, by the face alone | AI, by either |\n|---|---|---|---|---|")
    for gate in GATES:
        (accused, _), (alone, found) = (count_fires(scores[mine], whole_fires[mine], face_fires[mine], gate)
                                        for mine in (labels == 0, labels == 1))
        print(f"| {gate} | {accused} | {rate_up(accused / pictures):.2%} | {alone} | {found / max(1, (labels == 1).sum()):.3f} |")


if __name__ == "__main__":
    main()
