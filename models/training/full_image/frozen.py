"""Linear heads on frozen features: the floor of the reports, and what each kind of feature is worth.

    python -m full_image.frozen --planes PLANES --imagenet NPZ --pairs PAIRS --bank BANK --out FOLDER [--views 6000]

prints one line a variant and writes the floor (frozen ImageNet trunks, no autoencoder pairs) to FOLDER/patch.pt and FOLDER/global.pt.
"""
import argparse
from pathlib import Path

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression

from data.fakes import FakePairs
from data.plane_store import PlaneStore
from full_image.networks import BUILD, PX, ViewNetwork
from full_image.predict import Prediction
from full_image.quick_look import summary
from full_image.samples import SampleConfig, Samples
from full_image.view_bank import ViewBank

UNTRAINED = "tower"
"""The branch that is nothing without training: it gets no vote here."""


@torch.no_grad()
def fit_heads(network: ViewNetwork, samples: Samples, views: int) -> None:
    """Sets each branch's head to a logistic regression on freshly drawn training views; the hidden parts stay zero."""
    features, labels = {name: [] for name in network.branches}, []
    batches = iter(samples)
    while sum(map(len, labels)) < views:
        pixels, label = next(batches)
        planes = pixels.permute(0, 3, 1, 2).float()
        with torch.autocast("cpu", torch.bfloat16):
            for name, branch in network.branches.items():
                features[name].append(branch.describe(planes).float())
        labels.append(label.numpy() >= 0.5)
    for name, branch in network.branches.items():
        x = torch.cat(features[name])
        branch.standardise(x)
        standard = ((x - branch.mean) / branch.deviation).clamp(-8, 8).numpy()
        model = LogisticRegression(C=0.003, max_iter=400).fit(standard, np.concatenate(labels))
        branch.head.linear.weight[0] = torch.from_numpy(model.coef_[0]).float()
        branch.head.linear.bias[:] = torch.from_numpy(model.intercept_).float()


@torch.no_grad()
def judge(network: ViewNetwork, role: str, bank: ViewBank, rows: list[dict]) -> np.ndarray:
    """Each branch's mean logit of a row's views: [rows,branches]."""
    means = []
    for row in rows:
        views = bank.whole(row) if role == "global" else bank.patches(row)
        with torch.autocast("cpu", torch.bfloat16):
            means.append(network.parts(torch.from_numpy(np.array(views))).float().mean(0).numpy())
    return np.stack(means)


def frozen_network(role: str, imagenet: Path) -> ViewNetwork:
    """The untrained network of a role on ImageNet weights, in evaluation mode."""
    network = BUILD[role]()
    network.branches["trunk"].features.trunk.load_imagenet(imagenet)
    return network.to(memory_format=torch.channels_last).eval()


def main() -> None:
    """Command line; prints each variant's validation numbers and leaves the floor."""
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
    bank, store, pairs = ViewBank(arguments.bank), PlaneStore(arguments.planes), FakePairs(arguments.pairs)
    genuine = set(sorted({row["sha256"] for row in bank.rows if not row["is_ai"]})[::arguments.every])
    rows = [row for row in bank.rows if row["is_ai"] or row["sha256"] in genuine]
    arguments.out.mkdir(parents=True, exist_ok=True)
    for role, fake_share in (("patch", 0.3), ("patch", 0.0), ("global", 0.0)):
        network = frozen_network(role, arguments.imagenet)
        config = SampleConfig(px=PX[role], whole=role == "global", fake_share=fake_share)
        fit_heads(network, Samples(store, config, 32, 5, pairs=pairs if fake_share else None), arguments.views)
        logits = judge(network, role, bank, rows)
        predictions = [Prediction(row, np.zeros(1), 0.0) for row in rows]
        trained = [index for index, name in enumerate(network.branches) if name != UNTRAINED]
        for chosen in [[index] for index in trained] + ([trained] if len(trained) > 1 else []):
            names = " + ".join(list(network.branches)[index] for index in chosen)
            label = f"{role}, {names}{', with pairs' if fake_share else ''}"
            print(summary(label, predictions, logits[:, chosen].mean(1)), flush=True)
        if not fake_share:
            network.votes.data[:] = torch.tensor([float(name == "trunk") for name in network.branches])
            torch.save(network.state_dict(), arguments.out / f"{role}.pt")


if __name__ == "__main__":
    main()
