"""Command: fit the head alone on features of the ImageNet trunk as it is: the floor, and where fine-tuning starts.

    python -m face_specialist.probe --crops CROPS --imagenet WEIGHTS.npz --faces-csv F --sources-csv S --run RUN

Leaves config.json and weights.pt as `face_specialist.train` does; takes the same experiments.
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
from face_specialist.samples import Samples
from face_specialist.stored import read_crops
from face_specialist.train import EXPERIMENTS

BATCH = 32
REGULARISATION = 0.003
"""Inverse strength for scikit-learn; there are about as many features as samples."""


@torch.no_grad()
def draw_features(network: FaceNetwork, samples: Samples, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Features [count,3064] and labels [count] of random training samples."""
    random = np.random.default_rng(3)
    features, labels = [], []
    for _ in tqdm(range(count // BATCH), mininterval=10):
        crops, wanted = zip(*(samples.draw(random) for _ in range(BATCH)), strict=True)
        with torch.autocast("cpu", torch.bfloat16):
            features.append(network.features(torch.from_numpy(np.stack(crops))).float().numpy())
        labels.extend(wanted)
    return np.concatenate(features), np.array(labels)


def fit_head(network: FaceNetwork, features: np.ndarray, labels: np.ndarray) -> float:
    """Set the standardisation and the linear part of the head; gives the accuracy on the same samples."""
    mean, variance = features.mean(axis=0), features.var(axis=0)
    network.norm.running_mean.copy_(torch.from_numpy(mean))
    network.norm.running_var.copy_(torch.from_numpy(variance))
    standard = (features - mean) / np.sqrt(variance + network.norm.eps)
    model = LogisticRegression(C=REGULARISATION, max_iter=200).fit(standard, labels)
    network.head.linear.weight.data = torch.from_numpy(model.coef_).float()
    network.head.linear.bias.data = torch.from_numpy(model.intercept_).float()
    return float(model.score(standard, labels))


def main() -> None:
    """Read the arguments, draw, fit, write the run folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--crops", type=Path, required=True)
    parser.add_argument("--imagenet", type=Path, required=True)
    parser.add_argument("--faces-csv", type=Path, required=True)
    parser.add_argument("--sources-csv", type=Path, required=True)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--experiment", choices=EXPERIMENTS, default="shipped")
    parser.add_argument("--count", type=int, default=4000)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    pixels, crops = read_crops(arguments.crops, part_of_pictures(arguments.faces_csv, arguments.sources_csv))
    made = (np.load(arguments.crops / "reconstructions.npy"), np.load(arguments.crops / "made_of.npy"))
    settings = EXPERIMENTS[arguments.experiment]
    samples = Samples(pixels, [crop for crop in crops if crop.part == "train"], made, settings)
    network = FaceNetwork().eval()
    network.trunk.load_imagenet(arguments.imagenet)
    accuracy = fit_head(network, *draw_features(network, samples, arguments.count))
    arguments.run.mkdir(parents=True, exist_ok=True)
    torch.save(network.state_dict(), arguments.run / "weights.pt")
    config = {"experiment": f"{arguments.experiment}, head alone", "count": arguments.count, "samples": asdict(settings)}
    (arguments.run / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    print(f"accuracy on its own samples {accuracy:.3f}")


if __name__ == "__main__":
    main()
