"""Trains all blocks of the backbone together with the heads of both detectors, on a GPU.

    python -m tuning.tune --backbone clip_encoder.int8.onnx --images IMAGES --sources CSV --graphics GRAPHICS --faces FACES
        --faces-csv CSV --stored STORED STORED_OF_FACES --landmarks MODEL --autoencoders TAESD --rings FOLDER
        --state STATE.pt [--producers 18] [--hours 1]

First the heads are trained on features of the unchanged backbone. The moments of these features then standardise the
input of the heads. After that, everything is trained. The command resumes from STATE if it exists. STATE is written
every few minutes and contains the weights, their average, the optimiser and the step. Without a GPU the CPU is used.
RINGS takes 2.4 GB for each producer. `tuning.fold` makes an encoder from the average.
"""

import argparse
import math
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

from encoder.backbone import read_backbone
from encoder.features import BLOCKS
from encoder.heads import HeadSettings
from encoder.package import TUNED
from export.command import command_parser
from tuning.feed import Feed
from tuning.network import TunedEncoder
from tuning.producers import Material, Producers

RATES, DECAYS = {"adapters": 3e-4, "norms": 1e-4, "heads": 3e-4}, {"adapters": 0.01, "norms": 0.0, "heads": 0.05}
WARM_STEPS, LAST_SHARE = 100, 0.02
"""Number of steps over which the learning rate rises, and share of the peak to which it then falls like a cosine."""
AVERAGE, LONGEST_STEP, SMOOTHING = 0.998, 1.0, 0.03
GENERATED_FACES = 1.7
"""Weight of a generated face in the loss: about as many genuine faces are drawn per generated one."""
HEAD_BATCHES, HEAD_STEPS, HEAD_ROWS, HEAD_LAST_SHARE = 90, 1500, 512, 0.05
"""Settings of the heads' first training: batches of features, steps, crops per step, and the rate's last share."""
SAVED_EVERY_S, REPORTED_EVERY = 180, 100


def losses_of(logits: torch.Tensor, targets: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Computes the loss over all labels in `targets` [N,5] (nan: not trained).

    Also returns each column's mean loss without gradient [5].
    """
    answered = ~targets.isnan()
    answers = targets.nan_to_num()
    weights = torch.ones_like(logits)
    weights[:, TUNED.index("generated")] += (GENERATED_FACES - 1) * (answers[:, TUNED.index("generated")] > 0.5)
    smooth = SMOOTHING + (1 - 2 * SMOOTHING) * answers
    losses = nn.functional.binary_cross_entropy_with_logits(logits, smooth, weights, reduction="none") * answered
    return losses.sum() / answered.sum(), losses.detach().sum(0) / answered.sum(0).clamp(min=1)


@torch.no_grad()
def features_of(network: TunedEncoder, feed: Feed) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns features float32 [N,F] and targets [N,5] of HEAD_BATCHES batches."""
    network.eval()
    return tuple(
        torch.cat(part)
        for part in zip(
            *((network.features(crops), answers) for crops, answers in (feed.next() for _ in range(HEAD_BATCHES)))
        )
    )


def start_heads(network: TunedEncoder, feed: Feed) -> None:
    """Trains the heads on features of the unchanged backbone, and sets the moments that standardise features."""
    settings = HeadSettings(steps=HEAD_STEPS, batch=HEAD_ROWS)
    features, targets = features_of(network, feed)
    network.standardise(features)
    optimiser = torch.optim.AdamW(network.heads.parameters(), weight_decay=settings.decay)
    network.train()
    for step in range(settings.steps):
        falling = HEAD_LAST_SHARE + (1 - HEAD_LAST_SHARE) * (1 - step / settings.steps)
        optimiser.param_groups[0]["lr"] = settings.rate * min(1.0, (step + 1) / WARM_STEPS) * falling
        rows = torch.randint(len(features), (settings.batch,), device=features.device)
        loss, _ = losses_of(network.judge(features[rows]), targets[rows])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    print(f"heads on the backbone as it is: loss {loss.item():.4f}", flush=True)


def groups(network: nn.Module) -> list[dict]:
    """Returns the parameter groups of the optimiser, each with its learning rate."""
    parts = {"adapters": [], "norms": [], "heads": list(network.heads.parameters())}
    for name, parameter in network.blocks.named_parameters():
        parts["norms" if "norm" in name else "adapters"].append(parameter)
    return [
        {"params": parameters, "lr": RATES[name], "weight_decay": DECAYS[name], "name": name}
        for name, parameters in parts.items()
    ]


class Run:
    """The network with its optimiser, averaged weights and step. A new Run resumes from the file that `save` wrote."""

    def __init__(self, network: nn.Module, path: Path, kept: float = AVERAGE, rate: float = 1.0):
        self.network, self._path, self._kept, self._rate, self.step = network, path, kept, rate, 0
        self.optimiser = torch.optim.AdamW(groups(network), betas=(0.9, 0.99))
        if path.is_file():
            state = torch.load(path, map_location=network.mean.device, weights_only=True)
            network.load_state_dict(state["weights"])
            self.average, self.step = state["average"], state["step"]
            self.optimiser.load_state_dict(state["optimiser"])
        else:
            self.restart_average()

    def restart_average(self) -> None:
        """Restarts the average from the present weights."""
        self.average = {name: value.clone() for name, value in self.network.state_dict().items()}

    def save(self) -> None:
        """Writes the state. If writing is interrupted, the former state remains."""
        part = self._path.with_suffix(".part")
        torch.save(
            {
                "weights": self.network.state_dict(),
                "average": self.average,
                "step": self.step,
                "optimiser": self.optimiser.state_dict(),
            },
            part,
        )
        part.replace(self._path)

    def begin_step(self, steps: int) -> None:
        """Sets the random seed and the learning rates for the next of `steps` steps, and clears the gradients."""
        torch.manual_seed(self.step)
        falling = LAST_SHARE + (1 - LAST_SHARE) * 0.5 * (1 + math.cos(math.pi * min(1.0, self.step / steps)))
        for group in self.optimiser.param_groups:
            group["lr"] = self._rate * RATES[group["name"]] * min(1.0, (self.step + 1) / WARM_STEPS) * falling
        self.optimiser.zero_grad()

    def end_step(self) -> None:
        """Changes the weights by their gradients, and updates the average."""
        nn.utils.clip_grad_norm_(self.network.parameters(), LONGEST_STEP)
        self.optimiser.step()
        self.step += 1
        kept = min(self._kept, self.step / (10 + self.step))
        torch._foreach_lerp_(list(self.average.values()), list(self.network.state_dict().values()), 1 - kept)

    def learn(self, crops: torch.Tensor, targets: torch.Tensor, steps: int, at_once: int | None = None) -> torch.Tensor:
        """Makes one of `steps` steps on a batch, `at_once` crops at a time. Returns each column's mean loss [5]."""
        self.begin_step(steps)
        answered, by_column = (~targets.isnan()).sum(0), torch.zeros(len(TUNED), device=targets.device)
        for some_crops, some_targets in zip(
            crops.split(at_once or len(crops)), targets.split(at_once or len(crops)), strict=True
        ):
            mine = (~some_targets.isnan()).sum(0)
            loss, means = losses_of(self.network(some_crops), some_targets)
            (loss * (mine.sum() / answered.sum())).backward()
            by_column += means * mine / answered.clamp(min=1)
        self.end_step()
        return by_column


def learn_all(run: Run, feed: Feed, producers: Producers, steps: int, hours: float) -> None:
    """Trains for `steps` steps or `hours`, and saves the state at the end."""
    start = saved = reported = time.monotonic()
    recent = []
    run.network.train()
    while run.step < steps and time.monotonic() - start < hours * 3600:
        crops, targets = feed.next()
        recent.append(run.learn(crops, targets, steps))
        if run.step % REPORTED_EVERY == 0 or run.step == steps:
            producers.check()
            now, means = time.monotonic(), torch.stack(recent).mean(0).tolist()
            print(
                f"step {run.step}: loss",
                "  ".join(f"{column} {mean:.3f}" for column, mean in zip(TUNED, means, strict=True)),
                f" {len(recent) * len(crops) / (now - reported):.0f} crops/s; made",
                feed.made(),
                flush=True,
            )
            recent, reported = [], now
        if time.monotonic() - saved > SAVED_EVERY_S:
            run.save()
            saved = time.monotonic()
    run.save()


def add_arguments(parser: argparse.ArgumentParser, steps: int) -> None:
    """Adds the arguments of a run on crops of Producers."""
    for name in ("images", "sources", "faces", "faces-csv", "landmarks", "autoencoders", "rings", "state"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--stored", type=Path, nargs="+", required=True, help="outputs of face_specialist.stored")
    parser.add_argument("--graphics", type=Path, help="folder of data.graphics")
    parser.add_argument("--steps", type=int, default=steps, help="of the whole schedule")
    parser.add_argument("--hours", type=float, default=math.inf, help="after which it stops, to go on another time")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--producers", type=int, default=18, help="processes that make crops, three at least")
    parser.add_argument("--slots", type=int, default=16000, help="crops that the ring of a producer holds")
    parser.add_argument("--first", type=int, default=28000, help="crops of all kinds before the first step")
    parser.add_argument("--seed", type=int, default=1)


def train(run: Run, start: Callable[[Feed], None], a: argparse.Namespace, device: str) -> None:
    """Resumes a run as the arguments of `add_arguments` say. `start` prepares the network of a new run."""
    material = Material(a.images, a.sources, a.graphics, a.faces, a.faces_csv, a.stored, a.landmarks, a.autoencoders)
    # The seed includes the step, so that a resumed run draws other crops than before.
    seed = [a.seed, run.step]
    with Producers(material, a.producers, a.rings, a.slots, seed, device) as producers:
        feed = Feed(producers.rings, a.batch, seed, device)
        while not feed.holds(a.first):
            producers.check()
            time.sleep(1)
        print("crops made", feed.made(), flush=True)
        if not a.state.is_file():
            start(feed)
            run.restart_average()
            run.save()
        learn_all(run, feed, producers, a.steps, a.hours)


def main() -> None:
    parser = command_parser(__doc__, "backbone")
    add_arguments(parser, 2340)
    parser.add_argument("--compile", action=argparse.BooleanOptionalAction, default=True, help="the blocks, on a GPU")
    a = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(a.seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    network = TunedEncoder(read_backbone(a.backbone, max(BLOCKS))).to(device)
    if a.compile and device == "cuda":
        for block in network.blocks:
            block.compile()
    train(Run(network, a.state), lambda feed: start_heads(network, feed), a, device)


if __name__ == "__main__":
    main()
