"""Computes features of crops once by a fixed backbone, so that small heads can be trained on them quickly.

    python -m encoder.features train --backbone BACKBONE --images IMAGES --sources CSV --out OUT
    python -m encoder.features images --split validation --backbone BACKBONE --images IMAGES --sources CSV --out OUT
    python -m encoder.features wholes --split train --backbone BACKBONE --images IMAGES --sources CSV --out OUT

`wholes` computes only the whole crop of every undegraded image, for `data.near_duplicates`. BACKBONE is the folder of
the released encoder, or the `clip_encoder.int8.onnx` of the Python package with the crops for its quantisation
(`--calibration`).

The features of a crop are the class token and the mean of the patch tokens after each of BLOCKS: float16 [len(BLOCKS) *
2 * 768]. Each crop has one row in `features.K.bin` and one JSON line in `features.K.jsonl`. All commands resume after
an interruption. `--share K/N` divides the work between processes.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
from tqdm import tqdm

from data.degrade import LEVELS, to_level
from data.images import read_image
from data.split import ListedImage, load_images
from encoder.backbone import WIDTH, Backbone, read_backbone
from encoder.crops import REGION_CROP_TYPE, CropType, cut_crops, region_logit
from encoder.export import TOKEN_COLUMN, FoldedHead, add_heads
from encoder.graph import GraphWriter
from encoder.quantise import smooth_backbone
from encoder.rows import RowFile, read_rows
from encoder.samples import training_crops
from encoder.unpack import read_constants, unpack_backbone, unpack_heads
from export.command import command_parser

BLOCKS = (5, 7, 9)
"""Blocks whose tokens the heads read. Blocks 4 to 9 with deviations, three times as much, were no better."""
STATISTICS = ("class", "mean")
FEATURES = len(BLOCKS) * len(STATISTICS) * WIDTH
CROP_TYPES = (CropType("whole", 224, 1), CropType("middle", 320, 2), CropType("native", None, 2))
"""Crop types by which validation and test images are scored: the released plan of five crops."""

SMALLEST_SIDE_PX = 256
CELL_SHARE = 40
"""Number of images of a cell (repository, generator, class) that are computed before any cell gets more, because
training may start before all are done."""


def open_backbone(path: Path, calibration: Path | None) -> Backbone:
    """Loads the backbone that computes features, from an encoder's folder, or from the Python package's file.

    In the second case `calibration` has the crops for its quantisation.
    """
    if path.is_dir():
        return unpack_backbone(read_constants(path))
    return smooth_backbone(read_backbone(path, max(BLOCKS)), np.load(calibration))


def add_backbone_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `open_backbone` to a parser, under the same names in every command."""
    parser.add_argument("--backbone", type=Path, required=True, help="folder of an encoder, or clip_encoder.int8.onnx")
    parser.add_argument("--calibration", type=Path, help="with clip_encoder.int8.onnx: .npy, uint8 [N,224,224,3]")


def feature_session(
    backbone: Backbone, threads: int = 1, token_head: FoldedHead | None = None
) -> onnxruntime.InferenceSession:
    """Opens the int8 graph, which maps `pixels` uint8 [N,224,224,3] to `features` [N,FEATURES].

    With `token_head` it also returns that head's logits `tokens` [N,196].
    """
    writer = GraphWriter("int8")
    tokens, outputs = writer.tokens(backbone), {"features": ["N", FEATURES]}
    blocks = {block: tokens[block - 1] for block in BLOCKS}
    if token_head is None:
        writer.pool(blocks)
    else:
        outputs["tokens"] = add_heads(writer, blocks, [token_head], None)["tokens"]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(writer.model(outputs).SerializeToString(), options)


def token_head_of(backbone: Path) -> FoldedHead | None:
    """Reads the head for tokens from an encoder's folder. Returns None for the Python package's file without heads."""
    if not backbone.is_dir():
        return None
    return next((head for head in unpack_heads(read_constants(backbone), []) if head.columns == [TOKEN_COLUMN]), None)


def feature_file(folder: Path, share: int) -> RowFile:
    """Opens the file of features for writing. Each crop gets a row and a JSON line."""
    return RowFile(folder, "features", share, FEATURES)


def read_features(folder: Path) -> tuple[list[dict], np.ndarray]:
    """Reads the lines and the features float16 [rows, FEATURES] that all processes wrote."""
    lines, values = zip(*(read_rows(index, FEATURES) for index in sorted(folder.glob("features.*.jsonl"))))
    return sum(lines, []), np.concatenate(values)


def describe(image: ListedImage) -> dict:
    """Returns the part of a JSON line that describes the image."""
    return {
        "sha256": image.sha256,
        "is_ai": image.is_ai,
        "source": image.source,
        "generator": image.generator,
        "kind": image.kind,
        "content": image.content,
    }


def training_order(images: list[ListedImage], seed: int, most: int | None = None) -> list[ListedImage]:
    """Orders images at random, except that small cells (repository, generator, class) come before the rest of large
    ones.

    Takes at most `most` images of each class of a repository, because data/mix.py would draw more of them no more
    often.
    """
    rng, seen, taken, ranked = np.random.default_rng(seed), Counter(), Counter(), []
    for position in rng.permutation(len(images)):
        image = images[position]
        cell = image.source, image.generator, image.is_ai
        taken[image.source, image.is_ai] += 1
        if most and taken[image.source, image.is_ai] > most:
            continue
        ranked.append((seen[cell] // CELL_SHARE, len(ranked), image))
        seen[cell] += 1
    return [image for _, _, image in sorted(ranked, key=lambda entry: entry[:2])]


def first_of_each(images: list[ListedImage], most: int | None) -> list[ListedImage]:
    """Takes the first `most` images of each class of a repository, in the given order. None takes all."""
    taken, kept = Counter(), []
    for image in images:
        taken[image.source, image.is_ai] += 1
        if most is None or taken[image.source, image.is_ai] <= most:
            kept.append(image)
    return kept


def open_image(image: ListedImage) -> np.ndarray | None:
    """Reads an image. Returns None if it can't be decoded or a side is under 256 px."""
    try:
        pixels = read_image(image.path)
    except OSError as error:
        print(f"left out {image.path.name}: {error}")
        return None
    return pixels if min(pixels.shape[:2]) >= SMALLEST_SIDE_PX else None


def training_rows(images: list[ListedImage], seed: int, done: set[str]) -> Iterator[list[tuple[dict, np.ndarray]]]:
    """Cuts one training crop of each kind from every image that is not in `done`."""
    for image in images:
        if image.sha256 in done or (pixels := open_image(image)) is None:
            continue
        rng = np.random.default_rng([seed, int(image.sha256[:12], 16)])
        yield [({**describe(image), "crop": kind}, crop) for kind, crop in training_crops(pixels, rng).items()]


def image_rows(images: list[ListedImage], done: set[str]) -> Iterator[list[tuple[dict, np.ndarray]]]:
    """Cuts all crops of every image at every degradation level, as the engine does."""
    for image in images:
        if image.sha256 in done or (pixels := open_image(image)) is None:
            continue
        yield [
            ({**describe(image), "crop": kind.name, "tier": level}, crop)
            for level in LEVELS
            for delivered in [to_level(pixels, level)]
            for kind in CROP_TYPES
            for crop in cut_crops(delivered, kind)
        ]


def whole_rows(images: list[ListedImage], done: set[str]) -> Iterator[list[tuple[dict, np.ndarray]]]:
    """Cuts the whole crop of every undegraded image."""
    for image in images:
        if image.sha256 in done or (pixels := open_image(image)) is None:
            continue
        yield [
            ({**describe(image), "crop": CROP_TYPES[0].name, "tier": "clean"}, crop)
            for crop in cut_crops(pixels, CROP_TYPES[0])
        ]


def computed_row(session: onnxruntime.InferenceSession, line: dict, crop: np.ndarray) -> tuple[dict, np.ndarray]:
    """Computes the features of a crop and completes its line.

    For the crop type of the suspicious region, the line also gets the region's logit.
    """
    features, *tokens = session.run(None, {"pixels": crop[None]})
    if tokens and line["crop"] == REGION_CROP_TYPE:
        line = {**line, "region": round(region_logit(tokens[0][0]), 4)}
    return line, features[0]


def main() -> None:
    parser = command_parser(__doc__, "images", "sources", "out")
    parser.add_argument("what", choices=("train", "images", "wholes"))
    add_backbone_arguments(parser)
    parser.add_argument("--split", default="validation", help="for images and wholes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, help="images of a class of a repository; else the first by hash")
    parser.add_argument("--share", default="0/1")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    share, shares = map(int, args.share.split("/"))
    token_head = token_head_of(args.backbone) if args.what == "images" else None
    session = feature_session(open_backbone(args.backbone, args.calibration), token_head=token_head)
    file = feature_file(args.out, share)
    split = "train" if args.what == "train" else args.split
    images = [image for image in load_images(args.images, args.sources) if image.split == split]
    if args.what == "train":
        images = training_order(images, args.seed, args.most)[share::shares]
        rows = training_rows(images, args.seed, file.done)
    else:
        images = first_of_each(images, args.most)[share::shares]
        rows = (image_rows if args.what == "images" else whole_rows)(images, file.done)
    for crops in tqdm(rows, total=len(images) - len(file.done), unit="image", mininterval=30):
        file.add([computed_row(session, line, crop) for line, crop in crops])
    file.finish()


if __name__ == "__main__":
    main()
