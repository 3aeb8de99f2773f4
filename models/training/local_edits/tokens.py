"""Tokens of training views with their answers: what the token head learns from.

    python -m local_edits.tokens --tower ../encoder --pictures PICTURES --sources CSV --autoencoders TAESD [--most 6000] [--genuine] --out OUT [--share K/N]

A genuine training picture is seen as it is, as a collage, or with a part of it generated; a generated one as it is. Of each view some tokens are kept:
after each of BLOCKS, float16 [len(BLOCKS) * 768], in `tokens.K.bin`, with a line in `tokens.K.jsonl`. Goes on where it stopped; another `--seed` into
another folder is another round.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
import torch
from tqdm import tqdm

from data.autoencoders import FAMILIES, Autoencoder
from data.degrade import shrink_to
from data.split import Picture, load_pictures
from encoder.features import BLOCKS, add_tower_arguments, describe, open_picture, open_tower, training_order
from encoder.graph import GraphWriter
from encoder.rows import RowFile, read_rows
from encoder.tower import TOKENS, WIDTH, Tower
from local_edits.edits import LONGEST_SIDE_PX, Edited, collage, edit
from local_edits.samples import token_views

SORTS = {"genuine": 0.25, "collage": 0.15, "edited": 0.6}
"""What a genuine picture is seen as."""
KEPT = 12
"""Tokens of each answer that are kept of a view."""
WIDE = len(BLOCKS) * WIDTH
Tokens = tuple[np.ndarray, np.ndarray]
"""float [K, WIDE] and their answers [K]."""


def token_session(tower: Tower, threads: int = 1) -> onnxruntime.InferenceSession:
    """`pixels` uint8 [N,224,224,3] -> `token.features` [N,196,WIDE], those of each block side by side, in the int8 that ships."""
    writer = GraphWriter("int8")
    after = writer.tokens(tower)
    writer.pool({block: after[block - 1] for block in BLOCKS})
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(writer.model({"token.features": ["N", TOKENS, WIDE]}).SerializeToString(), options)


def some_tokens(tokens: np.ndarray, answers: np.ndarray, random: np.random.Generator) -> Tokens:
    """At most KEPT of each answer, of a view's tokens [196,WIDE] and answers [14,14]."""
    flat, kept = answers.ravel(), []
    for answer in (0, 1):
        of_it = np.flatnonzero(flat == answer)
        kept.append(random.choice(of_it, min(KEPT, len(of_it)), replace=False))
    rows = np.concatenate(kept)
    return tokens[rows], flat[rows]


class Maker:
    """Draws what a training picture is seen as; other pictures, for splices and collages, come from the same list."""

    def __init__(self, pictures: list[Picture], autoencoders: dict[str, Autoencoder]):
        self._autoencoders = autoencoders
        self._others = {is_ai: [picture for picture in pictures if picture.is_ai == is_ai] for is_ai in (False, True)}

    def _other(self, is_ai: bool, random: np.random.Generator) -> np.ndarray:
        while (pixels := open_picture(self._others[is_ai][int(random.integers(len(self._others[is_ai])))])) is None:
            pass
        return shrink_to(pixels, LONGEST_SIDE_PX)

    def see(self, picture: Picture, pixels: np.ndarray, random: np.random.Generator) -> Edited:
        """The picture, shrunk to LONGEST_SIDE_PX, as one of SORTS or as a generator made it."""
        pixels = np.ascontiguousarray(shrink_to(pixels, LONGEST_SIDE_PX))
        if picture.is_ai:
            return Edited(pixels, np.ones(pixels.shape[:2], np.float32), "generated")
        sort = random.choice(list(SORTS), p=list(SORTS.values()))
        if sort == "genuine":
            return Edited(pixels, np.zeros(pixels.shape[:2], np.float32), "genuine")
        if sort == "collage":
            return collage(pixels, self._other(False, random), random)
        autoencoder = self._autoencoders[str(random.choice(list(self._autoencoders)))]
        return edit(pixels, self._other(True, random), autoencoder, random)


def training_rows(pictures: list[Picture], maker: Maker, seed: int, done: set[str]) -> Iterator[tuple[Picture, Edited, np.random.Generator]]:
    """Each picture that is not done, as it is seen."""
    for picture in pictures:
        if picture.sha256 in done or (pixels := open_picture(picture)) is None:
            continue
        random = np.random.default_rng([seed, int(picture.sha256[:12], 16)])
        yield picture, maker.see(picture, pixels, random), random


def answers_in(line: dict) -> int:
    """How many tokens a line tells of."""
    return len(line["answers"])


def token_file(folder: Path, share: int) -> RowFile:
    """Where tokens go: a line a picture, with the answers of all its tokens."""
    return RowFile(folder, "tokens", share, WIDE, answers_in)


def picture_tokens(line: dict, found: list[Tokens]) -> tuple[dict, np.ndarray]:
    """A picture's line with the answers of its tokens, and these, float [K,WIDE], of all views."""
    answers = np.concatenate([answers for _, answers in found]).astype(int).tolist()
    return {**line, "answers": answers}, np.concatenate([values for values, _ in found])


def read_tokens(folders: list[Path]) -> tuple[list[dict], np.ndarray, np.ndarray]:
    """Of all folders and shares: the line of each token's picture, its answer, float16 [rows, WIDE]."""
    pictures, values = zip(*(read_rows(index, WIDE, answers_in) for folder in folders for index in sorted(folder.glob("tokens.*.jsonl"))))
    told = [(line, line.pop("answers")) for line in sum(pictures, [])]
    return [line for line, mine in told for _ in mine], np.array([answer for _, mine in told for answer in mine]), np.concatenate(values)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_tower_arguments(parser)
    parser.add_argument("--pictures", type=Path, required=True)
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--autoencoders", type=Path, required=True, help="folder of taesd weights")
    parser.add_argument("--most", type=int, default=6000, help="pictures, small cells first")
    parser.add_argument("--genuine", action="store_true", help="see genuine pictures alone: another round of edits")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--share", default="0/1")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    share, shares = map(int, arguments.share.split("/"))
    session = token_session(open_tower(arguments.tower, arguments.calibration))
    file = token_file(arguments.out, share)
    pictures = [picture for picture in load_pictures(arguments.pictures, arguments.sources) if picture.part == "train"]
    maker = Maker(pictures, {family: Autoencoder(arguments.autoencoders, family) for family in FAMILIES})
    wanted = [picture for picture in pictures if not (arguments.genuine and picture.is_ai)]
    rows = training_rows(training_order(wanted, arguments.seed)[:arguments.most][share::shares], maker, arguments.seed, file.done)
    for picture, edited, random in tqdm(rows, unit="picture", mininterval=30):
        found = [some_tokens(session.run(None, {"pixels": view.pixels[None]})[0][0], view.answers, random) for view in token_views(edited, random)]
        file.add([picture_tokens({**describe(picture), "way": edited.way}, found)])


if __name__ == "__main__":
    main()
