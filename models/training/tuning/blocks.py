"""Trains all blocks of the released encoder by low-rank adapters, and the full-image heads, on a pack of crops.

    python -m tuning.blocks --encoder ../encoder --pack PACK --validation VALIDATION MATCHED --state STATE.pt
        --report REPORT.jsonl [--steps 3000] [--batch 32] [--validate-every 200] [--hours 1] [--trained TRAINED.npz]

PACK, VALIDATION and MATCHED are packs of `tuning.pack`. The training pack needs features of its first crops. A batch
has three parts: pairs of an AI image and a genuine image of similar content from the same source (CONTENT of the
batch), trios of a genuine region with its version after an autoencoder and a softened copy (TRIOS of the batch), and
images drawn by `data.mix`. Both crops of a pair have the same type.

Three measures keep the encoder similar to the released one: a penalty on the size of each adapter's change, low
learning rates, and a penalty on changed logits of the heads that are not trained (faces, illustrations), for crops that
have features.

After every `--validate-every` steps the average of the weights is scored on the validation packs, and REPORT gets a
line. The run stops after PATIENCE validations without a better mean AUC. It resumes from STATE. STATE.best contains the
best average. TRAINED contains what was trained: `tuning.fold` reads it, and a run elsewhere starts from it (`--start`).
"""

import argparse
import json
import math
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
from torch import nn

from data.mix import MAX_COUNTED_IMAGES, draw_weights, source_of
from encoder.backbone import WIDTH
from encoder.continue_training import unfold_head
from encoder.features import FEATURES
from encoder.heads import HeadSettings, moments
from encoder.package import TUNED, packaged_heads
from encoder.unpack import read_constants, unpack_backbone
from export.command import command_parser
from full_image.train import CROPS_OF
from tuning.network import TunedEncoder, numbers
from tuning.pack import map_crops, read_lines
from tuning.producers import COLUMN_OF
from tuning.tune import Run, losses_of
from tuning.validate import aggregate, measured, plan_of, planned_rows

CONTENT, TRIOS = 1 / 3, 1 / 10
"""Shares of a batch that consist of pairs with similar content, and of trios."""
NEAREST = 5
"""Number of most similar genuine images, of which one is drawn as the partner of an AI image."""
RATE = 0.45
"""Factor by which the learning rates of `tuning.tune` are multiplied: 1.35e-4 for adapters."""
PRODUCT_PENALTY, KEPT_PENALTY = 0.3, 0.5
"""Weights of two penalties in the loss: on the squared norm of each adapter's change relative to its matrix, and on the
squared error of logits that must not change."""
KEPT = ("manipulated", "generated", "face", "drawn")
PATIENCE, VALIDATION_ROWS, VALIDATION_CROPS = 4, 32, 3
SAVED_EVERY = 25


class Pack:
    """The crops of a training pack, with the features of its first rows, from which batches are drawn."""

    def __init__(self, folder: Path):
        self.folder, self.lines = folder, read_lines(folder, "crops")
        self.crops = map_crops(folder, len(self.lines))
        described = len(read_lines(folder, "features"))
        self.features = np.memmap(folder / "features.0.bin", np.float16, "r", shape=(described, FEATURES))
        self._trios = self._find_trios()
        single = [row for row, line in enumerate(self.lines) if line["cut"] != "trio"]
        self._single, self._bounds = (
            np.array(single),
            np.cumsum(draw_weights([SimpleNamespace(**self.lines[row]) for row in single])),
        )
        self._rows_of = self._find_rows(single)
        self._partners = self._find_partners()
        self._pair_sources = sorted(self._partners)
        sizes = np.sqrt([min(len(self._partners[source]), MAX_COUNTED_IMAGES) for source in self._pair_sources])
        self._pair_shares = sizes / max(sizes.sum(), 1e-9)

    def counts(self) -> dict[str, int]:
        """Counts the crops, images, trios and pairs of the pack."""
        return {
            "crops": len(self.lines),
            "with features": len(self.features),
            "images": len({line["sha256"] for line in self.lines}),
            "trios": len(self._trios),
            "images with a partner": sum(map(len, self._partners.values())),
            "sources with pairs": len(self._partners),
        }

    def _find_trios(self) -> list[list[int]]:
        """Lists the rows of each trio by crop type: original, version after an autoencoder, softened copy."""
        found = defaultdict(list)
        for row, line in enumerate(self.lines):
            if line["cut"] == "trio":
                found[line["sha256"], line["crop"]].append(row)
        return [rows for rows in found.values() if len(rows) == 3]

    def _find_rows(self, single: list[int]) -> dict[str, dict[str, list[int]]]:
        """Lists the rows of each image by crop type, without trios."""
        found = defaultdict(lambda: defaultdict(list))
        for row in single:
            found[self.lines[row]["sha256"]][self.lines[row]["crop"]].append(row)
        return found

    def _find_partners(self) -> dict[str, list[tuple[str, list[str]]]]:
        """Lists the AI images of each source with both classes, each with genuine images of similar content.

        These are the most similar ones by features. If an image has no features, they are all with the same label of
        content.
        """
        of_source = defaultdict(lambda: ([], []))
        whole = {image: types["whole"][0] for image, types in self._rows_of.items() if "whole" in types}
        for image, row in whole.items():
            of_source[source_of(self.lines[row]["source"])][self.lines[row]["is_ai"]].append(image)
        token = self._content_tokens([row for row in whole.values() if row < len(self.features)])
        partners = defaultdict(list)
        for source, (genuine, ai) in of_source.items():
            described = [image for image in genuine if whole[image] in token]
            for image in ai:
                near = [other for other in genuine if self._content(whole[other]) == self._content(whole[image])]
                if whole[image] in token and described:
                    closeness = np.stack([token[whole[other]] for other in described]) @ token[whole[image]]
                    near = [described[number] for number in np.argsort(-closeness, kind="stable")[:NEAREST]]
                if near:
                    partners[source].append((image, near))
        return partners

    def _content(self, row: int) -> str:
        return self.lines[row]["content"]

    def _content_tokens(self, rows: list[int]) -> dict[int, np.ndarray]:
        """Returns the normalised class tokens after the last block, which describe content best, by row."""
        if not rows:
            return {}
        tokens = self.features[sorted(rows), -2 * WIDTH : -WIDTH].astype(np.float32)
        tokens = (tokens - tokens.mean(0)) / (tokens.std(0) + 1e-3)
        tokens /= np.linalg.norm(tokens, axis=1, keepdims=True)
        return dict(zip(sorted(rows), tokens, strict=True))

    def _draw_pair(self, source: str, random: np.random.Generator) -> tuple[int, int]:
        """Draws an AI image of the source and one of its partners. Returns a row of each, with the same crop type."""
        image, near = self._partners[source][int(random.integers(len(self._partners[source])))]
        mine, other = self._rows_of[image], self._rows_of[near[int(random.integers(len(near)))]]
        row = int(random.choice([row for kind, rows in mine.items() if kind in other for row in rows]))
        return row, int(random.choice(other[self.lines[row]["crop"]]))

    def draw(self, count: int, random: np.random.Generator) -> np.ndarray:
        """Draws the rows of a batch."""
        rows: list[int] = []
        if self._partners:
            for source in random.choice(self._pair_sources, round(count * CONTENT / 2), p=self._pair_shares):
                rows += self._draw_pair(source, random)
        for _ in range(round(count * TRIOS / 3) if self._trios else 0):
            rows += self._trios[int(random.integers(len(self._trios)))]
        rest = np.searchsorted(self._bounds, random.random(count - len(rows)) * self._bounds[-1])
        return np.concatenate((np.array(rows, int), self._single[np.minimum(rest, len(self._single) - 1)]))

    def targets(self, rows: np.ndarray) -> torch.Tensor:
        """Returns targets float32 [N,5]: each crop has a label only for the head of its type."""
        targets = torch.full((len(rows), len(TUNED)), float("nan"))
        for place, row in enumerate(rows):
            line = self.lines[row]
            targets[place, TUNED.index(COLUMN_OF[line["crop"]])] = float(line["is_ai"])
        return targets


def product_penalty(network: TunedEncoder) -> torch.Tensor:
    """Sums over all adapters the squared norm of the change relative to the matrix.

    It is computed from the two small matrices, without their product.
    """
    total = torch.zeros(())
    for block in network.blocks:
        for adapted in (block.qkv, block.projection, block.widen, block.narrow):
            squared = ((adapted.up.T @ adapted.up) * (adapted.down @ adapted.down.T)).sum()
            total = total + squared / adapted.squared_norm
    return total


class Keeper:
    """Computes the logits of the heads that are not trained, from standardised features."""

    def __init__(self, network: TunedEncoder, encoder: Path):
        heads = packaged_heads(encoder)
        self._network = network
        self._heads = [
            unfold_head(heads[column], numbers(network.mean), numbers(network.dev), HeadSettings())
            .eval()
            .requires_grad_(False)
            for column in KEPT
        ]

    def __call__(self, features: torch.Tensor) -> torch.Tensor:
        """Maps features float32 [N,F] to logits [N,4]."""
        standard = (features - self._network.mean) / self._network.dev
        return torch.cat([head(standard) for head in self._heads], 1)


def kept_loss(pack: Pack, rows: np.ndarray, features: torch.Tensor, keep: Callable) -> torch.Tensor:
    """Computes the squared error of logits that must not change, on the rows of a batch that have features."""
    described = np.flatnonzero(rows < len(pack.features))
    if not len(described):
        return torch.zeros(())
    taught = torch.from_numpy(pack.features[rows[described]].astype(np.float32))
    return nn.functional.mse_loss(keep(features[described]), keep(taught))


def validate(network: TunedEncoder, folders: list[Path], crops: int) -> dict[str, dict[str, float]]:
    """Scores validation packs by the plan of `crops` crops. Returns the measures of each pack."""
    network.eval()
    plan, found = plan_of(crops), {}
    for folder in folders:
        lines = read_lines(folder, "crops")
        pixels, rows = map_crops(folder, len(lines)), planned_rows(lines, plan)
        columns = np.array([TUNED.index(COLUMN_OF[lines[row]["crop"]]) for row in rows])
        logits = []
        with torch.no_grad():
            for start in range(0, len(rows), VALIDATION_ROWS):
                logits.append(network(torch.from_numpy(pixels[rows[start : start + VALIDATION_ROWS]])).numpy())
        values = np.concatenate(logits)[np.arange(len(rows)), columns]
        found[folder.name] = measured(aggregate([lines[row] for row in rows], values, plan))
    network.train()
    return found


def validate_average(run: Run, folders: list[Path], crops: int) -> dict[str, dict[str, float]]:
    """Scores the average of the weights, then restores the weights."""
    weights = {name: value.clone() for name, value in run.network.state_dict().items()}
    run.network.load_state_dict(run.average)
    found = validate(run.network, folders, crops)
    run.network.load_state_dict(weights)
    return found


def train(run: Run, pack_folder: Path, keep: Keeper, a: argparse.Namespace) -> None:
    """Trains up to `--steps` or `--hours`, or until validation stops improving."""
    report, started, first = a.report.open("a"), time.monotonic(), run.step
    past = [json.loads(line) for line in a.report.read_text().splitlines()] if a.report.is_file() else []
    best, waited, pack, recent = (
        max((line["mean AUC"] for line in past if "mean AUC" in line), default=-1.0),
        0,
        Pack(pack_folder),
        [],
    )
    print(pack.counts(), flush=True)
    run.network.train()
    while True:
        is_over = run.step >= a.steps or time.monotonic() - started > a.hours * 3600
        if (run.step % a.validate_every == 0 and not any(line["step"] == run.step for line in past)) or is_over:
            found = validate_average(run, a.validation, VALIDATION_CROPS)
            mean = float(np.mean([each["AUC"] for each in found.values()]))
            line = {
                "step": run.step,
                "crops": run.step * a.batch,
                "pack": len(pack.lines),
                "mean AUC": mean,
                **found,
                "loss, kept": np.mean(recent, 0).tolist() if recent else None,
                "moved": math.sqrt(product_penalty(run.network).item() / 36),
                "hours": (time.monotonic() - started) / 3600,
            }
            report.write(json.dumps(line) + "\n")
            report.flush()
            print(line, flush=True)
            past.append(line)
            recent, waited = [], 0 if mean > best else waited + 1
            if mean > best:
                best = mean
                torch.save(run.average, a.state.with_suffix(".best"))
            run.save()
            pack = Pack(pack_folder)
        if is_over or waited >= PATIENCE:
            return
        rows = pack.draw(a.batch, np.random.default_rng([a.seed, run.step]))
        run.begin_step(a.steps)
        features = run.network.features(torch.from_numpy(pack.crops[rows]))
        loss, _ = losses_of(run.network.judge(features), pack.targets(rows))
        kept = kept_loss(pack, rows, features, keep)
        (loss + PRODUCT_PENALTY * product_penalty(run.network) + KEPT_PENALTY * kept).backward()
        run.end_step()
        recent.append((loss.item(), kept.item()))
        if run.step % SAVED_EVERY == 0:
            run.save()
            means = np.mean(recent[-SAVED_EVERY:], 0)
            print(
                f"step {run.step}: loss {means[0]:.4f}, kept {means[1]:.4f}, "
                f"{(run.step - first) * a.batch / max(1e-9, time.monotonic() - started):.1f} crops/s since the start",
                flush=True,
            )


def save_trained(path: Path, average: dict[str, torch.Tensor]) -> None:
    """Writes the trained weights as float16, and the moments that standardise the input of the heads as float32."""
    heads = tuple(f"heads.{TUNED.index(column)}." for column in CROPS_OF)
    trained = {
        name: value.numpy().astype(np.float16)
        for name, value in average.items()
        if name.startswith(("blocks.", *heads))
    }
    np.savez_compressed(path, mean=average["mean"].numpy(), dev=average["dev"].numpy(), **trained)


def load_trained(network: TunedEncoder, path: Path) -> None:
    """Loads what `save_trained` wrote. The other heads still return the same logits."""
    with np.load(path) as stored:
        values = {name: torch.from_numpy(stored[name].astype(np.float32)) for name in stored}
    network.standardise_by(numbers(values["mean"]), numbers(values["dev"]))
    network.load_state_dict(values, strict=False)


def main() -> None:
    parser = command_parser(__doc__, "encoder", "pack", "state", "report", "validation+")
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--validate-every", type=int, default=200, help="steps")
    parser.add_argument("--hours", type=float, default=math.inf)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=Path, help="TRAINED.npz of a former run; ignored if STATE exists")
    parser.add_argument("--fixed-heads", action="store_true", help="train adapters and norms alone")
    parser.add_argument("--trained", type=Path, help=".npz for adapters, norms and heads of the best average, float16")
    a = parser.parse_args()
    torch.manual_seed(a.seed)
    network = TunedEncoder(unpack_backbone(read_constants(a.encoder)), heads=packaged_heads(a.encoder))
    pack = Pack(a.pack)
    network.standardise_by(
        *moments(pack.features, np.full(len(pack.features), 1 / len(pack.features)), min(4096, len(pack.features)))
    )
    if a.start:
        load_trained(network, a.start)
    for column, head in zip(TUNED, network.heads, strict=True):
        head.requires_grad_(column in CROPS_OF and not a.fixed_heads)
    run = Run(network, a.state, rate=RATE)
    train(run, a.pack, Keeper(network, a.encoder), a)
    if a.trained:
        save_trained(a.trained, torch.load(a.state.with_suffix(".best"), weights_only=True))


if __name__ == "__main__":
    main()
