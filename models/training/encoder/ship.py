"""Joins the heads of both specialists with the evened tower into the encoder that ships.

    python -m encoder.ship --tower clip_encoder.int8.onnx --calibration VIEWS --full-image heads.npz --faces heads.npz --out ../encoder

Writes weights.bin, cpu.onnx, gpu.onnx and manifest.json, then runs both graphs on a few of the calibration views and prints how far
their logits lie from the float tower's.
"""

import argparse
from pathlib import Path

import numpy as np
import onnxruntime

from encoder.export import GRAPHS, FoldedHead, build, write_encoder
from encoder.features import BLOCKS
from encoder.heads import load_heads
from encoder.quantise import even_tower
from encoder.tower import VIEW_PX, Tower, read_tower
from export.release import VERSION
from export.session import milliseconds

COLUMNS = ("native", "middle", "whole", "manipulated", "generated")
"""Of `logits`, in order: the full-image specialist's heads, then the face specialist's."""
FACTS = {
    "version": VERSION,
    "training_data": {
        "start": f"CLIP ViT-B/16 image tower (OpenAI, MIT licence), blocks 1 to {max(BLOCKS)}, frozen; heads read blocks "
                 + ", ".join(map(str, BLOCKS)),
        "heads": "trained on the training part of models/training/data/split.csv; counts are in the specialists' manifests",
    },
}
CHECKED = 8
"""Views on which the written graphs run."""


def gather_heads(paths: list[Path]) -> list[FoldedHead]:
    """The heads of COLUMNS, in that order, from files of save_heads. Raises ValueError where one lacks, or is there twice."""
    heads = {}
    for path in paths:
        for head in load_heads(path):
            if heads.setdefault(head.columns[0], head) is not head:
                raise ValueError(f"{path}: a second head {head.columns[0]}")
    if set(heads) != set(COLUMNS):
        raise ValueError(f"heads {', '.join(sorted(heads))}; wanted {', '.join(COLUMNS)}")
    return [heads[column] for column in COLUMNS]


def distances(folder: Path, tower: Tower, heads: list[FoldedHead], views: np.ndarray) -> dict[str, np.ndarray]:
    """For each graph of `folder` the mean distance of its logits from the float tower's over `views`, float32 [columns]."""

    def run(model: str | bytes) -> np.ndarray:
        session = onnxruntime.InferenceSession(model)
        return np.concatenate([session.run(None, {"pixels": view[None]})[0] for view in views])

    yardstick = run(build(tower, BLOCKS, heads, "float").SerializeToString())
    return {name: np.abs(run(str(folder / f"{name}.onnx")) - yardstick).mean(0) for name in GRAPHS}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tower", type=Path, required=True, help="clip_encoder.int8.onnx")
    parser.add_argument("--calibration", type=Path, required=True, help=".npy, uint8 [N,224,224,3]")
    parser.add_argument("--full-image", type=Path, required=True, help="heads of full_image.train")
    parser.add_argument("--faces", type=Path, required=True, help="heads of face_specialist.train")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    heads = gather_heads([arguments.full_image, arguments.faces])
    tower, views = read_tower(arguments.tower, max(BLOCKS)), np.load(arguments.calibration)
    write_encoder(arguments.out, even_tower(tower, views), BLOCKS, heads, FACTS)
    size = sum(path.stat().st_size for path in arguments.out.iterdir())
    print(f"{arguments.out}: {size / 1e6:.1f} MB, {milliseconds(arguments.out / 'cpu.onnx', (1, VIEW_PX, VIEW_PX, 3)):.1f} ms of processor time a view, one thread")
    for name, found in distances(arguments.out, tower, heads, views[:CHECKED]).items():
        print(f"{name}: from the float tower's logits", "  ".join(f"{c} {d:.3f}" for c, d in zip(COLUMNS, found, strict=True)))


if __name__ == "__main__":
    main()
