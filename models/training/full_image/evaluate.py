"""Turns logits into a score file with the manifest's numbers, as the engine does.

    python -m full_image.evaluate --manifest manifest.json --logits test_logits.json --out test.csv
"""
import argparse
import json
from pathlib import Path

import numpy as np

from full_image.calibrate import scores_of
from full_image.predict import Prediction, read_logits
from measure.score_file import write_scores


def write(predictions: list[Prediction], scores: np.ndarray, out: Path) -> None:
    """Writes the score file; `kind` says what a picture is and in which format it came."""
    rows = []
    for prediction, score in zip(predictions, scores):
        row = prediction.row
        rows.append({"picture": row["sha256"], "label": "ai" if row["is_ai"] else "real", "source": row["source"],
                     "generator": row["generator"], "kind": f"{row['kind']} {row['format']}", "content": row["content"],
                     "tier": row["tier"], "score": f"{score:.6f}"})
    write_scores(out, rows)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--manifest", type=Path, required=True)
    parser.add_argument("--logits", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    predictions, _, _ = read_logits(arguments.logits)
    write(predictions, scores_of(json.loads(arguments.manifest.read_text()), predictions), arguments.out)


if __name__ == "__main__":
    main()
