"""Logits of a network on a view bank, one entry a picture and tier, which aggregate, calibrate and evaluate read.

    python -m full_image.predict --model model.onnx --bank BANK --out logits.json [--jobs 2]
"""
import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from export.verify import open_session
from full_image.view_bank import ViewBank


@dataclass(frozen=True)
class Prediction:
    """A bank row with the logits of its patches [n] and of its global view."""

    row: dict
    patch: np.ndarray
    whole: float


@torch.no_grad()
def predict(network: torch.nn.Module, bank: ViewBank, rows: list[dict], batch: int = 12) -> list[Prediction]:
    """A PyTorch network in evaluation mode, its trunk in bf16: for a look during training."""
    network.eval()
    device = next(network.parameters()).device
    predictions = []
    for start in range(0, len(rows), batch):
        chosen = rows[start:start + batch]
        pixels = torch.from_numpy(np.concatenate([bank.views(row) for row in chosen])).to(device)
        with torch.autocast(device.type, torch.bfloat16):
            features = network.features(pixels)
        patch, whole = (logits.float().cpu().numpy() for logits in network.heads(features))
        at = 0
        for row in chosen:
            end = at + row["count"]
            predictions.append(Prediction(row, patch[at:end - 1], float(whole[end - 1])))
            at = end
    return predictions


def predict_rows(model: Path, folder: Path, rows: list[dict]) -> list[Prediction]:
    """An exported file in ONNX Runtime on one thread, picture by picture as the engine runs it."""
    session, bank = open_session(model), ViewBank(folder)
    predictions = []
    for row in rows:
        patch, whole = session.run(["patch_logit", "global_logit"], {"pixels": np.ascontiguousarray(bank.views(row))})
        predictions.append(Prediction(row, patch[:-1], float(whole[-1])))
    return predictions


def predict_onnx(model: Path, folder: Path, rows: list[dict], jobs: int) -> list[Prediction]:
    """The same in `jobs` processes, in the order of the rows."""
    chunks = [rows[start:start + 30] for start in range(0, len(rows), 30)]
    with ProcessPoolExecutor(jobs) as pool:
        parts = list(tqdm(pool.map(partial(predict_rows, model, folder), chunks), total=len(chunks), mininterval=20))
    return [prediction for part in parts for prediction in part]


def write_logits(predictions: list[Prediction], px: int, max_patches: int, out: Path) -> None:
    """Writes logits with what is needed to read them again."""
    entries = [{"row": p.row, "patch": [round(float(value), 5) for value in p.patch], "whole": round(p.whole, 5)} for p in predictions]
    out.write_text(json.dumps({"px": px, "max_patches": max_patches, "predictions": entries}))


def read_logits(path: Path) -> tuple[list[Prediction], int, int]:
    """Predictions, view side and most patches of a logits file."""
    content = json.loads(path.read_text())
    predictions = [Prediction(entry["row"], np.array(entry["patch"]), entry["whole"]) for entry in content["predictions"]]
    return predictions, content["px"], content["max_patches"]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--bank", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    arguments = parser.parse_args()
    bank = ViewBank(arguments.bank)
    predictions = predict_onnx(arguments.model, arguments.bank, bank.rows, arguments.jobs)
    write_logits(predictions, bank.px, bank.max_patches, arguments.out)


if __name__ == "__main__":
    main()
