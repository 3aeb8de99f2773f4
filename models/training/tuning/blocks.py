"""Trains all nine blocks of the encoder that ships by low-rank adapters, with the full-image heads, on the crops of a
pack.

    python -m tuning.blocks --encoder ../encoder --pack PACK --validation VALIDATION MATCHED --state STATE.pt
        --report REPORT.jsonl [--steps 3000] [--batch 32] [--validate-every 200] [--hours 1] [--adapters ADAPTERS.npz]

PACK, VALIDATION and MATCHED are packs of `tuning.pack`; the training pack needs features. A batch has three parts:
pairs of an AI image and a genuine image of similar content from the same source (CONTENT of the batch), trios of a
genuine region with its reconstruction and its softened copy (TRIOS), and images drawn by `data.mix`. The crops of a
pair have the same type.

Three terms keep the encoder near its start: a penalty on the product of each adapter, low rates, and a penalty on the
difference to the shipped encoder's logits of the heads that are not trained (faces, image domain).

Every `--validate-every` steps the average of the weights is scored on the validation packs, and REPORT gets a line. The
run stops after PATIENCE validations without a better mean AUC. It resumes from STATE, and STATE.best keeps the best
average.
"""

import argparse
import json
import math
import time
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
from torch import nn

from data.mix import MOST_COUNTED, draw_weights, source_of
from encoder.backbone import WIDTH
from encoder.continue_training import unfold_head
from encoder.features import FEATURES
from encoder.heads import HeadSettings, moments
from encoder.package import TUNED, packaged_heads
from encoder.unpack import read_constants, unpack_backbone
from full_image.train import CROPS_OF
from tuning.network import TunedEncoder, numbers
from tuning.pack import map_crops, read_lines
from tuning.producers import COLUMN_OF
from tuning.tune import Run, losses_of
from tuning.validate import aggregate, measured, plan_of, planned_rows

CONTENT, TRIOS = 1 / 3, 1 / 10
"""Shares of a batch in pairs of similar content, and in trios."""
NEAREST = 5
"""Number of nearest genuine images from which the partner of an AI image is drawn."""
RATE = 0.45
"""Factor on the rates of `tuning.tune`: 1.35e-4 for adapters."""
PRODUCT_PENALTY, KEPT_PENALTY = 0.3, 0.02
"""Weights in the loss: of the squared norm of each adapter's product, as a share of its matrix, and of the kept logits'
squared error."""
KEPT = ("manipulated", "generated", "face", "drawn")
PATIENCE, VALIDATION_ROWS, VALIDATION_CROPS = 4, 32, 3
SAVED_EVERY = 25


class Pack:
    """The rows of a training pack whose features are there, and how batches are drawn from them."""

    def __init__(self, folder: Path):
        self.folder, self.lines = folder, read_lines(folder, "features")
        self.crops = map_crops(folder, len(self.lines))
        self.features = np.memmap(folder / "features.0.bin", np.float16, "r", shape=(len(self.lines), FEATURES))
        self._trios = self._find_trios()
        single = [row for row, line in enumerate(self.lines) if line["cut"] != "trio"]
        self._single, self._bounds = (
            np.array(single),
            np.cumsum(draw_weights([SimpleNamespace(**self.lines[row]) for row in single])),
        )
        self._pairs = self._find_pairs()
        self._pair_sources = sorted(self._pairs)
        sizes = np.sqrt([min(len(self._pairs[source]), MOST_COUNTED) for source in self._pair_sources])
        self._pair_shares = sizes / max(sizes.sum(), 1e-9)

    def counts(self) -> dict[str, int]:
        """Counts what the pack has."""
        return {
            "crops": len(self.lines),
            "images": len({line["sha256"] for line in self.lines}),
            "trios": len(self._trios),
            "images with a partner": sum(map(len, self._pairs.values())),
            "sources with pairs": len(self._pairs),
        }

    def _find_trios(self) -> list[list[int]]:
        """Lists the rows of each trio by crop type: original, reconstruction, softened copy."""
        found = defaultdict(list)
        for row, line in enumerate(self.lines):
            if line["cut"] == "trio":
                found[line["sha256"], line["crop"]].append(row)
        return [rows for rows in found.values() if len(rows) == 3]

    def _find_pairs(self) -> dict[str, list[list[tuple[int, int]]]]:
        """Lists for each source with both classes, and each AI image of it, the rows of crop pairs with its nearest
        genuine images.
        """
        by_image, of_source = defaultdict(lambda: defaultdict(list)), defaultdict(lambda: ([], []))
        for row in self._single.tolist():
            by_image[self.lines[row]["sha256"]][self.lines[row]["crop"]].append(row)
        for image, types in by_image.items():
            if "whole" in types:
                line = self.lines[types["whole"][0]]
                of_source[source_of(line["source"])][line["is_ai"]].append(image)
        both = {source: sides for source, sides in of_source.items() if all(sides)}
        whole = {image: by_image[image]["whole"][0] for sides in both.values() for side in sides for image in side}
        if not whole:
            return {}
        # The class token after the last block describes the content best.
        tokens = self.features[sorted(whole.values()), -2 * WIDTH : -WIDTH].astype(np.float32)
        tokens = (tokens - tokens.mean(0)) / (tokens.std(0) + 1e-3)
        tokens /= np.linalg.norm(tokens, axis=1, keepdims=True)
        token = dict(zip(sorted(whole.values()), tokens, strict=True))
        pairs = defaultdict(list)
        for source, (genuine, ai) in both.items():
            genuine_tokens = np.stack([token[whole[image]] for image in genuine])
            for image in ai:
                nearest = np.argsort(-genuine_tokens @ token[whole[image]], kind="stable")[:NEAREST]
                rows = [
                    (mine, other)
                    for number in nearest
                    for kind, mines in by_image[image].items()
                    for mine in mines
                    for other in by_image[genuine[number]].get(kind, [])
                ]
                if rows:
                    pairs[source].append(rows)
        return pairs

    def draw(self, count: int, random: np.random.Generator) -> np.ndarray:
        """Draws the rows of a batch."""
        rows: list[int] = []
        if self._pairs:
            for number in random.choice(len(self._pair_sources), round(count * CONTENT / 2), p=self._pair_shares):
                images = self._pairs[self._pair_sources[number]]
                options = images[int(random.integers(len(images)))]
                rows += options[int(random.integers(len(options)))]
        for _ in range(round(count * TRIOS / 3) if self._trios else 0):
            rows += self._trios[int(random.integers(len(self._trios)))]
        rest = np.searchsorted(self._bounds, random.random(count - len(rows)) * self._bounds[-1])
        return np.concatenate((np.array(rows, int), self._single[np.minimum(rest, len(self._single) - 1)]))

    def targets(self, rows: np.ndarray) -> torch.Tensor:
        """Makes targets float32 [N,5]: each crop trains the head of its type."""
        targets = torch.full((len(rows), len(TUNED)), float("nan"))
        for place, row in enumerate(rows):
            line = self.lines[row]
            targets[place, TUNED.index(COLUMN_OF[line["crop"]])] = float(line["is_ai"])
        return targets


def product_penalty(network: TunedEncoder) -> torch.Tensor:
    """Sums over all adapters the squared norm of the product as a share of the matrix's; by the small matrices alone."""
    total = torch.zeros(())
    for block in network.blocks:
        for adapted in (block.qkv, block.projection, block.widen, block.narrow):
            squared = ((adapted.up.T @ adapted.up) * (adapted.down @ adapted.down.T)).sum()
            total = total + squared / adapted.squared_norm
    return total


class Keeper:
    """The heads that are not trained, on standardised features."""

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
        """Features float32 [N,F] -> logits [N,4]."""
        standard = (features - self._network.mean) / self._network.dev
        return torch.cat([head(standard) for head in self._heads], 1)


def validate(network: TunedEncoder, folders: list[Path], crops: int) -> dict[str, dict[str, float]]:
    """Scores validation packs by the plan of so many crops; returns the measures of each pack."""
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
    """Scores the average of the weights, and puts the weights back."""
    weights = {name: value.clone() for name, value in run.network.state_dict().items()}
    run.network.load_state_dict(run.average)
    found = validate(run.network, folders, crops)
    run.network.load_state_dict(weights)
    return found


def train(run: Run, pack_folder: Path, keep: Keeper, a: argparse.Namespace) -> None:
    """Trains up to `--steps` or `--hours`, or until validation stops gaining."""
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
                "loss": float(np.mean(recent)) if recent else None,
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
        crops, taught = torch.from_numpy(pack.crops[rows]), torch.from_numpy(pack.features[rows].astype(np.float32))
        features = run.network.features(crops)
        loss, _ = losses_of(run.network.judge(features), pack.targets(rows))
        kept = nn.functional.mse_loss(keep(features), keep(taught))
        (loss + PRODUCT_PENALTY * product_penalty(run.network) + KEPT_PENALTY * kept).backward()
        run.end_step()
        recent.append(loss.item())
        if run.step % SAVED_EVERY == 0:
            run.save()
            print(
                f"step {run.step}: loss {np.mean(recent[-SAVED_EVERY:]):.4f}, kept {kept.item():.4f}, "
                f"{(run.step - first) * a.batch / max(1e-9, time.monotonic() - started):.1f} crops/s since the start",
                flush=True,
            )


def adapters_of(average: dict[str, torch.Tensor]) -> dict[str, np.ndarray]:
    """Keeps adapters and norms of an average as float16."""
    return {name: value.numpy().astype(np.float16) for name, value in average.items() if name.startswith("blocks.")}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("encoder", "pack", "state", "report"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--validation", type=Path, nargs="+", required=True)
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--validate-every", type=int, default=200, help="steps")
    parser.add_argument("--hours", type=float, default=math.inf)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--adapters", type=Path, help="where adapters and norms of the best average go, float16")
    a = parser.parse_args()
    torch.manual_seed(a.seed)
    network = TunedEncoder(unpack_backbone(read_constants(a.encoder)), heads=packaged_heads(a.encoder))
    pack = Pack(a.pack)
    network.standardise_by(
        *moments(pack.features, np.full(len(pack.lines), 1 / len(pack.lines)), min(4096, len(pack.lines)))
    )
    for column, head in zip(TUNED, network.heads, strict=True):
        head.requires_grad_(column in CROPS_OF)
    run = Run(network, a.state, rate=RATE)
    train(run, a.pack, Keeper(network, a.encoder), a)
    if a.adapters and a.state.with_suffix(".best").is_file():
        np.savez_compressed(a.adapters, **adapters_of(torch.load(a.state.with_suffix(".best"), weights_only=True)))


if __name__ == "__main__":
    main()
