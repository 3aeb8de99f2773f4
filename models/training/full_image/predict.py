"""Logits of the two networks on a view bank, one entry a picture and tier, which aggregate, calibrate and evaluate read.

    python -m full_image.predict --patch-model model.onnx --global-model model_global.onnx --bank BANK --out logits.json [--jobs 2]
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
from full_image.networks import ViewNetwork
from full_image.view_bank import ViewBank


@dataclass(frozen=True)
class Prediction:
    """A bank row with the logits of its patches [n] and of its global view."""

    row: dict
    patch: np.ndarray
    whole: float


@torch.no_grad()
def predict(networks: dict[str, ViewNetwork], bank: ViewBank, rows: list[dict]) -> list[Prediction]:
    """PyTorch networks in evaluation mode, trunks in bf16: for a look during training. A role without a network gets zeros."""
    predictions = []
    for row in rows:
        logits = {}
        for role, views in (("patch", bank.patches(row)), ("global", bank.whole(row))):
            with torch.autocast("cpu", torch.bfloat16):
                logits[role] = (networks[role](torch.from_numpy(np.array(views))).float().numpy() if role in networks
                                else np.zeros(len(views)))
        predictions.append(Prediction(row, logits["patch"], float(logits["global"][0])))
    return predictions


def predict_rows(models: dict[str, Path], folder: Path, rows: list[dict]) -> list[Prediction]:
    """The exported files in ONNX Runtime on one thread, picture by picture as the engine runs them."""
    sessions, bank = {role: open_session(path) for role, path in models.items()}, ViewBank(folder)
    run = lambda role, views: sessions[role].run(None, {"pixels": np.ascontiguousarray(views)})[0]
    return [Prediction(row, run("patch", bank.patches(row)), float(run("global", bank.whole(row))[0])) for row in rows]


def predict_onnx(models: dict[str, Path], folder: Path, rows: list[dict], jobs: int) -> list[Prediction]:
    """The same in `jobs` processes, in the order of the rows."""
    chunks = [rows[start:start + 30] for start in range(0, len(rows), 30)]
    with ProcessPoolExecutor(jobs) as pool:
        parts = list(tqdm(pool.map(partial(predict_rows, models, folder), chunks), total=len(chunks), mininterval=20))
    return [prediction for part in parts for prediction in part]


def write_logits(predictions: list[Prediction], max_patches: int, out: Path) -> None:
    """Writes logits with what is needed to read them again."""
    entries = [{"row": p.row, "patch": [round(float(value), 5) for value in p.patch], "whole": round(p.whole, 5)} for p in predictions]
    out.write_text(json.dumps({"max_patches": max_patches, "predictions": entries}))


def read_logits(path: Path) -> tuple[list[Prediction], int]:
    """Predictions and most patches of a logits file."""
    content = json.loads(path.read_text())
    predictions = [Prediction(entry["row"], np.array(entry["patch"]), entry["whole"]) for entry in content["predictions"]]
    return predictions, content["max_patches"]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--patch-model", type=Path, required=True)
    parser.add_argument("--global-model", type=Path, required=True)
    parser.add_argument("--bank", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    arguments = parser.parse_args()
    bank = ViewBank(arguments.bank)
    models = {"patch": arguments.patch_model, "global": arguments.global_model}
    write_logits(predict_onnx(models, arguments.bank, bank.rows, arguments.jobs), bank.max_patches, arguments.out)


if __name__ == "__main__":
    main()
