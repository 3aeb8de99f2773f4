"""Mines training pictures that the network gets wrong, as sampling weights for the next round.

    python -m full_image.hard_negatives --planes PLANES --weights RUN/ema.pt --out hard.json [--views 3]

Genuine pictures that score high and AI pictures that score low are drawn up to MOST times as often.
"""
import argparse
import json
from pathlib import Path

import numpy as np
import torch

from data.plane_store import PlaneStore
from full_image.export import load_network
from full_image.samples import SampleConfig, random_patch

MOST = 4.0


@torch.no_grad()
def mean_logits(network: torch.nn.Module, store: PlaneStore, views: int, seed: int = 9) -> np.ndarray:
    """Mean patch logit [pictures] over freshly degraded patches of each picture's planes."""
    rng = np.random.default_rng(seed)
    config = SampleConfig()
    logits = []
    for start in range(0, len(store.pictures), 16):
        chosen = store.pictures[start:start + 16]
        patches = [random_patch(store.pixels(p.planes[view % len(p.planes)]), config, rng) for p in chosen for view in range(views)]
        with torch.autocast("cpu", torch.bfloat16):
            features = network.features(torch.from_numpy(np.stack(patches)))
        logits.append(network.heads(features)[0].numpy().reshape(len(chosen), views).mean(1))
    return np.concatenate(logits)


def weights_of(logits: np.ndarray, is_ai: np.ndarray) -> np.ndarray:
    """1 for pictures judged rightly, rising to MOST for those judged wrongly with confidence."""
    wrong = np.where(is_ai, -logits, logits)
    return 1 + (MOST - 1) / (1 + np.exp(-2 * wrong))


def main() -> None:
    """Command line; prints the sources that fire most."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--planes", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--views", type=int, default=3)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    store = PlaneStore(arguments.planes)
    logits = mean_logits(load_network(arguments.weights).to(memory_format=torch.channels_last), store, arguments.views)
    is_ai = np.array([picture.is_ai for picture in store.pictures])
    weights = weights_of(logits, is_ai)
    arguments.out.write_text(json.dumps({p.sha256: round(float(w), 3) for p, w in zip(store.pictures, weights)}))
    sources = np.array([picture.source for picture in store.pictures])
    for source in sorted(set(sources), key=lambda s: -weights[sources == s].mean()):
        mask = sources == source
        print(f"{source[:50]:50s} {mask.sum():4d} mean logit {logits[mask].mean():+.2f} wrong {((logits[mask] > 0) != is_ai[mask]).mean():.2f}")


if __name__ == "__main__":
    main()
