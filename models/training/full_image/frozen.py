"""A linear head on the frozen ImageNet trunk: the floor of the reports, and the cheap experiments.

    python -m full_image.frozen --planes PLANES --imagenet NPZ --pairs PAIRS --bank BANK --out RUN [--views 6000]

prints the variants and writes the floor to RUN/ema.pt in the form that a training run leaves.
"""
import argparse
from pathlib import Path

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression

from data.fakes import FakePairs
from data.plane_store import PlaneStore
from full_image.aggregate import parts_of
from full_image.networks import FullImageNetwork
from full_image.predict import Prediction
from full_image.quick_look import summary
from full_image.samples import SampleConfig, Samples
from full_image.view_bank import ViewBank

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
    # heads of a former variant must not linger
    for head in (network.patch_head, network.global_head):
        head.linear.weight.data.zero_()
    for head, mask in ((network.patch_head, ~roles), (network.global_head, roles)):
        model = LogisticRegression(C=0.003, max_iter=400).fit(x[mask][:, kept], labels[mask])
        head.linear.weight.data[0, kept] = torch.from_numpy(model.coef_[0]).float()
        head.linear.bias.data[:] = torch.from_numpy(model.intercept_).float()


def bank_features(network: FullImageNetwork, bank: ViewBank, rows: list[dict]) -> torch.Tensor:
    """Features of all views of the rows, one after another."""
    parts = []
    for row in rows:
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
            parts.append(network.features(torch.from_numpy(np.array(bank.views(row)))))
    return torch.cat(parts)


def predictions_from(network: FullImageNetwork, features: torch.Tensor, rows: list[dict]) -> list[Prediction]:
    """Logits of features that bank_features gave for the same rows."""
    with torch.no_grad():
        patch, whole = (logits.numpy() for logits in network.heads(features))
    ends = np.cumsum([row["count"] for row in rows])
    return [Prediction(row, patch[end - row["count"]:end - 1], float(whole[end - 1])) for row, end in zip(rows, ends)]


def main() -> None:
    """Command line; prints each variant's validation numbers and leaves the floor (matched, all taps) in OUT/ema.pt."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--planes", type=Path, required=True)
    parser.add_argument("--imagenet", type=Path, required=True)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--bank", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--views", type=int, default=6000)
    parser.add_argument("--every", type=int, default=1, help="keep each n-th genuine picture of the bank")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    network = FullImageNetwork()
    network.trunk.load_imagenet(arguments.imagenet)
    network = network.to(memory_format=torch.channels_last).eval()
    bank, store, pairs = ViewBank(arguments.bank), PlaneStore(arguments.planes), FakePairs(arguments.pairs)
    genuine = set(sorted({row["sha256"] for row in bank.rows if not row["is_ai"]})[::arguments.every])
    rows = [row for row in bank.rows if row["is_ai"] or row["sha256"] in genuine]
    held_out = bank_features(network, bank, rows)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, config, keeps in (("matched", SampleConfig(), ("all", "early", "late")),
                                ("unmatched", SampleConfig(matched=False), ("all",)),
                                ("matched, pairs and blends", SampleConfig(fake_share=0.3), ("all",))):
        samples = Samples(store, config, 32, seed=5, pairs=pairs if config.fake_share else None)
        drawn = training_features(network, samples, arguments.views)
        for keep in keeps:
            fit_heads(network, *drawn, keep)
            predictions = predictions_from(network, held_out, rows)
            parts = parts_of(predictions)
            for part, column in (("patches", 0), ("global", 2)):
                print(summary(f"{name}, {keep} taps, {part}:", predictions, parts[:, column]), flush=True)
            if (name, keep) == ("matched", "all"):
                torch.save(network.state_dict(), arguments.out / "ema.pt")


if __name__ == "__main__":
    main()
