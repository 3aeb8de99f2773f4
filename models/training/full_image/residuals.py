"""Experiment: do noise-residual and spectral statistics add to the frozen trunk's features? Patches only, linear head.

    python -m full_image.residuals --planes PLANES --imagenet NPZ --bank BANK [--views 3000] [--every 2]
"""
import argparse
from pathlib import Path

import cv2
import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from data.plane_store import PlaneStore
from full_image.networks import FullImageNetwork
from full_image.predict import Prediction
from full_image.quick_look import summary
from full_image.samples import SampleConfig, Samples
from full_image.view_bank import ViewBank

KERNELS = [np.array(kernel, np.float32) for kernel in (
    [[0, 0, 0], [-1, 1, 0], [0, 0, 0]], [[0, 0, 0], [1, -2, 1], [0, 0, 0]], [[-1, 2, -1], [2, -4, 2], [-1, 2, -1]])]
"""High-pass filters of first and second order and the square one of the steganalysis rich model."""
RINGS = 16


def residual_statistics(patch: np.ndarray) -> np.ndarray:
    """float [27 + RINGS]: log deviation, log mean size and log tail weight of three residuals a channel; log radial spectrum."""
    values = []
    image = patch.astype(np.float32)
    for kernel in KERNELS:
        residual = cv2.filter2D(image, -1, kernel)
        size = np.abs(residual)
        deviation = residual.std((0, 1)) + 0.1
        values += [np.log(deviation), np.log(size.mean((0, 1)) + 0.1), np.log((size ** 4).mean((0, 1)) ** 0.25 / deviation + 0.01)]
    grey = image.mean(2)
    spectrum = np.log(np.abs(np.fft.fftshift(np.fft.fft2(grey - grey.mean()))) + 1)
    y, x = np.indices(grey.shape) - grey.shape[0] // 2
    ring = np.minimum((np.hypot(x, y) / (grey.shape[0] / 2) * RINGS).astype(int), RINGS - 1)
    return np.concatenate([*values, np.bincount(ring.ravel(), spectrum.ravel()) / np.bincount(ring.ravel())])


@torch.no_grad()
def both_features(network: FullImageNetwork, patches: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Residual statistics and trunk features of patches [N,H,W,3]."""
    with torch.autocast("cpu", torch.bfloat16):
        deep = network.features(torch.from_numpy(patches)).numpy()
    return np.stack([residual_statistics(patch) for patch in patches]), deep


def main() -> None:
    """Command line; prints one line a set of features."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--planes", type=Path, required=True)
    parser.add_argument("--imagenet", type=Path, required=True)
    parser.add_argument("--bank", type=Path, required=True)
    parser.add_argument("--views", type=int, default=3000)
    parser.add_argument("--every", type=int, default=2)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    network = FullImageNetwork()
    network.trunk.load_imagenet(arguments.imagenet)
    network = network.to(memory_format=torch.channels_last).eval()
    batches, drawn, labels = iter(Samples(PlaneStore(arguments.planes), SampleConfig(global_share=0.0), 32, seed=7)), [], []
    for _ in range(arguments.views // 32):
        pixels, label, _ = next(batches)
        drawn.append(both_features(network, pixels.numpy()))
        labels.append(label.numpy() > 0.5)
    bank = ViewBank(arguments.bank)
    genuine = set(sorted({row["sha256"] for row in bank.rows if not row["is_ai"]})[::arguments.every])
    rows = [row for row in bank.rows if row["is_ai"] or row["sha256"] in genuine]
    held_out = [both_features(network, np.array(bank.views(row)[:-1])) for row in rows]
    sets = {"residuals": lambda pair: pair[0], "trunk": lambda pair: pair[1], "both": lambda pair: np.concatenate(pair, 1)}
    for name, choose in sets.items():
        scaler = StandardScaler().fit(np.concatenate([choose(pair) for pair in drawn]))
        model = LogisticRegression(C=0.003, max_iter=400)
        model.fit(scaler.transform(np.concatenate([choose(pair) for pair in drawn])), np.concatenate(labels))
        predictions = [Prediction(row, model.decision_function(scaler.transform(choose(pair))), 0.0) for row, pair in zip(rows, held_out)]
        print(summary(name, predictions, np.array([p.patch.mean() for p in predictions])), flush=True)


if __name__ == "__main__":
    main()
