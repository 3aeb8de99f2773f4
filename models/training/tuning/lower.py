"""Views as the lower blocks of the encoder that ships leave them: what `tuning.upper` learns from, and what it is scored on.

    python -m tuning.lower train --tower ../encoder --pictures PICTURES --sources CSV --faces FACES --faces-csv CSV --stored STORED STORED_OF_FACES
        --landmarks MODEL --autoencoders TAESD --views 30000 --out OUT [--share K/N]
    python -m tuning.lower validation --tower ../encoder --pictures PICTURES --sources CSV --most 3 --out OUT [--share K/N]

Training views are drawn as for `tuning.tune`: pictures by data.mix, faces with their twins, pairs. A row is float16: the features of the blocks that stay
(class token and mean patch of each that heads read), then the tokens [197,768] after the last of them; its answers are in the line. 0.3 MB a view.
Goes on where it stopped, training with other draws. Of validation there are all views in every tier of `--most` pictures of each class of a repository.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
import torch
from tqdm import tqdm

from data.split import load_pictures
from encoder.features import BLOCKS, STATISTICS, picture_rows, training_order
from encoder.graph import GraphWriter
from encoder.unpack import read_constants, unpack_tower
from encoder.rows import RowFile
from encoder.tower import TOKENS, WIDTH, Tower
from tuning.feed import SHARES
from tuning.producers import KINDS, Material

LOWER = 6
"""Blocks that stay as they ship."""
READ = tuple(block for block in BLOCKS if block <= LOWER)
"""Of them those that heads read."""
STAYING = len(READ) * len(STATISTICS) * WIDTH
ROW = STAYING + (1 + TOKENS) * WIDTH
"""Numbers of a view."""


def lower_session(tower: Tower) -> onnxruntime.InferenceSession:
    """`pixels` uint8 [N,224,224,3] -> `features` [N,STAYING] and the tokens [N,197,768] after LOWER blocks, in the int8 that ships."""
    writer = GraphWriter("int8")
    tokens = writer.tokens(Tower(tower.patch, tower.class_token, tower.positions, tower.before_blocks, tower.blocks[:LOWER]))
    writer.pool({block: tokens[block - 1] for block in READ})
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    outputs = {"features": ["N", STAYING], tokens[-1]: ["N", 1 + TOKENS, WIDTH]}
    return onnxruntime.InferenceSession(writer.model(outputs).SerializeToString(), options)


def lower_row(session: onnxruntime.InferenceSession, view: np.ndarray) -> np.ndarray:
    """Of a view uint8 [224,224,3] the row float32 [ROW]."""
    features, tokens = session.run(None, {"pixels": view[None]})
    return np.concatenate((features[0], tokens[0].ravel()))


def lower_file(folder: Path, share: int) -> RowFile:
    """Where rows go: a line a view."""
    return RowFile(folder, "lower", share, ROW)


def draw_rows(material: Material, random: np.random.Generator) -> Iterator[list[tuple[dict, np.ndarray]]]:
    """Views of what is drawn, without end; their lines tell the kind of draw and the answers, an answer for each of TUNED."""
    draws = {kind: (start(material, random, "cpu"), target) for kind, (start, target) in KINDS.items()}
    made = dict.fromkeys(draws, 0)
    while True:
        # The kind that is furthest behind its share: a draw gives several views.
        kind = min(made, key=lambda name: made[name] / SHARES[name])
        draw, target = draws[kind]
        try:
            rows = draw()
        except (OSError, ValueError, cv2.error) as error:
            print(f"left one out: {error}", flush=True)
            continue
        made[kind] += len(rows)
        yield [({"kind": kind, "answers": target(line).tolist()}, view) for line, view in rows]


def write_drawn(file: RowFile, session: onnxruntime.InferenceSession, rows: Iterator[list[tuple[dict, np.ndarray]]], share: int, views: int) -> None:
    """Until there are so many views; each draw gets a name, by which a stopped run goes on."""
    number = len(file.done)
    with tqdm(total=views, initial=number, unit="view", mininterval=30) as progress:
        while number < views:
            found = next(rows)
            file.add([({"sha256": f"{share}.{number + place}", **line}, lower_row(session, view)) for place, (line, view) in enumerate(found)])
            number += len(found)
            progress.update(len(found))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("train", "validation"))
    for name in ("tower", "pictures", "sources", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    for name in ("faces", "faces-csv", "landmarks", "autoencoders"):
        parser.add_argument(f"--{name}", type=Path, help="for train: see tuning.tune")
    parser.add_argument("--stored", type=Path, nargs="+", help="for train: faces of face_specialist.stored: of sources.csv, of faces.csv")
    parser.add_argument("--drawn", type=Path, help="for train: folder of data.drawn")
    parser.add_argument("--views", type=int, default=30000, help="for train: of all shares")
    parser.add_argument("--most", type=int, default=3, help="for validation: pictures of a class of a repository")
    parser.add_argument("--share", default="0/1")
    parser.add_argument("--seed", type=int, default=1)
    a = parser.parse_args()
    missing = [name for name in ("faces", "faces_csv", "landmarks", "autoencoders", "stored") if getattr(a, name) is None]
    if a.what == "train" and missing:
        parser.error(f"train wants {', '.join('--' + name.replace('_', '-') for name in missing)}")
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    share, shares = map(int, a.share.split("/"))
    session, file = lower_session(unpack_tower(read_constants(a.tower))), lower_file(a.out, share)
    if a.what == "train":
        material = Material(a.pictures, a.sources, a.drawn, a.faces, a.faces_csv, a.stored, a.landmarks, a.autoencoders)
        write_drawn(file, session, draw_rows(material, np.random.default_rng([a.seed, share, len(file.done)])), share, a.views // shares)
        return
    pictures = [picture for picture in load_pictures(a.pictures, a.sources) if picture.part == "validation"]
    mine = training_order(pictures, a.seed, a.most)[share::shares]
    for views in tqdm(picture_rows(mine, file.done), total=len(mine) - len(file.done), unit="picture", mininterval=30):
        file.add([(line, lower_row(session, view)) for line, view in views])


if __name__ == "__main__":
    main()
