"""Reads the weights of CLIP's ViT-B/16 image network (OpenAI, MIT) from the int8 ONNX file of a Python package.

The matrices stay as they are in the file: int8 with a scale for each output. A block that is not trained is therefore
copied into our own graph without loss. `Matrix.dense` returns the float matrix that training starts from.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

WIDTH, HEADS, PATCH_PX, CROP_PX, BLOCKS = 768, 12, 16, 224, 12
TOKENS = (CROP_PX // PATCH_PX) ** 2
MEAN = np.array((0.48145466, 0.4578275, 0.40821073), np.float32)
DEVIATION = np.array((0.26862954, 0.26130258, 0.27577711), np.float32)
"""Mean and deviation of RGB / 255 with which CLIP was trained."""


@dataclass
class Matrix:
    """A quantised product y = x @ (values * scale) + bias: `values` int8 [in, out], the others float32 [out]."""

    values: np.ndarray
    scale: np.ndarray
    bias: np.ndarray

    def dense(self) -> np.ndarray:
        """Returns the matrix as float32 [in, out]."""
        return self.values.astype(np.float32) * self.scale


@dataclass
class Norm:
    """A layer norm with `gain` and `bias`, float32 [WIDTH]. Epsilon is 1e-5."""

    gain: np.ndarray
    bias: np.ndarray


@dataclass
class Units:
    """Hidden units of an MLP that are not quantised, float32: `widen` [768, K], `bias` [K], `narrow` [K, 768]."""

    widen: np.ndarray
    bias: np.ndarray
    narrow: np.ndarray


@dataclass
class Block:
    """One pre-norm block of the network. `qkv` [768, 2304] has queries, keys and values side by side.

    `outliers` has the units of the MLP that are computed in float instead of by `widen` and `narrow` (see quantise.py),
    or None.
    """

    before_attention: Norm
    qkv: Matrix
    projection: Matrix
    before_mlp: Norm
    widen: Matrix
    narrow: Matrix
    outliers: Units | None = None


@dataclass
class Backbone:
    """The weights of the network up to a block.

    `patch` float32 [768,3,16,16], `class_token` [768], `positions` [197,768], and the blocks in the order in which they
    run.
    """

    patch: np.ndarray
    class_token: np.ndarray
    positions: np.ndarray
    before_blocks: Norm
    blocks: list[Block]


def read_backbone(path: Path, blocks: int) -> Backbone:
    """Reads the first `blocks` blocks of the package's `clip_encoder.int8.onnx`. Raises KeyError for any other file."""
    graph = onnx.load(path).graph
    constants = {constant.name: constant for constant in graph.initializer}
    products = {node.name: node for node in graph.node if node.op_type == "MatMulInteger"}

    def constant(name: str) -> np.ndarray:
        return numpy_helper.to_array(constants[name])

    def norm(name: str) -> Norm:
        return Norm(constant(f"{name}.weight"), constant(f"{name}.bias"))

    def matrix(layer: int, name: str) -> Matrix:
        weight = products[f"/vision_model/encoder/layers.{layer}/{name.replace('.', '/')}/MatMul_quant"].input[1]
        stem = weight.removesuffix("_quantized")
        if constant(f"{stem}_zero_point").any():
            raise KeyError(f"{stem} is not symmetric")
        bias = constant(f"vision_model.encoder.layers.{layer}.{name}.bias")
        return Matrix(constant(weight), constant(f"{stem}_scale"), bias)

    def block(layer: int) -> Block:
        parts = [matrix(layer, f"self_attn.{part}_proj") for part in "qkv"]
        qkv = Matrix(
            *(np.concatenate([getattr(part, name) for part in parts], axis=-1) for name in ("values", "scale", "bias"))
        )
        stem = f"vision_model.encoder.layers.{layer}"
        return Block(
            norm(f"{stem}.layer_norm1"),
            qkv,
            matrix(layer, "self_attn.out_proj"),
            norm(f"{stem}.layer_norm2"),
            matrix(layer, "mlp.fc1"),
            matrix(layer, "mlp.fc2"),
        )

    embeddings = "vision_model.embeddings"
    return Backbone(
        constant(f"{embeddings}.patch_embedding.weight"),
        constant(f"{embeddings}.class_embedding"),
        constant(f"{embeddings}.position_embedding.weight"),
        norm("vision_model.pre_layrnorm"),
        [block(layer) for layer in range(blocks)],
    )
