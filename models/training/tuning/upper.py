"""Tunes the upper blocks of the encoder that ships, with its heads, from what the lower ones left of views: what two cores with AMX can do in some hours.

    python -m tuning.upper --tower ../encoder --manifest ../full_image_specialist/manifest.json --train LOWER --validation LOWER --state STATE.pt
        [--steps 600] [--hours 1]

The heads go on from those that ship. Every SCORED_EVERY steps the network, and at the end its average, is scored on the validation pictures by the
plan that ships. Goes on from STATE where it is there. `tuning.fold` makes an encoder of the average.
"""

import argparse
import json
import math
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import nn

from data.degrade import TIERS
from encoder.export import FoldedHead
from encoder.features import BLOCKS, STATISTICS, VIEW_KINDS
from encoder.quantise import with_loud
from encoder.unpack import read_constants, unpack_tower
from encoder.package import TUNED, packaged_heads
from encoder.tower import TOKENS, WIDTH, Tower
from export.arithmetic import fast_products
from full_image.delivered import Delivered, labels_of, see
from full_image.early import whole_plan
from measure.metrics import auc, recall_at
from tuning.lower import LOWER, ROW, STAYING
from tuning.network import Judge, TunedBlock
from tuning.tune import Run

MOMENTS = 2000
"""Views by which features are standardised."""
AVERAGE = 0.99
SCORED_EVERY, REPORTED_EVERY, SAVED_EVERY = 150, 20, 20
AT_ONCE = 16
"""Views of a batch that are in the processor's caches together: twice as fast as all 128 of them."""


class UpperEncoder(Judge):
    """The blocks above LOWER, tuned, and the heads that ship, on features of the blocks that stay too."""

    def __init__(self, tower: Tower, heads: dict[str, FoldedHead]):
        super().__init__(len(BLOCKS) * len(STATISTICS) * WIDTH, heads)
        self._tower = tower
        self.blocks = nn.ModuleList(TunedBlock(with_loud(block)) for block in tower.blocks[LOWER:])

    def features(self, rows: torch.Tensor) -> torch.Tensor:
        """Rows float16 [N,ROW] of tuning.lower -> float32 [N,F], as encoder.features has them."""
        pooled = [rows[:, :STAYING].float()]
        with fast_products("cpu"):
            x = rows[:, STAYING:].float().view(len(rows), 1 + TOKENS, WIDTH)
            for number, block in enumerate(self.blocks, LOWER + 1):
                x = block(x)
                if number in BLOCKS:
                    pooled += [x[:, 0].float(), x[:, 1:].float().mean(1)]
        return torch.cat(pooled, 1)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Rows float16 [N,ROW] -> logits float32 [N,5], in the order of TUNED."""
        return self.judge(self.features(rows))

    def merged(self, share: float) -> Tower:
        """The tower, its lower blocks as they ship, the upper ones in float with `share` of the change in them."""
        blocks = [*self._tower.blocks[:LOWER], *(block.merged(share) for block in self.blocks)]
        return replace(self._tower, blocks=blocks)


class LowerRows:
    """The rows of all shares of a folder of tuning.lower, mapped: some gigabytes, of which a batch reads its own. Raises ValueError where there are none."""

    def __init__(self, folder: Path):
        self.lines: list[dict] = []
        self._parts, self._first = [], []
        for index in sorted(folder.glob("lower.*.jsonl")):
            lines = [json.loads(line) for line in index.read_text().splitlines()]
            self._first.append(len(self.lines))
            self._parts.append(np.memmap(index.with_suffix(".bin"), np.float16, "r", shape=(len(lines), ROW)))
            self.lines += lines
        if not self.lines:
            raise ValueError(f"{folder} has no rows of tuning.lower")

    def of(self, numbers_of_rows: np.ndarray) -> torch.Tensor:
        """float16 [N,ROW]."""
        parts = np.searchsorted(self._first, numbers_of_rows, "right") - 1
        return torch.from_numpy(np.stack([self._parts[part][row - self._first[part]] for part, row in zip(parts, numbers_of_rows, strict=True)]))


def drawn(step: int, views: int, batch: int) -> np.ndarray:
    """Rows of a step: all in an order of its own for each pass over them."""
    each = views // batch
    return np.random.default_rng(step // each).permutation(views)[step % each * batch:][:batch]


def score(network: UpperEncoder, rows: LowerRows, manifest: dict) -> str:
    """AUC and recall at 1% of the plan that ships, by tier."""
    network.eval()
    with torch.no_grad():
        logits = torch.cat([network(rows.of(np.arange(start, min(start + AT_ONCE, len(rows.lines)))))
                            for start in range(0, len(rows.lines), AT_ONCE)]).numpy()
    network.train()
    found: dict[tuple, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    lines = {}
    for line, mine in zip(rows.lines, logits, strict=True):
        found[line["sha256"], line["tier"]][line["view"]].append(mine[TUNED.index(line["view"])])
        lines[line["sha256"], line["tier"]] = line
    told = []
    for tier in TIERS:
        pictures = [Delivered(lines[name], tuple(np.array(kinds[kind.name]) for kind in VIEW_KINDS)) for name, kinds in found.items() if name[1] == tier]
        odds, labels = see(pictures, whole_plan(manifest), manifest["drawn"]).odds, labels_of(pictures)
        told.append(f"{tier} {auc(labels, odds):.4f} {recall_at(labels, odds, 0.01):.3f} {recall_at(labels, odds, 0.03):.3f}")
    return "   ".join(told)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("tower", "manifest", "train", "validation", "state"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=600, help="of the whole schedule")
    parser.add_argument("--hours", type=float, default=math.inf, help="after which it stops, to go on another time")
    parser.add_argument("--batch", type=int, default=128)
    a = parser.parse_args()
    torch.manual_seed(1)
    manifest = json.loads(a.manifest.read_text())
    train, validation = LowerRows(a.train), LowerRows(a.validation)
    targets = torch.tensor([line["answers"] for line in train.lines])
    network = UpperEncoder(unpack_tower(read_constants(a.tower)), packaged_heads(a.tower))
    if not a.state.is_file():
        first = drawn(0, len(targets), MOMENTS)
        with torch.no_grad():
            network.standardise(torch.cat([network.features(train.of(part)) for part in np.array_split(first, MOMENTS // AT_ONCE)]))
        print(f"{len(targets)} views; as it ships (AUC, recall at 1%, at 3%): {score(network, validation, manifest)}", flush=True)
    run, start, recent = Run(network.train(), a.state, AVERAGE), time.monotonic(), []
    while run.step < a.steps and time.monotonic() - start < a.hours * 3600:
        rows = drawn(run.step, len(targets), a.batch)
        recent.append(run.learn(train.of(rows), targets[rows], a.steps, AT_ONCE))
        if run.step % REPORTED_EVERY == 0:
            print(f"step {run.step}: loss", "  ".join(f"{column} {mean:.3f}" for column, mean in zip(TUNED, torch.stack(recent).mean(0).tolist(), strict=True)),
                  f" {(time.monotonic() - start) / 60:.1f} min", flush=True)
            recent = []
        if run.step % SAVED_EVERY == 0:
            run.save()
        if run.step % SCORED_EVERY == 0:
            print(f"step {run.step}: {score(network, validation, manifest)}", flush=True)
    run.save()
    network.load_state_dict(run.average)
    print(f"average at {run.step}: {score(network, validation, manifest)}", flush=True)


if __name__ == "__main__":
    main()
