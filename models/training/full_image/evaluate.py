"""Scores a view bank with the manifest's numbers and writes a score file: `onnx` scores what ships, `weights` a run's network.

    python -m full_image.evaluate --manifest manifest.json --bank BANK --out scores.csv [--weights RUN/ema.pt]
"""
import argparse
import json
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from export.verify import open_session
from full_image.calibrate import scores_of
from full_image.export import load_network
from full_image.predict import Prediction, predict
from full_image.view_bank import ViewBank
from measure.score_file import write_scores


def predict_onnx(model: Path, bank: ViewBank) -> list[Prediction]:
    """Logits of the shipped file in ONNX Runtime, fp32, picture by picture as the engine runs it."""
    session = open_session(model)
    predictions = []
    for row in tqdm(bank.rows, unit="row", mininterval=20):
        patch, whole = session.run(["patch_logit", "global_logit"], {"pixels": np.ascontiguousarray(bank.views(row))})
        predictions.append(Prediction(row, patch[:-1], float(whole[-1])))
    return predictions


def write(predictions: list[Prediction], scores: np.ndarray, out: Path) -> None:
    """Writes the score file."""
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
    parser.add_argument("--bank", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--weights", type=Path, help="score this network of a run instead of the manifest's file")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    manifest = json.loads(arguments.manifest.read_text())
    bank = ViewBank(arguments.bank)
    if arguments.weights:
        predictions = predict(load_network(arguments.weights).to(memory_format=torch.channels_last), bank, bank.rows)
    else:
        predictions = predict_onnx(arguments.manifest.with_name(manifest["file"]), bank)
    write(predictions, scores_of(manifest, predictions), arguments.out)


if __name__ == "__main__":
    main()
