"""Rewrites the graphs of a released encoder from its weights, and compares them with the present graphs.

    python -m encoder.regraph ../encoder --out NEW                     all graphs
    python -m encoder.regraph ../encoder --out NEW --fused             gpu.onnx in as few operators as possible
    python -m encoder.regraph ../encoder --compare --images ../../samples

`--compare` prints for each GPU arithmetic the number of nodes in its graph, and how much its scores differ from the
scores of gpu.onnx. It runs on the CPU, which computes some operators in float32 only.
"""

import json
from pathlib import Path

import cv2
import numpy as np
import onnx
import onnxruntime

from encoder.backbone import Backbone
from encoder.export import GRAPHS, Embedding, FoldedHead, build, write_encoder
from encoder.features import BLOCKS
from encoder.graph import Arithmetic
from encoder.reference_engine import ReferenceEngine
from encoder.unpack import read_constants, unpack_backbone, unpack_embedding, unpack_heads
from export.command import command_parser

COMPARED: tuple[Arithmetic, ...] = ("half", "fused", "standard", "float")


def read_encoder(folder: Path) -> tuple[Backbone, list[FoldedHead], Embedding | None, dict]:
    """Reads the backbone, heads, embedding and manifest of an encoder."""
    constants, manifest = read_constants(folder), json.loads((folder / "manifest.json").read_text())
    return (
        unpack_backbone(constants),
        unpack_heads(constants, manifest["outputs"]["columns"]),
        unpack_embedding(constants),
        manifest,
    )


def regraph(folder: Path, out: Path, graphs: dict[str, Arithmetic]) -> None:
    """Writes the graphs and the manifest to `out`, from the weights and the manifest in `folder`."""
    backbone, heads, embedding, manifest = read_encoder(folder)
    write_encoder(
        out, backbone, BLOCKS, heads, {key: manifest[key] for key in ("version", "training_data")}, embedding, graphs
    )


def nodes_at_run(model: onnx.ModelProto) -> int:
    """Counts the nodes that remain after ONNX Runtime has computed constant parts in advance."""
    constant, count = {weights.name for weights in model.graph.initializer} | {""}, 0
    for node in model.graph.node:
        if constant.issuperset(node.input):
            constant.update(node.output)
        else:
            count += 1
    return count


def open_session(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    """Opens a session on the CPU that computes constants in advance as the engine lets a GPU do."""
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def compare(folder: Path, images: list[Path]) -> None:
    """Prints a table of nodes and score differences for each GPU arithmetic."""
    backbone, heads, embedding, _ = read_encoder(folder)
    pixels = [cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB) for path in images]
    wanted: np.ndarray | None = None
    for arithmetic in COMPARED:
        model = build(backbone, BLOCKS, heads, arithmetic, embedding)
        engine = ReferenceEngine(folder.parent, open_session(model))
        scores = np.array([engine.full_image(image) for image in pixels])
        wanted = scores if wanted is None else wanted
        foreign = sorted({node.op_type for node in model.graph.node if node.domain})
        print(
            f"{arithmetic}: {len(model.graph.node)} nodes, {nodes_at_run(model)} of them at each run; not of ONNX: {', '.join(foreign) or 'none'}; "
            f"scores of {len(images)} images move by at most {np.abs(scores - wanted).max():.4f}",
            flush=True,
        )


def main() -> None:
    parser = command_parser(__doc__)
    parser.add_argument("encoder", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--fused", action="store_true")
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--images", type=Path, help="a folder")
    args = parser.parse_args()
    if args.out:
        regraph(args.encoder, args.out, GRAPHS | ({"gpu": "fused"} if args.fused else {}))
    if args.compare:
        compare(args.encoder, sorted(path for path in args.images.iterdir() if path.suffix in (".jpg", ".png")))


if __name__ == "__main__":
    main()
