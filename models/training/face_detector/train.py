"""Trains the face detector on the teacher's labels.

    python -m face_detector.train --labels FACE_DETECTOR --teacher yunet_n.pth --run RUNS/face_detector --steps 6000

Writes config.json, log.csv and weights.pt (the exponential moving average of the weights) to the run folder.
"""

import csv
import json
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.data import DataLoader, IterableDataset

from export.command import command_parser
from face_detector.assign import assign
from face_detector.labels import placements_of, read_labels
from face_detector.network import STRIDES, Detector, decode
from face_detector.scenes import Scenes, SceneSettings

BOX_WEIGHT = 2.0
POINT_WEIGHT = 4.0


@dataclass
class BatchTargets:
    """Training targets of a batch: the members of `assign.Targets` with a leading axis N, as tensors."""

    score: Tensor
    counted: Tensor
    weight: Tensor
    boxes: Tensor
    points: Tensor


def generalised_iou(one: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
    """Computes IoU (0..1) and generalised IoU (-1..1, Rezatofighi 2019) of pairs of boxes [K,4] (x, y, w, h)."""
    one_end, other_end = one[:, :2] + one[:, 2:], other[:, :2] + other[:, 2:]
    common = (torch.minimum(one_end, other_end) - torch.maximum(one[:, :2], other[:, :2])).clamp(min=0).prod(1)
    union = one[:, 2:].prod(1) + other[:, 2:].prod(1) - common
    hull = (torch.maximum(one_end, other_end) - torch.minimum(one[:, :2], other[:, :2])).prod(1)
    iou = common / union.clamp(min=1e-6)
    return iou, iou - (hull - union) / hull.clamp(min=1e-6)


def detector_loss(maps: list[Tensor], targets: BatchTargets) -> dict[str, Tensor]:
    """Computes the parts of the loss, and their weighted sum `total`, from the network's raw maps.

    The target score is the teacher's, lowered if the network's box does not fit yet, so that the order of scores
    reflects both. The loss is weighted by the squared distance of the score (quality focal loss, Li 2020).
    """
    parts = [decode(level.float(), stride) for level, stride in zip(maps, STRIDES, strict=True)]
    scores, boxes, points = (torch.cat(group, dim=1) for group in zip(*parts, strict=True))
    answers = targets.weight > 0
    weight = targets.weight[answers]
    total_weight = weight.sum().clamp(min=1.0)
    iou, giou = generalised_iou(boxes[answers], targets.boxes[answers])
    wanted = targets.score.clone()
    wanted[answers] *= 0.5 + 0.5 * iou.detach()
    distance = (wanted - scores.detach()).square()
    score = functional.binary_cross_entropy(scores, wanted, reduction="none") * distance * targets.counted
    sizes = targets.boxes[answers][:, 2:].prod(1).sqrt()[:, None]
    off = (points[answers] - targets.points[answers]) / sizes
    point = functional.smooth_l1_loss(off, torch.zeros_like(off), beta=0.05, reduction="none").mean(1)
    losses = {
        "score": score.sum() / answers.sum().clamp(min=1),
        "box": ((1 - giou) * weight).sum() / total_weight,
        "point": (point * weight).sum() / total_weight,
    }
    losses["total"] = losses["score"] + BOX_WEIGHT * losses["box"] + POINT_WEIGHT * losses["point"]
    return losses


@dataclass(frozen=True)
class Training:
    """Settings of one run. `batches` has (side of a crop in px, crops per batch, share of the steps).

    `replayed` is the number of past batches that are kept. Every second step repeats one of them (data echoing, Choi
    2019), because on a CPU drawing a batch costs as much as training on it.
    """

    steps: int
    seed: int = 7
    peak_rate: float = 5e-4
    weight_decay: float = 1e-3
    warm_up_steps: int = 50
    replayed: int = 32
    average_decay: float = 0.995
    batches: tuple[tuple[int, int, float], ...] = ((224, 28, 0.3), (352, 12, 0.2), (640, 4, 0.5))


class Batches(IterableDataset):
    """Draws batches without end, each with one crop size. Every loader process has its own random seed."""

    def __init__(self, scenes: Scenes, training: Training):
        self._scenes, self._training = scenes, training

    def __iter__(self) -> Iterator[tuple[Tensor, list[Tensor]]]:
        cv2.setNumThreads(1)
        worker = torch.utils.data.get_worker_info()
        random = np.random.default_rng((self._training.seed, worker.id if worker else 0))
        shares = [share for *_, share in self._training.batches]
        while True:
            side_px, count, _ = self._training.batches[random.choice(len(shares), p=shares)]
            crops, targets = [], []
            for _ in range(count):
                crop, faces, visible = self._scenes.draw(random, side_px)
                crops.append(crop)
                targets.append(assign(faces, visible, side_px))
            columns = [
                torch.from_numpy(np.stack([getattr(target, name) for target in targets]))
                for name in ("score", "counted", "weight", "boxes", "points")
            ]
            yield torch.from_numpy(np.stack(crops)), columns


def rate_at(step: int, training: Training) -> float:
    """Returns the learning rate as a share of its peak: linear warm-up, then half a cosine down to 1%."""
    if step < training.warm_up_steps:
        return (step + 1) / training.warm_up_steps
    done = (step - training.warm_up_steps) / max(1, training.steps - training.warm_up_steps)
    return 0.01 + 0.99 * 0.5 * (1 + np.cos(np.pi * done))


def train(network: Detector, scenes: Scenes, training: Training, run: Path) -> None:
    """Trains `network` and writes log.csv and weights.pt into the run folder."""
    network.to(memory_format=torch.channels_last).train()
    average = torch.optim.swa_utils.AveragedModel(
        network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(training.average_decay), use_buffers=True
    )
    optimiser = torch.optim.AdamW(network.parameters(), training.peak_rate, weight_decay=training.weight_decay)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: rate_at(step, training))
    batches = iter(DataLoader(Batches(scenes, training), batch_size=None, num_workers=1, prefetch_factor=2))
    past: deque[tuple[Tensor, list[Tensor]]] = deque(maxlen=training.replayed)
    choice = np.random.default_rng(training.seed)
    started = time.monotonic()
    with (run / "log.csv").open("w", newline="") as stream:
        log = csv.writer(stream)
        log.writerow(("step", "seconds", "total", "score", "box", "point"))
        sums: list[list[float]] = []
        for step in range(training.steps):
            if step % 2 and past:
                crops, columns = past[choice.integers(len(past))]
            else:
                crops, columns = next(batches)
                past.append((crops, columns))
            losses = detector_loss(network.maps(crops), BatchTargets(*columns))
            optimiser.zero_grad(set_to_none=True)
            losses["total"].backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 10.0)
            optimiser.step()
            schedule.step()
            average.update_parameters(network)
            sums.append([float(losses[name].detach()) for name in ("total", "score", "box", "point")])
            if (step + 1) % 50 == 0:
                means = np.mean(sums, axis=0)
                log.writerow((step + 1, round(time.monotonic() - started), *means.round(4)))
                stream.flush()
                sums.clear()
            if (step + 1) % 100 == 0 or step + 1 == training.steps:
                torch.save(average.module.state_dict(), run / "weights.pt")


def main() -> None:
    parser = command_parser(__doc__, "faces-csv", "sources-csv", "run")
    parser.add_argument("--labels", type=Path, required=True, help="folder that `face_detector.label` wrote")
    parser.add_argument("--steps", type=int, default=6000)
    start = parser.add_mutually_exclusive_group(required=True)
    start.add_argument("--teacher", type=Path, help="yunet_n.pth to start from")
    start.add_argument("--start", type=Path, help="weights.pt of another run to go on from")
    parser.add_argument("--peak-rate", type=float, default=Training.peak_rate)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    training, settings = Training(args.steps, peak_rate=args.peak_rate), SceneSettings()
    torch.manual_seed(training.seed)
    parts = placements_of(args.faces_csv, args.sources_csv)
    images = [image for name, image in read_labels(args.labels).items() if parts[name].split == "train"]
    portraits = [image for image in images if parts[image.name].portrait]
    others = [image for image in images if not parts[image.name].portrait]
    network = Detector()
    if args.start:
        network.load_state_dict(torch.load(args.start, weights_only=True))
    else:
        network.load_teacher(args.teacher)
    args.run.mkdir(parents=True, exist_ok=True)
    config = {"training": asdict(training), "scenes": asdict(settings)}
    config |= {"pictures": len(others), "portraits": len(portraits), "goes on": args.start is not None}
    (args.run / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    train(network, Scenes(others, portraits, settings), training, args.run)


if __name__ == "__main__":
    main()
