"""A linear head on the frozen ImageNet trunk: the floor of the reports, and the cheap experiments.

    python -m full_image.frozen --planes PLANES --imagenet NPZ --out RUN [--views 8000] [--pairs PAIRS]
                                [--px 128] [--unmatched] [--keep early|late|all]

writes RUN/ema.pt in the form that a training run leaves, so that every other command reads it alike.
"""
import argparse
from pathlib import Path

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression

from data.fakes import FakePairs
from data.plane_store import PlaneStore
from full_image.networks import FullImageNetwork
from full_image.samples import SampleConfig, Samples

EARLY = 3 * (16 + 24 + 32)
"""Features of the taps at strides 2, 4 and 8; the rest come from strides 16 and 32."""


@torch.no_grad()
def training_features(network: FullImageNetwork, samples: Samples, views: int) -> tuple[torch.Tensor, np.ndarray, np.ndarray]:
    """Features [views,width], labels rounded to 0 or 1, is_global, of freshly drawn training views."""
    features, labels, roles = [], [], []
    batches = iter(samples)
    while sum(map(len, features)) < views:
        pixels, label, is_global = next(batches)
        with torch.autocast("cpu", torch.bfloat16):
            features.append(network.features(pixels))
        labels.append(label.numpy() >= 0.5)
        roles.append(is_global.numpy())
    return torch.cat(features), np.concatenate(labels), np.concatenate(roles)


def fit_heads(network: FullImageNetwork, features: torch.Tensor, labels: np.ndarray, roles: np.ndarray, keep: str) -> None:
    """Sets both heads to logistic regressions on the kept features; the hidden parts stay zero."""
    network.standardise(features)
    x = ((features - network.feature_mean) / network.feature_deviation).numpy()
    kept = {"early": slice(0, EARLY), "late": slice(EARLY, None), "all": slice(None)}[keep]
    for head, mask in ((network.patch_head, ~roles), (network.global_head, roles)):
        model = LogisticRegression(C=0.003, max_iter=400).fit(x[mask][:, kept], labels[mask])
        head.linear.weight.data[0, kept] = torch.from_numpy(model.coef_[0]).float()
        head.linear.bias.data[:] = torch.from_numpy(model.intercept_).float()


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--planes", type=Path, required=True)
    parser.add_argument("--imagenet", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--pairs", type=Path)
    parser.add_argument("--views", type=int, default=8000)
    parser.add_argument("--px", type=int, default=128)
    parser.add_argument("--unmatched", action="store_true")
    parser.add_argument("--keep", choices=["early", "late", "all"], default="all")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    config = SampleConfig(px=arguments.px, matched=not arguments.unmatched, fake_share=0.25 if arguments.pairs else 0.0)
    pairs = FakePairs(arguments.pairs) if arguments.pairs else None
    samples = Samples(PlaneStore(arguments.planes), config, 32, seed=5, pairs=pairs)
    network = FullImageNetwork()
    network.trunk.load_imagenet(arguments.imagenet)
    network = network.to(memory_format=torch.channels_last).eval()
    fit_heads(network, *training_features(network, samples, arguments.views), arguments.keep)
    arguments.out.mkdir(parents=True, exist_ok=True)
    torch.save(network.state_dict(), arguments.out / "ema.pt")


if __name__ == "__main__":
    main()
