"""Command: train the face specialist from ImageNet weights on stored crops.

    python -m face_specialist.train --crops CROPS --imagenet WEIGHTS.npz --faces-csv F --sources-csv S --run RUN

`--experiment unseen` leaves out every swapped face and the generated faces of two galleries, so that a test on them
measures methods and generators never trained on. Leaves config.json, log.csv and weights.pt (moving average).
"""

import argparse
import csv
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.data import DataLoader, IterableDataset

from face_detector.parts import part_of_pictures
from face_specialist.network import FaceNetwork
from face_specialist.samples import Samples, SampleSettings
from face_specialist.stored import read_crops

EXPERIMENTS = {
    "shipped": SampleSettings(),
    "unseen": SampleSettings(
        self_blended=0.22,
        cross_blended=0.23,
        reconstructed=0.15,
        swapped=0.0,
        generated=0.40,
        unseen_generators=("songguoxs/gpt4o-image-prompts", "muset-ai/awesome-nanobanana2"),
    ),
}


@dataclass(frozen=True)
class Training:
    """Settings of one run. The head starts fitted, so its rate is no higher than the trunk's."""

    steps: int
    batch: int = 32
    seed: int = 5
    trunk_rate: float = 3e-4
    head_rate: float = 3e-4
    weight_decay: float = 1e-2
    label_smoothing: float = 0.02
    warm_up_steps: int = 100
    average_decay: float = 0.999


class Batches(IterableDataset):
    """An endless stream of batches: uint8 [N,side,side,3] and labels float32 [N]."""

    def __init__(self, samples: Samples, training: Training):
        self._samples, self._training = samples, training

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        cv2.setNumThreads(1)
        worker = torch.utils.data.get_worker_info()
        random = np.random.default_rng((self._training.seed, worker.id if worker else 0))
        while True:
            batch = [self._samples.draw(random) for _ in range(self._training.batch)]
            labels = torch.tensor([sample.is_fake for sample in batch], dtype=torch.float32)
            yield torch.from_numpy(np.stack([sample.crop for sample in batch])), labels


def rate_at(step: int, training: Training) -> float:
    """Share of the peak rate: linear warm-up, then half a cosine down to 2%."""
    if step < training.warm_up_steps:
        return (step + 1) / training.warm_up_steps
    done = (step - training.warm_up_steps) / max(1, training.steps - training.warm_up_steps)
    return 0.02 + 0.98 * 0.5 * (1 + np.cos(np.pi * done))


def train(network: FaceNetwork, samples: Samples, training: Training, run: Path) -> None:
    """Train `network` and write log.csv and weights.pt into the run folder."""
    network.to(memory_format=torch.channels_last).train()
    network.norm.eval()  # the statistics that `face_specialist.probe` measured; a batch's own would be mostly noise
    average = torch.optim.swa_utils.AveragedModel(
        network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(training.average_decay), use_buffers=True
    )
    groups = [
        {"params": list(network.trunk.parameters()), "lr": training.trunk_rate},
        {"params": list(network.head.parameters()), "lr": training.head_rate},
    ]
    optimiser = torch.optim.AdamW(groups, weight_decay=training.weight_decay)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: rate_at(step, training))
    batches = iter(DataLoader(Batches(samples, training), batch_size=None, num_workers=1, prefetch_factor=4))
    started = time.monotonic()
    with (run / "log.csv").open("w", newline="") as stream:
        log = csv.writer(stream)
        log.writerow(("step", "seconds", "loss", "accuracy"))
        sums: list[tuple[float, float]] = []
        for step in range(training.steps):
            crops, labels = next(batches)
            with torch.autocast("cpu", torch.bfloat16):
                logits = network(crops)
            wanted = labels * (1 - 2 * training.label_smoothing) + training.label_smoothing
            loss = functional.binary_cross_entropy_with_logits(logits.float(), wanted)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
            optimiser.step()
            schedule.step()
            average.update_parameters(network)
            sums.append((loss.item(), ((logits > 0) == (labels > 0.5)).float().mean().item()))
            if (step + 1) % 25 == 0:
                log.writerow((step + 1, round(time.monotonic() - started), *np.mean(sums, axis=0).round(4)))
                stream.flush()
                sums.clear()
            if (step + 1) % 50 == 0 or step + 1 == training.steps:
                torch.save(average.module.state_dict(), run / "weights.pt")


def main() -> None:
    """Read the arguments, build the pools of the training part, train."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--crops", type=Path, required=True)
    parser.add_argument("--imagenet", type=Path, required=True, help="MobileNetV2 weights, npz")
    parser.add_argument("--faces-csv", type=Path, required=True)
    parser.add_argument("--sources-csv", type=Path, required=True)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--experiment", choices=EXPERIMENTS, default="shipped")
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--start", type=Path, help="weights.pt of another run to go on from")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    training, settings = Training(steps=arguments.steps), EXPERIMENTS[arguments.experiment]
    torch.manual_seed(training.seed)
    pixels, crops = read_crops(arguments.crops, part_of_pictures(arguments.faces_csv, arguments.sources_csv))
    made = (np.load(arguments.crops / "reconstructions.npy"), np.load(arguments.crops / "made_of.npy"))
    samples = Samples(pixels, [crop for crop in crops if crop.part == "train"], made, settings)
    network = FaceNetwork()
    network.trunk.load_imagenet(arguments.imagenet)
    if arguments.start:
        network.load_state_dict(torch.load(arguments.start, weights_only=True))
    arguments.run.mkdir(parents=True, exist_ok=True)
    config = {"experiment": arguments.experiment, "start": arguments.start.parent.name if arguments.start else "imagenet"}
    config |= {"training": asdict(training), "samples": asdict(settings)}
    (arguments.run / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    train(network, samples, training, arguments.run)


if __name__ == "__main__":
    main()
