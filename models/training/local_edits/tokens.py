"""Computes the features of tokens in training crops, with labels, from which the head for tokens is trained.

    python -m local_edits.tokens --backbone ../encoder --images IMAGES --sources CSV --autoencoders TAESD [--most 6000]
        [--genuine] --out OUT [--share K/N]

A genuine training image is used unchanged, as a collage, or with a generated region. An AI image is used unchanged.
Some tokens of each crop are stored: their features after each of BLOCKS, float16 [len(BLOCKS) * 768], in
`tokens.K.bin`, and a JSON line per image in `tokens.K.jsonl`. The command resumes after an interruption. A second run
with another `--seed` and folder makes other crops.
"""

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
import torch
from tqdm import tqdm

from data.autoencoders import FAMILIES, Autoencoder
from data.degrade import shrink_to
from data.split import ListedImage, load_images
from encoder.backbone import TOKENS, WIDTH, Backbone
from encoder.features import BLOCKS, add_backbone_arguments, describe, open_backbone, open_image, training_order
from encoder.graph import GraphWriter
from encoder.rows import RowFile, read_rows
from export.command import command_parser
from local_edits.edits import LONGEST_SIDE_PX, Edited, collage, edit
from local_edits.samples import token_crops

SORTS = {"genuine": 0.25, "collage": 0.15, "edited": 0.6}
"""Shares of the ways in which a genuine image is used."""
KEPT = 12
"""Maximum number of tokens stored per label and crop."""
WIDE = len(BLOCKS) * WIDTH
Tokens = tuple[np.ndarray, np.ndarray]
"""Tokens float [K, WIDE] and their labels [K]."""


def token_session(backbone: Backbone, threads: int = 1) -> onnxruntime.InferenceSession:
    """Opens the int8 graph from `pixels` uint8 [N,224,224,3] to `token.features` [N,196,WIDE].

    The features of the blocks are side by side.
    """
    writer = GraphWriter("int8")
    after = writer.tokens(backbone)
    writer.pool({block: after[block - 1] for block in BLOCKS})
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(
        writer.model({"token.features": ["N", TOKENS, WIDE]}).SerializeToString(), options
    )


def some_tokens(tokens: np.ndarray, answers: np.ndarray, random: np.random.Generator) -> Tokens:
    """Chooses at random at most KEPT tokens of each label from a crop's tokens [196,WIDE] and labels [14,14]."""
    flat, kept = answers.ravel(), []
    for answer in (0, 1):
        of_it = np.flatnonzero(flat == answer)
        kept.append(random.choice(of_it, min(KEPT, len(of_it)), replace=False))
    rows = np.concatenate(kept)
    return tokens[rows], flat[rows]


class Maker:
    """Prepares training images: unchanged, edited, or as collages with other images of the list."""

    def __init__(self, images: list[ListedImage], autoencoders: dict[str, Autoencoder]):
        self._autoencoders = autoencoders
        self._others = {is_ai: [image for image in images if image.is_ai == is_ai] for is_ai in (False, True)}

    def _other(self, is_ai: bool, random: np.random.Generator) -> np.ndarray:
        while (pixels := open_image(self._others[is_ai][int(random.integers(len(self._others[is_ai])))])) is None:
            pass
        return shrink_to(pixels, LONGEST_SIDE_PX)

    def see(self, image: ListedImage, pixels: np.ndarray, random: np.random.Generator) -> Edited:
        """Returns the image, shrunk to LONGEST_SIDE_PX, in one of the ways of SORTS. An AI image stays unchanged."""
        pixels = np.ascontiguousarray(shrink_to(pixels, LONGEST_SIDE_PX))
        if image.is_ai:
            return Edited(pixels, np.ones(pixels.shape[:2], np.float32), "generated")
        sort = random.choice(list(SORTS), p=list(SORTS.values()))
        if sort == "genuine":
            return Edited(pixels, np.zeros(pixels.shape[:2], np.float32), "genuine")
        if sort == "collage":
            return collage(pixels, self._other(False, random), random)
        autoencoder = self._autoencoders[str(random.choice(list(self._autoencoders)))]
        return edit(pixels, self._other(True, random), autoencoder, random)


def training_rows(
    images: list[ListedImage], maker: Maker, seed: int, done: set[str]
) -> Iterator[tuple[ListedImage, Edited, np.random.Generator]]:
    """Yields each image that is not in `done` as soon as it is prepared."""
    for image in images:
        if image.sha256 in done or (pixels := open_image(image)) is None:
            continue
        random = np.random.default_rng([seed, int(image.sha256[:12], 16)])
        yield image, maker.see(image, pixels, random), random


def answers_in(line: dict) -> int:
    """Returns the number of tokens that a line describes."""
    return len(line["answers"])


def token_file(folder: Path, share: int) -> RowFile:
    """Opens the file of tokens for writing: one line per image, with the labels of all its tokens."""
    return RowFile(folder, "tokens", share, WIDE, answers_in)


def image_tokens(line: dict, found: list[Tokens]) -> tuple[dict, np.ndarray]:
    """Returns the line of an image with the labels of its tokens, and the tokens float [K,WIDE] of all crops."""
    answers = np.concatenate([answers for _, answers in found]).astype(int).tolist()
    return {**line, "answers": answers}, np.concatenate([values for values, _ in found])


def read_tokens(folders: list[Path]) -> tuple[list[dict], np.ndarray, np.ndarray]:
    """Reads all folders. Returns the line of each token's image, the tokens float16 [rows, WIDE], and their labels."""
    images, values = zip(
        *(read_rows(index, WIDE, answers_in) for folder in folders for index in sorted(folder.glob("tokens.*.jsonl")))
    )
    answered = [(line, line.pop("answers")) for line in sum(images, [])]
    return (
        [line for line, mine in answered for _ in mine],
        np.array([answer for _, mine in answered for answer in mine]),
        np.concatenate(values),
    )


def main() -> None:
    parser = command_parser(__doc__, "images", "sources", "autoencoders", "out")
    add_backbone_arguments(parser)
    parser.add_argument("--most", type=int, default=6000, help="images, small cells first")
    parser.add_argument("--genuine", action="store_true", help="see genuine images alone: another pass of edits")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", default="0/1")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    share, shares = map(int, args.share.split("/"))
    session = token_session(open_backbone(args.backbone, args.calibration))
    file = token_file(args.out, share)
    images = [image for image in load_images(args.images, args.sources) if image.split == "train"]
    maker = Maker(images, {family: Autoencoder(args.autoencoders, family) for family in FAMILIES})
    wanted = [image for image in images if not (args.genuine and image.is_ai)]
    rows = training_rows(training_order(wanted, args.seed)[: args.most][share::shares], maker, args.seed, file.done)
    for image, edited, random in tqdm(rows, unit="image", mininterval=30):
        found = [
            some_tokens(session.run(None, {"pixels": crop.pixels[None]})[0][0], crop.answers, random)
            for crop in token_crops(edited, random)
        ]
        file.add([image_tokens({**describe(image), "method": edited.method}, found)])


if __name__ == "__main__":
    main()
