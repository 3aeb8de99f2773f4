"""Cuts training crops of images into one file (a pack), and computes their features, for random access.

    python -m tuning.pack crops --split train --images IMAGES --sources data/sources.csv.xz --out PACK --autoencoders TAESD [--watch]
    python -m tuning.pack crops --split validation --most 2 --images IMAGES --sources data/sources.csv.xz --out VALIDATION
    python -m tuning.pack crops --split matched --level hard --images IMAGES --out MATCHED
    python -m tuning.pack features --backbone ../encoder --out PACK [--watch]

`crops` writes uint8 [rows,224,224,3] with a JSON line for each crop. `features` writes the features of these crops in
the same order, by the released int8 graph, like `encoder.features`. Both resume after an interruption. `--watch` waits
for further images or crops until the file PACK/stop exists.

Training images are cut in one of three ways. The share REBUILT of the genuine ones is cut in trios: a region, its
version after an autoencoder, and a softened copy that is still labelled genuine. The share RESAVED of the others,
equally in both classes, is resized and compressed like the images of matched sets or, the share SENT of them, more
strongly like images that apps send, then cut as in the product (one whole, two middle, two native crops). The others
are cut by `encoder.samples`. A pack of validation or matched images has one degradation level.
"""

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import torch
from PIL import Image

from data.autoencoders import FAMILIES, Autoencoder
from data.degrade import INTERPOLATIONS, KERNELS, LEVELS, deliver, jpeg, to_level
from data.split import ListedImage, load_images
from encoder.backbone import CROP_PX
from encoder.crops import CropType, cut_crops
from encoder.features import (
    CROP_TYPES,
    describe,
    feature_file,
    feature_session,
    first_of_each,
    open_backbone,
    open_image,
    training_order,
)
from encoder.rows import RowFile
from encoder.samples import textured_crop, training_crops
from export.command import command_parser
from measure.matched import matched_images

CROP_NUMBERS = CROP_PX * CROP_PX * 3
REBUILT, RESAVED = 0.2, 0.75
"""Share of genuine training images that are cut in trios, and share of all others that are resized and compressed."""
RESAVED_LONG_PX = (768, 2048)
"""Range of the new longer side in px of images that are larger than its end, drawn evenly on a logarithmic scale."""
RESIZED = (0.5, 1.3)
"""Range of the factor by which smaller images are resized, drawn evenly on a logarithmic scale."""
SMALLEST_SHORT_PX = 256
QUALITIES = (60, 91)
TWICE = 0.4
"""Share of these images that are compressed twice."""
SENT, SENT_LONG_PX, SENT_QUALITIES = 0.35, (448, 1024), (35, 76)
"""Share of resaved images that are shrunk and compressed more strongly, their longer side in px and their qualities.
Without them, a network forgets the levels web and heavy (experiments/0045)."""
REGION_PX = 384
"""Side in px of the region that an autoencoder encodes and decodes."""
PAIR_TYPES = (CropType("middle", 320, 1), CropType("native", None, 1))
"""Crop types of trios. The whole image at 224 px is missing, because it keeps few traces of an autoencoder."""
WATCH_S = 20
"""Seconds between two searches for further images."""

Rows = list[tuple[dict, np.ndarray]]


def resized(pixels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Resizes an image by a random kernel, as matched sets were. The shorter side keeps at least SMALLEST_SHORT_PX."""
    height, width = pixels.shape[:2]
    if max(height, width) > RESAVED_LONG_PX[1]:
        scale = float(np.exp(rng.uniform(*np.log(RESAVED_LONG_PX)))) / max(height, width)
    else:
        scale = float(np.exp(rng.uniform(*np.log(RESIZED))))
    scale = max(scale, min(1.0, SMALLEST_SHORT_PX / min(height, width)))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    if rng.random() < 0.5:
        return np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling(int(rng.choice(KERNELS)))))
    kernel = cv2.INTER_AREA if scale < 0.6 else int(rng.choice(INTERPOLATIONS))
    return cv2.resize(pixels, size, interpolation=kernel)


def compressed(pixels: np.ndarray, rng: np.random.Generator, qualities: tuple[int, int] = QUALITIES) -> np.ndarray:
    """Compresses an image as JPEG once or twice."""
    for _ in range(2 if rng.random() < TWICE else 1):
        pixels = jpeg(pixels, int(rng.integers(*qualities)))
    return pixels


def resaved(pixels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Resizes and compresses an image, the share SENT strongly."""
    if rng.random() < SENT:
        return compressed(deliver(pixels, int(rng.integers(*SENT_LONG_PX)), rng), rng, SENT_QUALITIES)
    return compressed(resized(pixels, rng), rng)


def flipped(pixels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Mirrors half of the images, at random."""
    return np.ascontiguousarray(pixels[:, ::-1]) if rng.random() < 0.5 else pixels


def product_crops(pixels: np.ndarray, types: tuple[CropType, ...] = CROP_TYPES) -> list[tuple[str, np.ndarray]]:
    """Cuts an image as in the product. Returns each crop with the name of its type."""
    return [(kind.name, crop) for kind in types for crop in cut_crops(pixels, kind)]


def softened(pixels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Blurs, denoises or median-filters an image, so that networks do not learn softness as a trace of generators."""
    draw = rng.random()
    if draw < 0.4:
        return cv2.GaussianBlur(pixels, (0, 0), float(rng.uniform(0.5, 1.3)))
    if draw < 0.7:
        return cv2.bilateralFilter(pixels, 5, float(rng.uniform(15, 45)), 3)
    return cv2.medianBlur(pixels, 3)


def trio_rows(
    image: ListedImage, pixels: np.ndarray, autoencoders: dict[str, Autoencoder], rng: np.random.Generator
) -> Rows:
    """Cuts a trio: crops of a region of a genuine image, of its version after an autoencoder (AI) and of a softened
    copy (genuine).

    All three get the same changes.
    """
    region = textured_crop(flipped(resized(pixels, rng), rng), rng, REGION_PX)
    height, width = (side // 8 * 8 for side in region.shape[:2])
    region = region[:height, :width]
    family, seed = str(rng.choice(list(autoencoders))), int(rng.integers(1 << 30))
    versions = {"none": region, family: autoencoders[family].reconstruct(region), "softened": softened(region, rng)}
    rows = []
    for generator, version in versions.items():
        # With the same seed, each version gets the same compression.
        sent = compressed(version, np.random.default_rng(seed))
        line = {**describe(image), "is_ai": generator == family, "generator": generator, "cut": "trio"}
        rows += [({**line, "crop": kind}, crop) for kind, crop in product_crops(sent, PAIR_TYPES)]
    return rows


def training_rows(
    image: ListedImage, pixels: np.ndarray, autoencoders: dict[str, Autoencoder], rng: np.random.Generator
) -> Rows:
    """Cuts the crops of a training image in one of the three ways."""
    if not image.is_ai and rng.random() < REBUILT:
        return trio_rows(image, pixels, autoencoders, rng)
    if rng.random() < RESAVED:
        cut, crops = "resaved", product_crops(resaved(flipped(pixels, rng), rng))
    else:
        cut, crops = "sample", list(training_crops(pixels, rng).items())
    return [({**describe(image), "crop": kind, "cut": cut}, crop) for kind, crop in crops]


def matched_set_images(folder: Path, work: Path) -> list[ListedImage]:
    """Lists the images of the matched sets in `folder`. Images with a crop are cut and written below `work`."""
    found = matched_images(folder, work)
    return [ListedImage.of_row(path, row, "matched", generator=row["generator"]) for path, row in found]


def images_of(args: argparse.Namespace) -> list[ListedImage]:
    """Lists the images of the split that exist now."""
    if args.split == "matched":
        return matched_set_images(args.images, args.out)
    images = [image for image in load_images(args.images, args.sources) if image.split == args.split]
    return training_order(images, args.seed, args.most) if args.split == "train" else first_of_each(images, args.most)


def rounds(args: argparse.Namespace) -> Iterator[None]:
    """Yields once, or with `--watch` repeatedly until the file `stop` exists."""
    yield
    while args.watch and not (args.out / "stop").is_file():
        time.sleep(WATCH_S)
        yield


def pack_crops(args: argparse.Namespace) -> None:
    """Writes the crops of all images of the split."""
    file = RowFile(args.out, "crops", 0, CROP_NUMBERS, numbers=np.uint8)
    is_training = args.split == "train"
    autoencoders = {family: Autoencoder(args.autoencoders, family) for family in FAMILIES} if is_training else {}
    left_out: set[str] = set()
    for _ in rounds(args):
        for image in images_of(args):
            if image.sha256 in file.done | left_out:
                continue
            if (pixels := open_image(image)) is None:
                left_out.add(image.sha256)
                continue
            rng = np.random.default_rng([args.seed, int(image.sha256[:12], 16)])
            if is_training:
                rows = training_rows(image, pixels, autoencoders, rng)
            else:
                crops = product_crops(to_level(pixels, args.level))
                rows = [({**describe(image), "crop": kind, "tier": args.level}, crop) for kind, crop in crops]
            file.add(rows)
            file.done.add(image.sha256)
    print(f"{len(file.done)} images, {len(left_out)} left out")
    file.finish()


def read_lines(folder: Path, name: str) -> list[dict]:
    """Reads the lines of the file `name` in a pack, without a last line that another process is still writing."""
    index = folder / f"{name}.0.jsonl"
    lines = index.read_text().splitlines(keepends=True) if index.is_file() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


def map_crops(folder: Path, rows: int) -> np.memmap:
    """Opens the first `rows` crops of a pack as a memory-mapped array uint8 [rows,224,224,3]."""
    return np.memmap(folder / "crops.0.bin", np.uint8, "r", shape=(rows, CROP_PX, CROP_PX, 3))


def pack_features(args: argparse.Namespace) -> None:
    """Writes the features of the crops of a pack, in the order of the crops."""
    session = feature_session(open_backbone(args.backbone, args.calibration))
    file, row = feature_file(args.out, 0), len(read_lines(args.out, "features"))
    for _ in rounds(args):
        lines = read_lines(args.out, "crops")
        if row == len(lines):
            continue
        crops = map_crops(args.out, len(lines))
        for line, crop in zip(lines[row:], crops[row:], strict=True):
            file.add([(line, session.run(None, {"pixels": crop[None]})[0][0])])
        row = len(lines)
    file.finish()


def main() -> None:
    parser = command_parser(__doc__, "out")
    parser.add_argument("what", choices=("crops", "features"))
    parser.add_argument("--split", choices=("train", "validation", "matched"), default="train")
    parser.add_argument("--images", type=Path, help="for crops: what data.collect wrote")
    parser.add_argument("--sources", type=Path, help="for crops of training and validation: sources.csv")
    parser.add_argument("--autoencoders", type=Path, help="for crops of training: folder of taesd weights")
    parser.add_argument("--level", choices=tuple(LEVELS), default="clean", help="for crops of validation and matched")
    parser.add_argument("--backbone", type=Path, help="for features: folder of an encoder")
    parser.add_argument("--calibration", type=Path, help="for features, with clip_encoder.int8.onnx: crops (.npy)")
    parser.add_argument("--most", type=int, help="maximum images of a class of a repository")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--watch", action="store_true", help="wait for further images until the file OUT/stop exists")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    (pack_crops if args.what == "crops" else pack_features)(args)


if __name__ == "__main__":
    main()
