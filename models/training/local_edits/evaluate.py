"""Measures what the token head finds: pictures of which a part was generated, against the same pictures as they were.

    python -m local_edits.evaluate maps --part validation --models .. --pictures PICTURES --sources CSV --autoencoders TAESD
        --out MAPS [--most 400] [--share K/N]
    python -m local_edits.evaluate report --maps MAPS --bands ../bands.json

`maps` writes the heat map of each genuine picture of a part of the split and of one edit of it, in the three tiers, with the scores of the picture and of the part
that looks most generated; `report` prints AUC and recall at 1% of the peak, by tier and by the way the part was made, how well the map's cells tell the part from the
rest, and, with `--bands`, how often the balanced verdict fires and a check warns of the part.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
import torch
from tqdm import tqdm

from data.autoencoders import FAMILIES, Autoencoder
from data.degrade import TIERS, shrink_to, to_tier
from data.split import Picture, load_pictures
from encoder.features import VIEW_KINDS, describe, open_picture, training_order
from encoder.reference_engine import ReferenceEngine
from local_edits.edits import LONGEST_SIDE_PX, Edited, edit
from local_edits.heat_map import heat_map, placed_views
from measure.medium_thresholds import MEDIUMS, threshold_between
from measure.metrics import auc, recall_at

PEAK_CELLS = 3
"""The peak of a map is the highest mean of so many by so many cells."""


def peak(cells: np.ndarray) -> float:
    """The highest mean logit of PEAK_CELLS by PEAK_CELLS cells of a map [rows, columns]; cells without a value are left out."""
    known = np.isfinite(cells)
    box = lambda plane: cv2.blur(plane, (PEAK_CELLS, PEAK_CELLS), borderType=cv2.BORDER_CONSTANT)
    cover = box(known.astype(float))
    means = box(np.where(known, cells, 0)) / np.maximum(cover, 1e-9)
    usable = cover >= min(0.5, cover.max())
    return float(means[usable].max())


def map_of(pixels: np.ndarray, session: onnxruntime.InferenceSession) -> np.ndarray:
    """The heat map of a picture, each view run on its own as the engine does."""
    views = placed_views(pixels, VIEW_KINDS)
    logits = np.stack([session.run(["tokens"], {"pixels": view.pixels[None]})[0][0] for view in views])
    return heat_map(views, logits, pixels.shape[1], pixels.shape[0])


def lines_of(picture: Picture, seen: Edited, models: ReferenceEngine) -> Iterator[dict]:
    """Of a picture, as it is or edited, a line a tier: way, area of the part, scores, cells of the map and of the mask."""
    for tier in TIERS:
        delivered = np.ascontiguousarray(to_tier(seen.pixels, tier))
        cells, (score, drawn) = map_of(delivered, models.session), models.full_image(delivered)
        mask = cv2.resize(seen.mask, cells.shape[::-1], interpolation=cv2.INTER_AREA)
        yield {**describe(picture), "way": seen.way, "tier": tier, "area": round(float(seen.mask.mean()), 4),
               "score": round(score, 6), "drawn": round(drawn, 6), "part": round(models.part(delivered, drawn), 6),
               "cells": np.round(cells, 3).tolist(), "mask": np.round(mask, 2).tolist()}


def as_it_was(pixels: np.ndarray) -> Edited:
    """A picture of which no part was made."""
    return Edited(pixels, np.zeros(pixels.shape[:2], np.float32), "none")


def made_edits(pictures: list[Picture], others: list[Picture], autoencoders: dict[str, Autoencoder], done: set[str]) -> Iterator[tuple[Picture, Edited]]:
    """Each genuine picture that is not done as it is, then with a part that a generator made."""
    for picture in pictures:
        if picture.sha256 in done or (pixels := open_picture(picture)) is None:
            continue
        random = np.random.default_rng(int(picture.sha256[:12], 16))
        pixels = np.ascontiguousarray(shrink_to(pixels, LONGEST_SIDE_PX))
        generated = None
        while generated is None:
            generated = open_picture(others[int(random.integers(len(others)))])
        autoencoder = autoencoders[str(random.choice(list(autoencoders)))]
        yield picture, as_it_was(pixels)
        yield picture, edit(pixels, np.ascontiguousarray(shrink_to(generated, LONGEST_SIDE_PX)), autoencoder, random)


def report(lines: list[dict]) -> str:
    """A table in Markdown."""
    rows = [f"| | {' | '.join(TIERS)} |", "|---|---|---|---|"]
    by_tier = {tier: [line for line in lines if line["tier"] == tier] for tier in TIERS}
    ways = sorted({line["way"] for line in lines} - {"none"})
    for name, wanted in (("all", ways), *((way, [way]) for way in ways)):
        cells = []
        for mine in by_tier.values():
            chosen = [line for line in mine if line["way"] in (*wanted, "none")]
            labels = np.array([line["way"] != "none" for line in chosen]).astype(int)
            peaks = np.array([peak(np.array(line["cells"], float)) for line in chosen])
            cells.append(f"{auc(labels, peaks):.3f}, {recall_at(labels, peaks, 0.01):.2f}")
        count = sum(line["way"] in wanted for line in by_tier["clean"])
        rows.append(f"| {name} ({count}): AUC of the peak, recall at 1% | {' | '.join(cells)} |")
    cells = []
    for mine in by_tier.values():
        edited = [line for line in mine if line["way"] != "none"]
        scores, mask = (np.concatenate([np.array(line[name], float).ravel() for line in edited]) for name in ("cells", "mask"))
        sure = np.isfinite(scores) & ((mask > 0.9) | (mask < 0.1))
        cells.append(f"{auc((mask[sure] > 0.5).astype(int), scores[sure]):.3f}")
    return "\n".join([*rows, f"| cells of the part against the rest, all pictures together: AUC | {' | '.join(cells)} |"])


def report_checks(lines: list[dict], bands: dict) -> str:
    """What checks say of the edits and of the pictures as they were, in Markdown; `bands`: the detector's in a profile."""
    rows = [f"| the verdict fires, a part that looks generated is warned of | {' | '.join(TIERS)} |", "|---" * (1 + len(TIERS)) + "|"]
    for name, is_edit in (("edits", True), ("the same pictures as they were", False)):
        cells = []
        for tier in TIERS:
            mine = [line for line in lines if line["tier"] == tier and (line["way"] != "none") == is_edit]
            score, drawn, part = (np.array([line[column] for line in mine]) for column in ("score", "drawn", "part"))
            threshold = threshold_between(*(bands[medium]["threshold"] for medium in MEDIUMS), drawn)
            cells.append(f"{(score >= threshold).mean():.3f}, {((score < threshold) & (part >= threshold)).mean():.3f}")
        rows.append(f"| {name} ({len(mine)}) | {' | '.join(cells)} |")
    return "\n".join(rows)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("maps", "report"))
    parser.add_argument("--maps", type=Path, help="for report")
    parser.add_argument("--bands", type=Path, help="for report")
    for name in ("models", "pictures", "sources", "autoencoders", "out"):
        parser.add_argument(f"--{name}", type=Path, help="for maps")
    parser.add_argument("--part", choices=("validation", "test"))
    parser.add_argument("--most", type=int, default=400, help="pictures, small cells first")
    parser.add_argument("--share", default="0/1")
    arguments = parser.parse_args()
    if arguments.what == "report":
        lines = [json.loads(line) for file in sorted(arguments.maps.glob("maps.*.jsonl")) for line in file.read_text().splitlines()]
        print(report(lines))
        if arguments.bands:
            print(report_checks(lines, json.loads(arguments.bands.read_text())["profiles"]["balanced"]["full_image_specialist"]))
        return
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    share, shares = map(int, arguments.share.split("/"))
    models = ReferenceEngine(arguments.models)
    pictures = [picture for picture in load_pictures(arguments.pictures, arguments.sources) if picture.part == arguments.part]
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / f"maps.{share}.jsonl"
    done = {json.loads(line)["sha256"] for line in path.read_text().splitlines()} if path.is_file() else set()
    genuine = training_order([picture for picture in pictures if not picture.is_ai], 1)[:arguments.most][share::shares]
    others = [picture for picture in pictures if picture.is_ai and picture.kind == "generated"]
    edits = made_edits(genuine, others, {family: Autoencoder(arguments.autoencoders, family) for family in FAMILIES}, done)
    with path.open("a") as stream:
        for picture, seen in tqdm(edits, unit="picture", mininterval=30):
            stream.writelines(json.dumps(line) + "\n" for line in lines_of(picture, seen, models))


if __name__ == "__main__":
    main()
