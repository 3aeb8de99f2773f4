"""Command: fit the head alone on features of the ImageNet trunk as it is: the floor, and where fine-tuning starts.

    python -m face_specialist.probe --crops CROPS --imagenet WEIGHTS.npz --faces-csv F --sources-csv S --run RUN

Leaves config.json and weights.pt as `face_specialist.train` does. The features are kept in the run folder, so that
`--experiment unseen` (no swapped face, no face of the galleries left out) costs only another fit.
"""

import argparse
import json
from dataclasses import asdict
from pathlib import Path

import cv2
import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from tqdm import tqdm

from face_detector.parts import part_of_pictures
from face_specialist.network import FaceNetwork
from face_specialist.samples import Samples, SampleSettings, realign
from face_specialist.stored import StoredCrop, read_crops
from face_specialist.train import EXPERIMENTS
from measure.metrics import auc

BATCH = 32
STRENGTHS = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3)
"""Inverse strengths of regularisation to choose from; there are about as many features as samples."""


@torch.no_grad()
def features_of(network: FaceNetwork, crops: list[np.ndarray]) -> np.ndarray:
    """Features [N,3064] of crops uint8 [side,side,3]."""
    parts = []
    for start in tqdm(range(0, len(crops), BATCH), mininterval=10):
        with torch.autocast("cpu", torch.bfloat16):
            parts.append(network.features(torch.from_numpy(np.stack(crops[start : start + BATCH]))).float().numpy())
    return np.concatenate(parts)


def draw(network: FaceNetwork, samples: Samples, count: int) -> dict[str, np.ndarray]:
    """Features, labels, kinds and repositories of random training samples."""
    random = np.random.default_rng(3)
    drawn = [samples.draw(random) for _ in range(count)]
    return {
        "features": features_of(network, [sample.crop for sample in drawn]),
        "labels": np.array([sample.is_fake for sample in drawn]),
        "kinds": np.array([sample.kind for sample in drawn]),
        "repositories": np.array([sample.repository for sample in drawn]),
    }


def look_at_validation(network: FaceNetwork, pixels: np.ndarray, crops: list[StoredCrop]) -> dict[str, np.ndarray]:
    """Features, labels and whether each is a DFDC frame, of the validation crops as they are."""
    side_px = SampleSettings().side_px
    chosen = [crop for crop in crops if crop.part == "validation"]
    return {
        "features": features_of(network, [realign(np.ascontiguousarray(pixels[c.row]), None, side_px) for c in chosen]),
        "labels": np.array([crop.is_fake for crop in chosen]),
        "dfdc": np.array([crop.placement.method.startswith("dfdc") for crop in chosen]),
    }


def fit_head(network: FaceNetwork, training: dict[str, np.ndarray], validation: dict[str, np.ndarray]) -> dict:
    """Set the standardisation and the linear part of the head, with the strength that is best on validation.

    Best is the mean of two AUCs: swapped against original frames, and generated faces against photographs.
    """
    mean, variance = training["features"].mean(axis=0), training["features"].var(axis=0)
    deviation = np.sqrt(variance + network.norm.eps)
    standard, looked = ((part["features"] - mean) / deviation for part in (training, validation))
    best: dict = {"score": 0.0}
    for strength in STRENGTHS:
        model = LogisticRegression(C=strength, max_iter=150).fit(standard, training["labels"])
        logits = model.decision_function(looked)
        aucs = [
            auc(validation["labels"][group].astype(int), logits[group])
            for group in (validation["dfdc"], ~validation["dfdc"])
        ]
        print(f"C={strength:g} swapped {aucs[0]:.3f} generated {aucs[1]:.3f}")
        if np.mean(aucs) > best["score"]:
            best = {"score": float(np.mean(aucs)), "strength": strength, "swapped": aucs[0], "generated": aucs[1]}
            network.head.linear.weight.data = torch.from_numpy(model.coef_).float()
            network.head.linear.bias.data = torch.from_numpy(model.intercept_).float()
    network.norm.running_mean.copy_(torch.from_numpy(mean))
    network.norm.running_var.copy_(torch.from_numpy(variance))
    return best


def main() -> None:
    """Read the arguments, draw, fit, write the run folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--crops", type=Path, required=True)
    parser.add_argument("--imagenet", type=Path, required=True)
    parser.add_argument("--faces-csv", type=Path, required=True)
    parser.add_argument("--sources-csv", type=Path, required=True)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--features", type=Path, help="features.npz of another run to fit again")
    parser.add_argument("--experiment", choices=EXPERIMENTS, default="shipped")
    parser.add_argument("--count", type=int, default=4000)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    arguments.run.mkdir(parents=True, exist_ok=True)
    network = FaceNetwork().eval()
    network.trunk.load_imagenet(arguments.imagenet)
    if arguments.features:
        kept = dict(np.load(arguments.features))
    else:
        pixels, crops = read_crops(arguments.crops, part_of_pictures(arguments.faces_csv, arguments.sources_csv))
        made = (np.load(arguments.crops / "reconstructions.npy"), np.load(arguments.crops / "made_of.npy"))
        samples = Samples(pixels, [crop for crop in crops if crop.part == "train"], made, EXPERIMENTS["shipped"])
        kept = draw(network, samples, arguments.count)
        kept |= {f"validation_{name}": value for name, value in look_at_validation(network, pixels, crops).items()}
        np.savez(arguments.run / "features.npz", **kept)
    names = ("features", "labels", "kinds", "repositories")
    training = {name: kept[name] for name in names}
    if arguments.experiment == "unseen":
        unseen = np.isin(training["repositories"], EXPERIMENTS["unseen"].unseen_generators) | (training["kinds"] == "swapped")
        training = {name: values[~unseen] for name, values in training.items()}
    validation = {name: kept[f"validation_{name}"] for name in ("features", "labels", "dfdc")}
    best = fit_head(network, training, validation)
    torch.save(network.state_dict(), arguments.run / "weights.pt")
    config = {"experiment": arguments.experiment, "trained": "head alone", "fit": best}
    config |= {"count": len(training["labels"]), "samples": asdict(EXPERIMENTS["shipped"])}
    (arguments.run / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    print(best)


if __name__ == "__main__":
    main()
