"""Computes features of pairs: a crop of a genuine training image, and the same crop after an autoencoder.

    python -m full_image.pairs --backbone BACKBONE --images IMAGES --sources CSV --autoencoders TAESD --most 1500 --out OUT
        [--share K/N]

The two crops of a pair differ only in the traces of an image generator's autoencoder, so heads can't learn a subject,
style or source from them. Both get the same perturbation. The files have the form of `encoder.features`. In the line of
the second crop, the autoencoder's family is named as `generator`.
"""

from collections.abc import Iterator

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
from export.command import command_parser

CUTS = {"native": textured_crop, "web": web_crop, "middle": lambda image, rng: textured_crop(middle_plane(image), rng)}
"""Crops of which pairs are made. The whole image at 224 px is missing: it keeps few traces of an autoencoder."""


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
    parser = command_parser(__doc__, "images", "sources", "autoencoders", "out")
    add_backbone_arguments(parser)
    parser.add_argument("--most", type=int, default=1600, help="genuine images, small cells first")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", default="0/1")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    share, shares = map(int, args.share.split("/"))
    session = feature_session(open_backbone(args.backbone, args.calibration))
    file = feature_file(args.out, share)
    genuine = [image for image in load_images(args.images, args.sources) if image.split == "train" and not image.is_ai]
    mine = training_order(genuine, args.seed)[: args.most][share::shares]
    autoencoders = {family: Autoencoder(args.autoencoders, family) for family in FAMILIES}
    for crops in tqdm(
        pair_rows(mine, autoencoders, args.seed, file.done),
        total=len(mine) - len(file.done),
        unit="image",
        mininterval=30,
    ):
        file.add([(line, session.run(None, {"pixels": crop[None]})[0][0]) for line, crop in crops])


if __name__ == "__main__":
    main()
