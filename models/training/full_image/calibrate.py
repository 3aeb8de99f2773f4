"""Fits the picture aggregate and the score calibration on validation pictures, and writes manifest.json.

    python -m full_image.calibrate --logits validation_logits.json --folder ../full_image_specialist

The folder has model.onnx (patches) and model_global.onnx (the whole picture).
"""
import argparse
import hashlib
import json
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from full_image.aggregate import Aggregate, cells_of, fit, parts_of
from full_image.networks import GLOBAL_PX, PATCH_PX
from full_image.predict import Prediction, read_logits

VERSION = "2.0.0"
"""Of the detector: it changes with either ONNX file."""


def fit_scale(logits: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """Platt scaling: scale and offset of sigmoid(scale*logit + offset) under balanced weights."""
    signs = np.where(labels == 1, -1.0, 1.0)
    found = minimize(lambda t: (weights * np.logaddexp(0, signs * (t[0] * logits + t[1]))).sum(), [1.0, 0.0],
                     method="L-BFGS-B", bounds=[(0.05, 20), (-10, 10)])
    return float(found.x[0]), float(found.x[1])


def build_manifest(folder: Path, max_patches: int, aggregate: Aggregate, calibration: tuple[float, float]) -> dict:
    """The manifest of the two files; cost and training data come from facts.json beside them where that is there."""
    hashed = lambda name: {"file": name, "sha256": hashlib.sha256((folder / name).read_bytes()).hexdigest()}
    facts = folder / "facts.json"
    return {
        "id": "full_image_specialist", "version": VERSION, **hashed("model.onnx"), "licence": "Apache-2.0",
        "input": {"name": "pixels", "type": "uint8", "layout": "NHWC", "color": "RGB", "size_px": PATCH_PX,
                  "normalisation": "in the graph"},
        "outputs": {"logit": "logit"},
        "views": {"max_patches": max_patches, "selection": "texture_grid"},
        "global_view": {**hashed("model_global.onnx"), "size_px": GLOBAL_PX, "output": "logit"},
        "aggregate": aggregate.manifest(),
        "calibration": {"scale": round(calibration[0], 6), "offset": round(calibration[1], 6)},
        **(json.loads(facts.read_text()) if facts.is_file() else {"cost": {}, "training_data": {}}),
    }


def scores_of(manifest: dict, predictions: list[Prediction]) -> np.ndarray:
    """Scores 0..1 as the engine computes them from the manifest's numbers."""
    part = manifest["aggregate"]
    aggregate = Aggregate(part["bias"], part["mean"], part["top"], part["top_k"], part["max"], part["global"])
    logits = aggregate.logit(parts_of(predictions, part["top_k"]))
    return 1 / (1 + np.exp(-(manifest["calibration"]["scale"] * logits + manifest["calibration"]["offset"])))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--logits", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    arguments = parser.parse_args()
    predictions, max_patches = read_logits(arguments.logits)
    aggregate = fit(predictions)
    labels, weights = cells_of(predictions)
    calibration = fit_scale(aggregate.logit(parts_of(predictions)), labels, weights)
    manifest = build_manifest(arguments.folder, max_patches, aggregate, calibration)
    (arguments.folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
    print(json.dumps({"aggregate": manifest["aggregate"], "calibration": manifest["calibration"]}))


if __name__ == "__main__":
    main()
