"""Measures how well the heat map and the suspicious region find the generated part of edited images.

    python -m local_edits.evaluate maps --split validation --models .. --images IMAGES --sources CSV --autoencoders TAESD
        --out MAPS [--most 400] [--share K/N]
    python -m local_edits.evaluate report --maps MAPS --bands ../bands.json

Each genuine image of a split is compared with one edited version. `maps` writes the heat maps of both at three
degradation levels, with the scores of the image and of its suspicious region. `report` prints AUC and recall at 1% FPR
of the region, by level and by method of editing, and how well the cells of the map separate the edited part from the
rest. With `--bands` it also prints how often the balanced verdict flags the image, and how often a check warns about
the region.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
import torch
from tqdm import tqdm

from data.autoencoders import FAMILIES, Autoencoder
from data.degrade import LEVELS, shrink_to, to_level
from data.split import ListedImage, load_images
from encoder.features import CROP_TYPES, describe, open_image, training_order
from encoder.reference_engine import ReferenceEngine
from export.command import command_parser
from local_edits.edits import LONGEST_SIDE_PX, Edited, edit
from local_edits.heat_map import heat_map, placed_crops
from measure.domain_thresholds import DOMAINS, threshold_between
from measure.metrics import auc, recall_at

REGION_CELLS = 3
"""Side of the suspicious region in cells of the map."""


def region_value(cells: np.ndarray) -> float:
    """Returns the highest mean logit of a square of REGION_CELLS by REGION_CELLS cells of a map [rows, columns].

    Cells without a value are left out.
    """
    known = np.isfinite(cells)
    box = lambda plane: cv2.blur(plane, (REGION_CELLS, REGION_CELLS), borderType=cv2.BORDER_CONSTANT)
    cover = box(known.astype(float))
    means = box(np.where(known, cells, 0)) / np.maximum(cover, 1e-9)
    usable = cover >= min(0.5, cover.max())
    return float(means[usable].max())


def map_of(pixels: np.ndarray, session: onnxruntime.InferenceSession) -> np.ndarray:
    """Computes the heat map of an image. Each crop is run separately, as in the engine."""
    crops = placed_crops(pixels, CROP_TYPES)
    logits = np.stack([session.run(["tokens"], {"pixels": crop.pixels[None]})[0][0] for crop in crops])
    return heat_map(crops, logits, pixels.shape[1], pixels.shape[0])


def lines_of(image: ListedImage, seen: Edited, models: ReferenceEngine) -> Iterator[dict]:
    """Yields a line of results for each degradation level of an image, edited or not.

    It contains the method, the area of the region, scores, and the cells of map and mask.
    """
    for level in LEVELS:
        delivered = np.ascontiguousarray(to_level(seen.pixels, level))
        cells, (score, illustration) = map_of(delivered, models.session), models.full_image(delivered)
        mask = cv2.resize(seen.mask, cells.shape[::-1], interpolation=cv2.INTER_AREA)
        yield {
            **describe(image),
            "method": seen.method,
            "tier": level,
            "area": round(float(seen.mask.mean()), 4),
            "score": round(score, 6),
            "drawn": round(illustration, 6),
            "region": round(models.suspicious_region(delivered, illustration), 6),
            "cells": np.round(cells, 3).tolist(),
            "mask": np.round(mask, 2).tolist(),
        }


def unedited(pixels: np.ndarray) -> Edited:
    """Returns an unedited image in the form of an edited one."""
    return Edited(pixels, np.zeros(pixels.shape[:2], np.float32), "none")


def made_edits(
    images: list[ListedImage], others: list[ListedImage], autoencoders: dict[str, Autoencoder], done: set[str]
) -> Iterator[tuple[ListedImage, Edited]]:
    """Yields each genuine image that is not in the results yet: first unedited, then with a generated region."""
    for image in images:
        if image.sha256 in done or (pixels := open_image(image)) is None:
            continue
        random = np.random.default_rng(int(image.sha256[:12], 16))
        pixels = np.ascontiguousarray(shrink_to(pixels, LONGEST_SIDE_PX))
        generated = None
        while generated is None:
            generated = open_image(others[int(random.integers(len(others)))])
        autoencoder = autoencoders[str(random.choice(list(autoencoders)))]
        yield image, unedited(pixels)
        yield image, edit(pixels, np.ascontiguousarray(shrink_to(generated, LONGEST_SIDE_PX)), autoencoder, random)


def report(lines: list[dict]) -> str:
    """Formats the results of map and region as Markdown tables."""
    rows = [f"| | {' | '.join(LEVELS)} |", "|---|---|---|---|"]
    by_level = {level: [line for line in lines if line["tier"] == level] for level in LEVELS}
    methods = sorted({line["method"] for line in lines} - {"none"})
    for name, wanted in (("all", methods), *((method, [method]) for method in methods)):
        cells = []
        for mine in by_level.values():
            chosen = [line for line in mine if line["method"] in (*wanted, "none")]
            labels = np.array([line["method"] != "none" for line in chosen]).astype(int)
            values = np.array([region_value(np.array(line["cells"], float)) for line in chosen])
            cells.append(f"{auc(labels, values):.3f}, {recall_at(labels, values, 0.01):.2f}")
        count = sum(line["method"] in wanted for line in by_level["clean"])
        rows.append(f"| {name} ({count}): AUC of the suspicious region, recall at 1% | {' | '.join(cells)} |")
    cells = []
    for mine in by_level.values():
        edited = [line for line in mine if line["method"] != "none"]
        scores, mask = (
            np.concatenate([np.array(line[name], float).ravel() for line in edited]) for name in ("cells", "mask")
        )
        sure = np.isfinite(scores) & ((mask > 0.9) | (mask < 0.1))
        cells.append(f"{auc((mask[sure] > 0.5).astype(int), scores[sure]):.3f}")
    return "\n".join([*rows, f"| edited cells against the rest, all images together: AUC | {' | '.join(cells)} |"])


def report_checks(lines: list[dict], bands: dict) -> str:
    """Formats the verdicts on edited and unedited images. `bands` has the detector's thresholds in one profile."""
    rows = [
        f"| the verdict fires, a part that looks generated is warned of | {' | '.join(LEVELS)} |",
        "|---" * (1 + len(LEVELS)) + "|",
    ]
    for name, is_edit in (("edits", True), ("the same images as they were", False)):
        cells = []
        for level in LEVELS:
            mine = [line for line in lines if line["tier"] == level and (line["method"] != "none") == is_edit]
            score, illustration, region = (
                np.array([line[column] for line in mine]) for column in ("score", "drawn", "region")
            )
            threshold = threshold_between(*(bands[domain]["threshold"] for domain in DOMAINS), illustration)
            cells.append(
                f"{(score >= threshold).mean():.3f}, {((score < threshold) & (region >= threshold)).mean():.3f}"
            )
        rows.append(f"| {name} ({len(mine)}) | {' | '.join(cells)} |")
    return "\n".join(rows)


def main() -> None:
    parser = command_parser(__doc__)
    parser.add_argument("what", choices=("maps", "report"))
    parser.add_argument("--maps", type=Path, help="for report")
    parser.add_argument("--bands", type=Path, help="for report")
    for name in ("models", "images", "sources", "autoencoders", "out"):
        parser.add_argument(f"--{name}", type=Path, help="for maps")
    parser.add_argument("--split", choices=("validation", "test"))
    parser.add_argument("--most", type=int, default=400, help="images, small cells first")
    parser.add_argument("--share", default="0/1")
    args = parser.parse_args()
    if args.what == "report":
        lines = [
            json.loads(line)
            for file in sorted(args.maps.glob("maps.*.jsonl"))
            for line in file.read_text().splitlines()
        ]
        print(report(lines))
        if args.bands:
            print(
                report_checks(
                    lines, json.loads(args.bands.read_text())["profiles"]["balanced"]["full_image_specialist"]
                )
            )
        return
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    share, shares = map(int, args.share.split("/"))
    models = ReferenceEngine(args.models)
    images = [image for image in load_images(args.images, args.sources) if image.split == args.split]
    args.out.mkdir(parents=True, exist_ok=True)
    path = args.out / f"maps.{share}.jsonl"
    done = {json.loads(line)["sha256"] for line in path.read_text().splitlines()} if path.is_file() else set()
    genuine = training_order([image for image in images if not image.is_ai], 1)[: args.most][share::shares]
    others = [image for image in images if image.is_ai and image.kind == "generated"]
    edits = made_edits(genuine, others, {family: Autoencoder(args.autoencoders, family) for family in FAMILIES}, done)
    with path.open("a") as stream:
        for image, seen in tqdm(edits, unit="image", mininterval=30):
            stream.writelines(json.dumps(line) + "\n" for line in lines_of(image, seen, models))


if __name__ == "__main__":
    main()
