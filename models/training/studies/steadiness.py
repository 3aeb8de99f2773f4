"""How far the logits of a view move when nothing but rounding changes: the least that any other order of float operations costs.

    python -m studies.steadiness --encoder ../encoder --views VIEWS.npy

Every product quantises its activations anew, so that a number that rounds otherwise makes more of them round otherwise in the products behind it.
Where the last digit of a float changes early in the tower, int8's whole noise is drawn again. VIEWS is what `encoder.calibration` writes.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnxruntime

from encoder.export import FoldedHead, build, columns_of
from encoder.features import BLOCKS
from encoder.graph import Arithmetic
from encoder.package import packaged_heads
from encoder.tower import Tower
from encoder.unpack import read_constants, unpack_tower

NUDGE = 1e-6
"""Relative change of the places' embeddings: some ten steps of float32."""


def nudged(tower: Tower, by: float, seed: int = 1) -> Tower:
    """The tower with each number of its places changed by about the share `by`."""
    noise = np.random.default_rng(seed).standard_normal(tower.positions.shape)
    return replace(tower, positions=(tower.positions * (1 + by * noise)).astype(np.float32))


def logits_by(tower: Tower, blocks: tuple[int, ...], heads: list[FoldedHead], arithmetic: Arithmetic, views: np.ndarray) -> np.ndarray:
    """float32 [N, columns] of `views` uint8 [N,224,224,3], each run on its own as the engine does."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(build(tower, blocks, heads, arithmetic).SerializeToString(), options, ["CPUExecutionProvider"])
    return np.concatenate([session.run(["logits"], {"pixels": view[None]})[0] for view in views])


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--views", type=Path, required=True, help=".npy uint8 [N,224,224,3]")
    arguments = parser.parse_args()
    tower, heads, views = unpack_tower(read_constants(arguments.encoder)), list(packaged_heads(arguments.encoder).values()), np.load(arguments.views)
    ships = logits_by(tower, BLOCKS, heads, "int8", views)
    others = {f"int8, places changed by {NUDGE:g}": (nudged(tower, NUDGE), "int8"), "float": (tower, "float")}
    print(f"{len(views)} views, logits against those of the int8 that ships: mean change of each column; the greatest of all")
    for name, (other, arithmetic) in others.items():
        moved = np.abs(logits_by(other, BLOCKS, heads, arithmetic, views) - ships)
        told = ", ".join(f"{column} {mean:.3f}" for column, mean in zip(columns_of(heads), moved.mean(0), strict=True))
        print(f"{name}: {told}; {moved.max():.2f}")


if __name__ == "__main__":
    main()
