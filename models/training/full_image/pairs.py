"""Computes features of pairs: a crop of a genuine training image, and the same crop after an autoencoder.

    python -m full_image.pairs --backbone BACKBONE --images IMAGES --sources CSV --autoencoders TAESD --most 1500 --out OUT
        [--share K/N]

The two crops of a pair differ only in the traces of an image generator's autoencoder, so heads can't learn a subject,
style or source from them. Both get the same perturbation. The files have the form of `encoder.features`. In the line of
the second crop, the autoencoder's family is named as `generator`.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import torch
from tqdm import tqdm

from data.autoencoders import FAMILIES, Autoencoder
from data.split import ListedImage, load_images
from encoder.features import (
    add_backbone_arguments,
    describe,
    feature_file,
    feature_session,
    open_backbone,
    open_image,
    training_order,
)
from encoder.samples import crop_of_plane, middle_plane, textured_crop, web_crop

CUTS = {
    "native": textured_crop,
    "web": web_crop,
    "middle": lambda pixels, rng: textured_crop(middle_plane(pixels), rng),
}
"""Crops of which pairs are made, by type. The whole image at 224 px is missing, because it keeps few traces of an
autoencoder."""


def reconstructible(crop: np.ndarray) -> np.ndarray:
    """Cuts the sides of a crop to multiples of 8, as autoencoders require."""
    height, width = (side // 8 * 8 for side in crop.shape[:2])
    return crop[:height, :width]


def pair_rows(
    images: list[ListedImage], autoencoders: dict[str, Autoencoder], seed: int, done: set[str]
) -> Iterator[list[tuple[dict, np.ndarray]]]:
    """Cuts a crop of each of CUTS from each genuine image, and passes it through a random autoencoder of the image."""
    for image in images:
        if image.sha256 in done or (pixels := open_image(image)) is None:
            continue
        number = int(image.sha256[:12], 16)
        rng, rows = np.random.default_rng([seed, number, 0]), []
        family = str(rng.choice(list(autoencoders)))
        for index, (kind, cut) in enumerate(CUTS.items()):
            crop = reconstructible(cut(pixels, rng))
            paired_fakes = {"none": crop, family: autoencoders[family].reconstruct(crop)}
            for generator, plane in paired_fakes.items():
                line = {**describe(image), "is_ai": generator != "none", "generator": generator, "crop": kind}
                rows.append((line, crop_of_plane(plane, np.random.default_rng([seed, number, 1 + index]))))
        yield rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_backbone_arguments(parser)
    parser.add_argument("--images", type=Path, required=True)
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--autoencoders", type=Path, required=True, help="folder of taesd weights")
    parser.add_argument("--most", type=int, default=1600, help="genuine images, small cells first")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--share", default="0/1")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    share, shares = map(int, arguments.share.split("/"))
    session = feature_session(open_backbone(arguments.backbone, arguments.calibration))
    file = feature_file(arguments.out, share)
    genuine = [
        image
        for image in load_images(arguments.images, arguments.sources)
        if image.split == "train" and not image.is_ai
    ]
    mine = training_order(genuine, arguments.seed)[: arguments.most][share::shares]
    autoencoders = {family: Autoencoder(arguments.autoencoders, family) for family in FAMILIES}
    for crops in tqdm(
        pair_rows(mine, autoencoders, arguments.seed, file.done),
        total=len(mine) - len(file.done),
        unit="image",
        mininterval=30,
    ):
        file.add([(line, session.run(None, {"pixels": crop[None]})[0][0]) for line, crop in crops])


if __name__ == "__main__":
    main()
