"""Reads a released encoder back into backbone and heads, so that new heads don't need the Python package again.

The backbone need not be quantised a second time. Input: a folder with `manifest.json`, `cpu.onnx` and `weights.bin`.
Output: a `Backbone` (int8 matrices with scales) and `FoldedHead`s (float).
"""

from pathlib import Path

import numpy as np
import onnx
from onnx import external_data_helper, numpy_helper

from encoder.backbone import DEVIATION, WIDTH, Backbone, Block, Matrix, Norm, Units
from encoder.export import TOKEN_COLUMN, Embedding, FoldedHead

Constants = dict[str, np.ndarray]


def read_constants(folder: Path) -> Constants:
    """Reads all constants of the CPU graph by name (see GraphWriter), including the weights."""
    model = onnx.load(folder / "cpu.onnx", load_external_data=False)
    external_data_helper.load_external_data_for_model(model, str(folder))
    return {constant.name: numpy_helper.to_array(constant) for constant in model.graph.initializer}


def unpack_backbone(constants: Constants) -> Backbone:
    """Rebuilds the quantised backbone from the constants.

    The patch convolution of the result expects normalised pixels. The class token still includes its position.
    """

    def norm(name: str) -> Norm:
        return Norm(constants[f"{name}.gain"], constants[f"{name}.bias"])

    def matrix(name: str) -> Matrix:
        return Matrix(*(constants[f"{name}.{part}"] for part in ("values", "scale", "bias")))

    def outliers(name: str) -> Units | None:
        if f"{name}.dense" not in constants:
            return None
        return Units(constants[f"{name}.wide.dense"], constants[f"{name}.wide.bias"], constants[f"{name}.dense"])

    def block(name: str) -> Block:
        return Block(
            norm(f"{name}.norm1"),
            matrix(f"{name}.qkv"),
            matrix(f"{name}.projection"),
            norm(f"{name}.norm2"),
            matrix(f"{name}.widen"),
            matrix(f"{name}.narrow"),
            outliers(f"{name}.loud"),
        )

    count = sum(name.endswith(".qkv.values") for name in constants)
    # Computed in float64, so that adding the normalisation again gives the same float32 values.
    patch = constants["patch"] * (255 * DEVIATION).astype(float)[None, :, None, None]
    positions = np.concatenate((np.zeros((1, WIDTH), np.float32), constants["positions"]))
    return Backbone(
        patch, constants["class"][0, 0], positions, norm("before"), [block(f"b{index}") for index in range(count)]
    )


def unpack_heads(constants: Constants, columns: list[str]) -> list[FoldedHead]:
    """Rebuilds the heads: one for each column of the manifest, in order, and the head for tokens if there is one."""
    names = {f"head{index}": column for index, column in enumerate(columns)}
    if f"{TOKEN_COLUMN}.first" in constants:
        names[TOKEN_COLUMN] = TOKEN_COLUMN
    return [
        FoldedHead(
            [column],
            constants[f"{name}.first"].astype(np.float32),
            *(constants[f"{name}.{part}"] for part in ("bias", "second", "second.bias")),
        )
        for name, column in names.items()
    ]


def unpack_embedding(constants: Constants) -> Embedding | None:
    """Rebuilds the embedding. Returns None if the encoder has none."""
    if "embedding.weights" not in constants:
        return None
    return Embedding(constants["embedding.weights"].astype(np.float32), constants["embedding.bias"])
