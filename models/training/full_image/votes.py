"""Chooses what the trunk and each branch weigh in the patch logit, on validation pictures, and writes the finished network.

    python -m full_image.votes --weights RUN/ema.pt BRANCHES/ema.pt --bank BANK --out voted.pt [--every 2]

prints what each part reaches alone, then the choice.
"""
import argparse
from itertools import product
from pathlib import Path

import numpy as np
import torch

from full_image.aggregate import recall_where_it_counts
from full_image.networks import FullImageNetwork, load_network
from full_image.predict import Prediction
from full_image.quick_look import summary
from full_image.view_bank import ViewBank

GRID = (0.0, 0.5, 1.0, 2.0)
"""Weights tried for each part beside the global view's 1."""


@torch.no_grad()
def judge(network: FullImageNetwork, bank: ViewBank, rows: list[dict]) -> tuple[np.ndarray, np.ndarray]:
    """Mean patch logit of trunk and branches of each row [rows,1+branches], and its global logit [rows]."""
    parts, wholes = [], []
    for row in rows:
        with torch.autocast("cpu", torch.bfloat16):
            patch, whole = network.parts(torch.from_numpy(np.array(bank.views(row))))
        parts.append(patch[:-1].float().mean(0).numpy())
        wholes.append(float(whole[-1]))
    return np.stack(parts), np.array(wholes)


def choose(parts: np.ndarray, whole: np.ndarray, predictions: list[Prediction]) -> tuple[float, ...]:
    """The votes with the best recall_where_it_counts together with the global view; of equals those with the least sum."""
    return max(product(GRID, repeat=parts.shape[1]),
               key=lambda votes: (recall_where_it_counts(predictions, parts @ np.array(votes) + whole), -sum(votes)))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", type=Path, nargs="+", required=True, help="runs that trained the trunk and the branches")
    parser.add_argument("--bank", type=Path, required=True)
    parser.add_argument("--every", type=int, default=1, help="keep each n-th genuine picture")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    network = load_network(*arguments.weights).to(memory_format=torch.channels_last)
    bank = ViewBank(arguments.bank)
    genuine = set(sorted({row["sha256"] for row in bank.rows if not row["is_ai"]})[::arguments.every])
    rows = [row for row in bank.rows if row["is_ai"] or row["sha256"] in genuine]
    parts, whole = judge(network, bank, rows)
    predictions = [Prediction(row, np.zeros(1), 0.0) for row in rows]
    names = ["trunk", *network.branches]
    for index, name in enumerate(names):
        print(summary(f"patches, {name}", predictions, parts[:, index]), flush=True)
    print(summary("global", predictions, whole))
    print(summary("trunk + global", predictions, parts[:, 0] + whole))
    votes = choose(parts, whole, predictions)
    print(summary("chosen + global", predictions, parts @ np.array(votes) + whole), dict(zip(names, votes)))
    network.votes.copy_(torch.tensor(votes))
    torch.save(network.state_dict(), arguments.out)


if __name__ == "__main__":
    main()
