"""Writes the encoder with its heads: one file of weights and two small graphs that read it, for CPUs and for GPUs.

The graphs give `logits` [N, columns], a row a view: every head judges every view, and the engine reads the columns that fit.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto

from encoder.graph import CONTRIB, Arithmetic, GraphWriter
from encoder.tower import Tower

GRAPHS: dict[str, Arithmetic] = {"cpu": "int8", "gpu": "half"}
WEIGHTS_FILE = "weights.bin"
ALIGNMENT = 4096
"""Of each array in the weights file, so that it can be mapped."""
SMALLEST_OUTSIDE = 1024
"""Bytes; smaller constants stay in the graph."""


@dataclass
class FoldedHead:
    """One head on the pooled features, standardisation folded in.

    logits = gelu(features @ first + first_bias) @ second + second_bias; `first` float [FEATURES, hidden],
    `second` [hidden, len(columns)]. `columns` names its outputs.
    """

    columns: list[str]
    first: np.ndarray
    first_bias: np.ndarray
    second: np.ndarray
    second_bias: np.ndarray


def add_heads(writer: GraphWriter, features: str, heads: list[FoldedHead]) -> str:
    """`logits` float32 [N, all columns]. Heads compute in float32: their products are small, their sums are not."""
    if writer.arithmetic == "half":
        features = writer.node("Cast", [features], "features32", to=TensorProto.FLOAT)
    outputs = []
    for index, head in enumerate(heads):
        name = f"head{index}"
        first = writer.constant(f"{name}.first", head.first.astype(np.float16))
        first = writer.node("Cast", [first], f"{name}.first32", to=TensorProto.FLOAT)
        hidden = writer.node("MatMul", [features, first], f"{name}.product")
        hidden = writer.node("Add", [hidden, writer.constant(f"{name}.bias", head.first_bias.astype(np.float32))], f"{name}.sum")
        hidden = writer.node("Gelu", [hidden], f"{name}.hidden", CONTRIB)
        out = writer.node("MatMul", [hidden, writer.constant(f"{name}.second", head.second.astype(np.float32))], f"{name}.out")
        bias = writer.constant(f"{name}.second.bias", head.second_bias.astype(np.float32))
        outputs.append(writer.node("Add", [out, bias], f"{name}.logits"))
    return writer.node("Concat", outputs, "logits", axis=1)


def build(tower: Tower, blocks: tuple[int, ...], heads: list[FoldedHead], arithmetic: Arithmetic) -> onnx.ModelProto:
    """The whole graph, weights inside."""
    writer = GraphWriter(arithmetic)
    tokens = writer.tokens(tower)
    pooled = [part for block in blocks for part in writer.pool(tokens[block - 1], f"pool{block}")]
    add_heads(writer, writer.node("Concat", pooled, "features", axis=1), heads)
    return writer.model({"logits": ["N", sum(len(head.columns) for head in heads)]})


def move_out(model: onnx.ModelProto, weights: bytearray, places: dict[str, tuple[int, bytes]]) -> None:
    """Moves large constants to `weights`; a name that is there already must have the same bytes, and is shared."""
    for constant in model.graph.initializer:
        content = constant.raw_data
        if len(content) < SMALLEST_OUTSIDE:
            continue
        if constant.name not in places:
            weights.extend(bytes(-len(weights) % ALIGNMENT))
            places[constant.name] = (len(weights), content)
            weights.extend(content)
        offset, stored = places[constant.name]
        if stored != content:
            raise ValueError(f"the graphs differ in {constant.name}")
        constant.ClearField("raw_data")
        constant.data_location = TensorProto.EXTERNAL
        for key, value in (("location", WEIGHTS_FILE), ("offset", str(offset)), ("length", str(len(content)))):
            constant.external_data.add(key=key, value=value)


def digest(path: Path) -> str:
    """sha256 of a file, in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_encoder(folder: Path, tower: Tower, blocks: tuple[int, ...], heads: list[FoldedHead], facts: dict) -> None:
    """Writes weights.bin, cpu.onnx, gpu.onnx and manifest.json. `facts` join the manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    weights, places = bytearray(), {}
    for name, arithmetic in GRAPHS.items():
        model = build(tower, blocks, heads, arithmetic)
        move_out(model, weights, places)
        (folder / f"{name}.onnx").write_bytes(model.SerializeToString())
    (folder / WEIGHTS_FILE).write_bytes(weights)
    files = {name: {"file": f"{name}.onnx", "sha256": digest(folder / f"{name}.onnx")} for name in GRAPHS}
    files["weights"] = {"file": WEIGHTS_FILE, "sha256": digest(folder / WEIGHTS_FILE)}
    size = {"name": "pixels", "type": "uint8", "layout": "NHWC", "color": "RGB", "size_px": 224, "normalisation": "in the graph"}
    columns = [column for head in heads for column in head.columns]
    manifest = {"id": "encoder", **facts, "licence": "Apache-2.0", "files": files, "input": size,
                "outputs": {"logits": "logits", "columns": columns}}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
