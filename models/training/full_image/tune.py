"""Tunes the tower's upper blocks together with the full-image specialist's heads; the blocks below stay as they ship.

    python -m full_image.tune --tower ../encoder --upper clip_encoder.int8.onnx --pictures PICTURES --sources CSV
        --features TRAIN [TRAIN ...] --state STATE.pt --steps 20000 [--hours 1.5]

Goes on from STATE where it is there: a step's pictures and views follow from its number, and STATE, written every few minutes, holds weights, their
average, the optimiser and the step. `--features` are frozen ones (encoder.features train): their moments standardise what the heads see.
`full_image.tuned` makes an encoder of the average.
"""

import argparse
import math
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
import torch
from torch import nn

from data.split import Picture, load_pictures
from encoder.export import FoldedHead
from encoder.features import BLOCKS, open_picture, read_features
from encoder.graph import GraphWriter
from encoder.heads import cell_weights, fold_head, moments, unfold_head
from encoder.quantise import session_of
from encoder.restore import read_constants, restore_tower
from encoder.samples import KINDS, training_views
from encoder.ship import shipped_heads
from encoder.tower import TOKENS, WIDTH, Tower, read_tower
from encoder.upper import TunedBlock
from full_image.train import VIEWS_OF

FROZEN = 5
"""Blocks that stay as they ship. The heads read the tokens after the last of them, too."""
PICTURES_A_STEP = 8
KEPT_TOKENS = 0.5
"""Share of the patch tokens that go through the tuned blocks in training: half the cost of a step, and no view is learned by heart."""
RATES = {"adapters": 3e-4, "norms": 1e-4, "heads": 3e-4}
WARM_STEPS, AVERAGE, SMOOTHING, DECAY = 100, 0.998, 0.03, 0.01
SAVED_EVERY_S, REPORTED_EVERY = 300, 20
COLUMN_OF = {view: column for column, views in VIEWS_OF.items() for view in views}
"""Of each kind of training view the head that it trains."""


class Tuned(nn.Module):
    """Blocks above FROZEN, and one head a column on standardised features."""

    def __init__(self, tower: Tower, heads: dict, mean: np.ndarray, deviation: np.ndarray):
        super().__init__()
        self.blocks = nn.ModuleList(TunedBlock(block) for block in tower.blocks[FROZEN:])
        self.register_buffer("mean", torch.from_numpy(mean))
        self.register_buffer("deviation", torch.from_numpy(deviation))
        self.heads = nn.ModuleDict({column: unfold_head(heads[column], mean, deviation) for column in VIEWS_OF})

    def forward(self, tokens: torch.Tensor, columns: list[str]) -> torch.Tensor:
        """Tokens [N,197,768] after block FROZEN, and the head that judges each view -> logits [N]."""
        pooled = [tokens[:, 0], tokens[:, 1:].mean(1)]
        if self.training:
            kept = torch.rand(len(tokens), TOKENS).argsort(1)[:, :round(TOKENS * KEPT_TOKENS)] + 1
            kept = torch.cat((torch.zeros(len(tokens), 1, dtype=torch.int64), kept), 1)
            tokens = tokens.gather(1, kept[:, :, None].expand(-1, -1, WIDTH))
        for number, block in enumerate(self.blocks, FROZEN + 1):
            with torch.autocast("cpu", torch.bfloat16):
                tokens = block(tokens)
            if number in BLOCKS:
                pooled += [tokens[:, 0].float(), tokens[:, 1:].float().mean(1)]
        features = (torch.cat(pooled, 1) - self.mean) / self.deviation
        logits = torch.zeros(len(tokens))
        for column, head in self.heads.items():
            rows = torch.tensor([index for index, name in enumerate(columns) if name == column])
            if len(rows):
                logits = logits.index_put((rows,), head(features[rows])[:, 0])
        return logits

    def folded_heads(self) -> dict[str, FoldedHead]:
        """The heads by their columns, standardisation folded in."""
        mean, deviation = self.mean.numpy(), self.deviation.numpy()
        return {column: fold_head(column, head, mean, deviation) for column, head in self.heads.items()}

    def groups(self) -> list[dict]:
        """What the optimiser trains, each group at its rate."""
        parts = {"adapters": [], "norms": [], "heads": list(self.heads.parameters())}
        for block in self.blocks:
            parts["norms"] += [*block.before_attention.parameters(), *block.before_mlp.parameters()]
            parts["adapters"] += [p for layer in (block.qkv, block.projection, block.widen, block.narrow) for p in (layer.down, layer.up)]
        return [{"params": parameters, "lr": RATES[name], "name": name} for name, parameters in parts.items()]


def trained(network: nn.Module) -> dict[str, torch.Tensor]:
    """The parameters that are trained, by name."""
    return {name: parameter for name, parameter in network.named_parameters() if parameter.requires_grad}


def lower_session(tower: Tower) -> onnxruntime.InferenceSession:
    """`pixels` -> the tokens after block FROZEN, in the int8 that ships, on one thread."""
    writer = GraphWriter("int8")
    names = writer.tokens(Tower(tower.patch, tower.class_token, tower.positions, tower.before_blocks, tower.blocks[:FROZEN]))
    return session_of(writer, [names[-1]], threads=1)


@dataclass
class Sampler:
    """Draws the pictures of a step, a cell by the square root of its size, the classes alike, and cuts their views."""

    pictures: list[Picture]
    session: onnxruntime.InferenceSession
    seed: int

    def __post_init__(self) -> None:
        labels = np.array([picture.is_ai for picture in self.pictures]).astype(int)
        self._weights = cell_weights([(p.source, p.generator, p.kind) for p in self.pictures], labels)
        self._pool = ThreadPoolExecutor(torch.get_num_threads())

    def _views(self, picture: Picture, number: int) -> list[tuple[np.ndarray, str, bool]]:
        pixels = open_picture(picture)
        if pixels is None:
            return []
        views = training_views(pixels, np.random.default_rng([self.seed, number, int(picture.sha256[:12], 16)]))
        return [(self.session.run(None, {"pixels": views[kind][None]})[0][0], COLUMN_OF[kind], picture.is_ai) for kind in KINDS]

    def step(self, number: int) -> tuple[torch.Tensor, list[str], torch.Tensor]:
        """Tokens [N,197,768], columns and labels [N] of all views of PICTURES_A_STEP pictures."""
        drawn = np.random.default_rng([self.seed, number]).choice(len(self.pictures), PICTURES_A_STEP, p=self._weights)
        rows = [row for found in self._pool.map(lambda index: self._views(self.pictures[index], number), drawn) for row in found]
        tokens, columns, labels = zip(*rows)
        return torch.from_numpy(np.stack(tokens)), list(columns), torch.tensor(labels, dtype=torch.float32)


class Run:
    """The network with its optimiser, average and step; what `save` writes, `load` goes on from."""

    def __init__(self, network: Tuned, path: Path):
        self.network, self.path, self.step = network, path, 0
        self.average = {name: value.detach().clone() for name, value in trained(network).items()}
        self.optimiser = torch.optim.AdamW(network.groups(), weight_decay=DECAY, betas=(0.9, 0.99))
        if path.is_file():
            state = torch.load(path, weights_only=True)
            network.load_state_dict(state["weights"], strict=False)
            self.average, self.step = state["average"], state["step"]
            self.optimiser.load_state_dict(state["optimiser"])

    def save(self) -> None:
        """Writes the state; a stop in between leaves the former one."""
        weights = {name: value.detach() for name, value in trained(self.network).items()}
        part = self.path.with_suffix(".part")
        torch.save({"weights": weights, "average": self.average, "step": self.step, "optimiser": self.optimiser.state_dict(),
                    "moments": dict(self.network.named_buffers())}, part)
        part.replace(self.path)

    def learn(self, tokens: torch.Tensor, columns: list[str], labels: torch.Tensor, steps: int) -> np.ndarray:
        """One step of `steps`; the loss of each view."""
        torch.manual_seed(self.step)
        falling = 0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * min(1.0, self.step / steps)))
        share = min(1.0, (self.step + 1) / WARM_STEPS) * falling
        for group in self.optimiser.param_groups:
            group["lr"] = RATES[group["name"]] * share
        targets = SMOOTHING + (1 - 2 * SMOOTHING) * labels
        losses = nn.functional.binary_cross_entropy_with_logits(self.network(tokens, columns), targets, reduction="none")
        self.optimiser.zero_grad()
        losses.mean().backward()
        nn.utils.clip_grad_norm_(list(trained(self.network).values()), 1.0)
        self.optimiser.step()
        self.step += 1
        kept = min(AVERAGE, self.step / (10 + self.step))
        with torch.no_grad():
            for name, value in trained(self.network).items():
                self.average[name].lerp_(value, 1 - kept)
        return losses.detach().numpy()


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("tower", "upper", "pictures", "sources", "state"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--features", type=Path, nargs="+", required=True)
    parser.add_argument("--steps", type=int, required=True, help="of the whole schedule")
    parser.add_argument("--hours", type=float, default=1e9, help="after which it stops, to go on another time")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    lines, values = zip(*(read_features(folder) for folder in arguments.features))
    labels = np.array([line["is_ai"] for found in lines for line in found]).astype(int)
    cells = [(line["source"], line["generator"], line["kind"]) for found in lines for line in found]
    mean, deviation = moments(np.concatenate(values), cell_weights(cells, labels))
    tower = read_tower(arguments.upper, max(BLOCKS))
    run = Run(Tuned(tower, shipped_heads(arguments.tower), mean, deviation), arguments.state)
    pictures = [picture for picture in load_pictures(arguments.pictures, arguments.sources) if picture.part == "train"]
    sampler = Sampler(pictures, lower_session(restore_tower(read_constants(arguments.tower))), arguments.seed)
    start = saved = time.monotonic()
    recent, first = [], run.step
    while run.step < arguments.steps and time.monotonic() - start < arguments.hours * 3600:
        recent.append(run.learn(*sampler.step(run.step), arguments.steps).mean())
        if run.step % REPORTED_EVERY == 0:
            pace = (time.monotonic() - start) / (run.step - first)
            print(f"step {run.step}: loss {np.mean(recent[-200:]):.4f} over 200, {np.mean(recent[-20:]):.4f} over 20; {pace:.2f} s a step", flush=True)
        if time.monotonic() - saved > SAVED_EVERY_S:
            run.save()
            saved = time.monotonic()
    run.save()


if __name__ == "__main__":
    main()
