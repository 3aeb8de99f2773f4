"""Command: fit the manifest's calibration on validation scores (Platt scaling, both classes weighing the same).

    python -m face_specialist.calibrate --scores validation.csv --model ../face_specialist --out calibrated.csv

The scores must come from the model as exported: the calibration that its manifest holds is undone first, so the
command can be repeated. The calibrated scores go to a score file of their own, from which the bands are set.
"""

import argparse
import csv
import json
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression


def fit(logits: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    """Scale and offset that make sigmoid(scale*logit + offset) a probability at equal odds."""
    model = LogisticRegression(C=1e3, class_weight="balanced").fit(logits[:, None], labels)
    return float(model.coef_[0, 0]), float(model.intercept_[0])


def main() -> None:
    """Read the scores of all tiers, fit, and write the manifest."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scores", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    path = arguments.model / "manifest.json"
    manifest = json.loads(path.read_text())
    with arguments.scores.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    scores = np.clip([float(row["score"]) for row in rows], 1e-6, 1 - 1e-6)
    old = manifest["calibration"]
    logits = (np.log(scores / (1 - scores)) - old["offset"]) / old["scale"]
    scale, offset = fit(logits, np.array([row["label"] == "ai" for row in rows]))
    manifest["calibration"] = {"scale": round(scale, 5), "offset": round(offset, 5)}
    path.write_text(json.dumps(manifest, indent=2) + "\n")
    calibrated = 1 / (1 + np.exp(-(scale * logits + offset)))
    with arguments.out.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, "score": f"{score:.6f}"} for row, score in zip(rows, calibrated, strict=True))
    print(manifest["calibration"], f"from {len(rows)} scores")


if __name__ == "__main__":
    main()
