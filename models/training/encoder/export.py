"""Writes the encoder with its heads: one file of weights, and small graphs for CPUs, GPUs and TensorRT that read it.

The output `logits` [N, columns] has a row for each crop. Every head scores every crop, and the engine uses the columns
that it needs. With a head for tokens there is an output `tokens` [N, 196], the logit of each square of 16 px, row by
row. With an embedding there is an output `embedding` [N, numbers]. The embeddings of two crops are similar if the crops
look alike to the heads.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto

from encoder.backbone import TOKENS, Backbone
from encoder.graph import HALVES, Arithmetic, GraphWriter

GRAPHS: dict[str, Arithmetic] = {"cpu": "int8", "gpu": "half", "tensorrt": "standard"}
WEIGHTS_FILE = "weights.bin"
ALIGNMENT = 4096
"""Number of bytes to which each array in the weights file is aligned, so that the file can be memory-mapped."""
TOKEN_COLUMN = "token"
"""Column name of the head that scores single tokens."""
MIN_EXTERNAL_BYTES = 1024
"""Number of bytes from which a constant is stored in the weights file. Smaller constants stay in the graph."""


@dataclass
class FoldedHead:
    """A head with one hidden layer on the features of a crop, or of a token if its column is TOKEN_COLUMN.

    logits = gelu(features @ first + first_bias) @ second + second_bias. `first` is float [features, hidden] and
    includes the standardisation of features. `second` is [hidden, len(columns)]. `columns` names the outputs.
    """

    columns: list[str]
    first: np.ndarray
    first_bias: np.ndarray
    second: np.ndarray
    second_bias: np.ndarray


@dataclass
class Embedding:
    """An embedding of a crop, linear in its features.

    It is features @ weights + bias. `weights` is float [features, numbers], `bias` is [numbers].
    """

    weights: np.ndarray
    bias: np.ndarray

    def of(self, features: np.ndarray) -> np.ndarray:
        """Computes embeddings float32 [R, numbers] like the graph."""
        return features.astype(np.float32) @ self.weights.astype(np.float16).astype(np.float32) + self.bias.astype(
            np.float32
        )


def add_embedding(writer: GraphWriter, features: str, embedding: Embedding) -> list[int | str]:
    """Adds the output `embedding` to the graph, computed from float32 features. Returns its shape."""
    weights = writer.constant("embedding.weights", embedding.weights.astype(np.float16))
    weights = writer.node("Cast", [weights], "embedding.weights32", to=TensorProto.FLOAT)
    product = writer.node("MatMul", [features, weights], "embedding.product")
    writer.node("Add", [product, writer.constant("embedding.bias", embedding.bias.astype(np.float32))], "embedding")
    return ["N", len(embedding.bias)]


def add_head(writer: GraphWriter, features: str, name: str, head: FoldedHead) -> str:
    """Adds a head to the graph. Returns the name of its logits float32 [..., columns].

    Heads compute in float32, because their sums lose accuracy otherwise. Their products are small, so this costs
    little.
    """
    first = writer.constant(f"{name}.first", head.first.astype(np.float16))
    first = writer.node("Cast", [first], f"{name}.first32", to=TensorProto.FLOAT)
    hidden = writer.node("MatMul", [features, first], f"{name}.product")
    hidden = writer.node(
        "Add", [hidden, writer.constant(f"{name}.bias", head.first_bias.astype(np.float32))], f"{name}.sum"
    )
    hidden = writer.gelu(hidden, f"{name}.hidden")
    out = writer.node(
        "MatMul", [hidden, writer.constant(f"{name}.second", head.second.astype(np.float32))], f"{name}.out"
    )
    bias = writer.constant(f"{name}.second.bias", head.second_bias.astype(np.float32))
    return writer.node("Add", [out, bias], f"{name}.logits")


def columns_of(heads: list[FoldedHead]) -> list[str]:
    """Lists the columns of the output `logits`: the columns of all heads that score crops, in order."""
    return [column for head in heads for column in head.columns if column != TOKEN_COLUMN]


def add_heads(
    writer: GraphWriter, blocks: dict[int, str], heads: list[FoldedHead], embedding: Embedding | None
) -> dict[str, list[int | str]]:
    """Adds the heads and the embedding to the graph. `blocks` has the names of the tokens after each block that heads
    read.

    Returns the names and shapes of the outputs.
    """
    features, tokens = writer.pool(blocks)
    if writer.arithmetic in HALVES:
        features, tokens = (
            writer.node("Cast", [name], f"{name}32", to=TensorProto.FLOAT) for name in (features, tokens)
        )
    of_crops = [head for head in heads if head.columns != [TOKEN_COLUMN]]
    outputs: dict[str, list[int | str]] = {}
    if of_crops:
        writer.node(
            "Concat",
            [add_head(writer, features, f"head{index}", head) for index, head in enumerate(of_crops)],
            "logits",
            axis=1,
        )
        outputs["logits"] = ["N", len(columns_of(heads))]
    for head in heads:
        if head.columns == [TOKEN_COLUMN]:
            each = add_head(writer, tokens, TOKEN_COLUMN, head)
            writer.node("Reshape", [each, writer.constant("token.row", np.array([0, TOKENS]))], "tokens")
            outputs["tokens"] = ["N", TOKENS]
    if embedding is not None:
        outputs["embedding"] = add_embedding(writer, features, embedding)
    return outputs


def build(
    backbone: Backbone,
    blocks: tuple[int, ...],
    heads: list[FoldedHead],
    arithmetic: Arithmetic,
    embedding: Embedding | None = None,
) -> onnx.ModelProto:
    """Builds the whole graph of the encoder with the weights inside."""
    writer = GraphWriter(arithmetic)
    after = writer.tokens(backbone)
    return writer.model(add_heads(writer, {block: after[block - 1] for block in blocks}, heads, embedding))


def move_out(model: onnx.ModelProto, weights: bytearray, places: dict[str, tuple[int, bytes]]) -> None:
    """Moves large constants of the graph to `weights`.

    A constant whose name is already in `places` is stored once for all graphs and must have the same bytes.
    """
    for constant in model.graph.initializer:
        content = constant.raw_data
        if len(content) < MIN_EXTERNAL_BYTES:
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
    """Computes the SHA-256 digest of a file in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_encoder(
    folder: Path,
    backbone: Backbone,
    blocks: tuple[int, ...],
    heads: list[FoldedHead],
    facts: dict,
    embedding: Embedding | None = None,
    graphs: dict[str, Arithmetic] = GRAPHS,
) -> None:
    """Writes weights.bin, an .onnx file for each of `graphs`, and manifest.json, which also gets `facts`."""
    folder.mkdir(parents=True, exist_ok=True)
    weights, places = bytearray(), {}
    for name, arithmetic in graphs.items():
        model = build(backbone, blocks, heads, arithmetic, embedding)
        move_out(model, weights, places)
        (folder / f"{name}.onnx").write_bytes(model.SerializeToString())
    (folder / WEIGHTS_FILE).write_bytes(weights)
    files = {name: {"file": f"{name}.onnx", "sha256": digest(folder / f"{name}.onnx")} for name in graphs}
    files["weights"] = {"file": WEIGHTS_FILE, "sha256": digest(folder / WEIGHTS_FILE)}
    size = {
        "name": "pixels",
        "type": "uint8",
        "layout": "NHWC",
        "color": "RGB",
        "size_px": 224,
        "normalisation": "in the graph",
    }
    outputs = {"logits": "logits", "columns": columns_of(heads)}
    if any(head.columns == [TOKEN_COLUMN] for head in heads):
        outputs["tokens"] = "tokens"
    if embedding is not None:
        outputs |= {"embedding": "embedding", "embedding_size": len(embedding.bias)}
    manifest = {"id": "encoder", **facts, "licence": "Apache-2.0", "files": files, "input": size, "outputs": outputs}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
