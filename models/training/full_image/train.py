"""Trains the full-image network for a given time; leaves configuration, log, curve and weights in a run folder.

    python -m full_image.train --planes PLANES --imagenet NPZ --run RUN [--minutes 60] [--start WEIGHTS] ...
"""
import argparse
import copy
import json
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

from data.fakes import FakePairs
from data.plane_store import PlaneStore
from full_image.networks import FullImageNetwork
from full_image.samples import SampleConfig, Samples

EMA_DECAY = 0.998
SMOOTHING = 0.03


def loss_of(network: FullImageNetwork, pixels: torch.Tensor, labels: torch.Tensor, is_global: torch.Tensor) -> torch.Tensor:
    """Mean binary cross-entropy, each view by the head of its role, labels smoothed."""
    with torch.autocast(pixels.device.type, torch.bfloat16):
        features = network.features(pixels)
    patch, whole = network.heads(features)
    target = labels * (1 - 2 * SMOOTHING) + SMOOTHING
    return F.binary_cross_entropy_with_logits(torch.where(is_global, whole, patch), target)


def rate_at(progress: float) -> float:
    """Learning-rate factor at 0..1 of the run: warm-up over 2%, then a cosine to 2%."""
    return min(1.0, progress / 0.02 + 0.05) * (0.02 + 0.98 * 0.5 * (1 + np.cos(np.pi * min(1.0, progress))))


@torch.no_grad()
def average(into: torch.nn.Module, network: torch.nn.Module, step: int) -> None:
    """Exponential moving average of the weights, with a short memory at the start."""
    decay = min(EMA_DECAY, (1 + step) / (10 + step))
    for kept, current in zip(into.parameters(), network.parameters()):
        kept.lerp_(current, 1 - decay)


def prepare(arguments: argparse.Namespace, batches, device: str) -> FullImageNetwork:
    """The network with its starting weights: a former run's, or ImageNet's with features standardised on first batches."""
    network = FullImageNetwork()
    if arguments.start:
        network.load_state_dict(torch.load(arguments.start, weights_only=True))
        return network.to(device, memory_format=torch.channels_last)
    network.trunk.load_imagenet(arguments.imagenet)
    network = network.to(device, memory_format=torch.channels_last).train()
    with torch.no_grad(), torch.autocast(device, torch.bfloat16):
        network.standardise(torch.cat([network.features(next(batches)[0].to(device)) for _ in range(16)]))
    return network


def train(arguments: argparse.Namespace) -> None:
    """Runs until the time is up; writes ema.pt every four minutes and at the end."""
    torch.manual_seed(arguments.seed)
    torch.set_num_threads(arguments.threads)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    run = arguments.run
    run.mkdir(parents=True, exist_ok=True)
    config = SampleConfig(px=arguments.px, global_share=arguments.global_share, matched=not arguments.unmatched,
                          fake_share=arguments.fake_share if arguments.pairs else 0.0)
    weights = json.loads(arguments.weights.read_text()) if arguments.weights else None
    pairs = FakePairs(arguments.pairs) if arguments.pairs else None
    samples = Samples(PlaneStore(arguments.planes), config, arguments.batch, arguments.seed, weights, pairs)
    batches = iter(torch.utils.data.DataLoader(samples, batch_size=None, num_workers=arguments.workers,
                                               prefetch_factor=4 if arguments.workers else None))
    network = prepare(arguments, batches, device).train()
    averaged = copy.deepcopy(network)
    heads = [*network.patch_head.parameters(), *network.global_head.parameters()]
    groups = [{"params": list(network.trunk.parameters()), "lr": arguments.rate, "base": arguments.rate},
              {"params": heads, "lr": arguments.rate * 4, "base": arguments.rate * 4}]
    optimiser = torch.optim.AdamW(groups, weight_decay=0.02)
    (run / "config.json").write_text(json.dumps({**vars(arguments), "samples": asdict(config)}, default=str, indent=1))
    started = saved = time.time()
    recent, step = [], 0
    with (run / "curve.csv").open("w") as curve:
        curve.write("step,minutes,loss\n")
        while (progress := (time.time() - started) / 60 / arguments.minutes) < 1:
            pixels, labels, is_global = next(batches)
            for group in optimiser.param_groups:
                group["lr"] = group["base"] * rate_at(progress)
            loss = loss_of(network, pixels.to(device), labels.to(device), is_global.to(device))
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
            average(averaged, network, step)
            recent.append(loss.item())
            step += 1
            if step % 50 == 0:
                line = f"{step},{(time.time() - started) / 60:.2f},{np.mean(recent):.4f}"
                print(line, flush=True)
                curve.write(line + "\n")
                curve.flush()
                recent = []
            if time.time() - saved > 240:
                torch.save(averaged.state_dict(), run / "ema.pt")
                saved = time.time()
    torch.save(averaged.state_dict(), run / "ema.pt")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--planes", type=Path, required=True)
    parser.add_argument("--imagenet", type=Path, help="MobileNetV2 weights, needed without --start")
    parser.add_argument("--start", type=Path, help="ema.pt of a former run")
    parser.add_argument("--pairs", type=Path, help="folder of autoencoder pairs")
    parser.add_argument("--weights", type=Path, help="JSON of sampling weights by sha256 (hard negatives)")
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--px", type=int, default=128)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rate", type=float, default=2.5e-4)
    parser.add_argument("--global-share", type=float, default=0.15)
    parser.add_argument("--fake-share", type=float, default=0.2)
    parser.add_argument("--unmatched", action="store_true", help="no degradations: an experiment")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    train(parser.parse_args())


if __name__ == "__main__":
    main()
