"""Fits the picture aggregate and the score calibration on validation pictures, and writes manifest.json.

    python -m full_image.calibrate --logits validation_logits.json --model model.onnx --manifest manifest.json
"""
import argparse
import hashlib
import json
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from full_image.aggregate import Aggregate, cells_of, fit, parts_of
from full_image.predict import Prediction, read_logits


def fit_scale(logits: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """Platt scaling: scale and offset of sigmoid(scale*logit + offset) under balanced weights."""
    signs = np.where(labels == 1, -1.0, 1.0)
    found = minimize(lambda t: (weights * np.logaddexp(0, signs * (t[0] * logits + t[1]))).sum(), [1.0, 0.0],
                     method="L-BFGS-B", bounds=[(0.05, 20), (-10, 10)])
    return float(found.x[0]), float(found.x[1])


def build_manifest(model: Path, px: int, max_patches: int, aggregate: Aggregate, calibration: tuple[float, float]) -> dict:
    """The manifest of a model file; cost and training data come from facts.json beside it where that is there."""
    facts = model.with_name("facts.json")
    return {
        "id": "full_image_specialist", "version": "1.2.0", "file": model.name,
        "sha256": hashlib.sha256(model.read_bytes()).hexdigest(), "licence": "Apache-2.0",
        "input": {"name": "pixels", "type": "uint8", "layout": "NHWC", "color": "RGB", "size_px": px,
                  "normalisation": "in the graph: (x-127.5)/127.5"},
        "outputs": {"patch": "patch_logit", "global": "global_logit"},
        "views": {"max_patches": max_patches, "selection": "texture_grid", "global": True},
        "aggregate": aggregate.manifest(),
        "calibration": {"scale": round(calibration[0], 6), "offset": round(calibration[1], 6)},
        **(json.loads(facts.read_text()) if facts.is_file() else {"cost": {}, "training_data": {}}),
    }


def scores_of(manifest: dict, predictions: list[Prediction]) -> np.ndarray:
    """Scores 0..1 as the engine computes them from the manifest's numbers."""
    part = manifest["aggregate"]
    aggregate = Aggregate(part["bias"], part["mean"], part["low"], part["low_part"], part["global"])
    logits = aggregate.logit(parts_of(predictions, part["low_part"]))
    return 1 / (1 + np.exp(-(manifest["calibration"]["scale"] * logits + manifest["calibration"]["offset"])))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--logits", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--manifest", type=Path, required=True)
    arguments = parser.parse_args()
    predictions, px, max_patches = read_logits(arguments.logits)
    aggregate = fit(predictions)
    labels, weights = cells_of(predictions)
    calibration = fit_scale(aggregate.logit(parts_of(predictions)), labels, weights)
    manifest = build_manifest(arguments.model, px, max_patches, aggregate, calibration)
    arguments.manifest.write_text(json.dumps(manifest, indent=2) + "\n")
    print(json.dumps({"aggregate": manifest["aggregate"], "calibration": manifest["calibration"]}))


if __name__ == "__main__":
    main()
