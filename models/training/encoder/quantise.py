"""Quantises the backbone to int8 with nearly the accuracy of float.

Two things make plain int8 inaccurate, as `python -m encoder.quantise` shows on training images. First, the channels of
the normed tokens have different ranges. They are smoothed by moving a factor from the activations into the weights
before a product (SmoothQuant, Xiao et al. 2023). Second, in blocks 6 to 8 three or four units of the MLP reach a
hundred standard deviations, and a scale that fits them leaves no precision for the others. The OUTLIER_CHANNELS largest
units are therefore computed in float (after LLM.int8, Dettmers et al. 2022).

Weights take only 7 bits. A processor without VNNI adds two products u8 x s8 in 16 bits, which would overflow with 8-bit
weights.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import onnxruntime

from encoder.backbone import WIDTH, Backbone, Block, Matrix, Norm, Units, read_backbone
from encoder.graph import GraphWriter
from export.command import command_parser

OUTLIER_CHANNELS = 16
MAX_WEIGHT = 64
"""Largest magnitude of a quantised weight: 255 x 64 x 2 < 2^15."""
SMOOTHING_EXPONENT = 0.6
"""Exponent of a channel's range that moves from activations to weights, chosen from 0.5 to 0.8 on other crops."""

Ranges = dict[str, np.ndarray]


def quantise(dense: np.ndarray, bias: np.ndarray) -> Matrix:
    """Quantises a matrix `dense` float32 [in, out] symmetrically to 7 bits, with a scale for each output."""
    scale = np.maximum(np.abs(dense).max(axis=0), 1e-12) / MAX_WEIGHT
    return Matrix(np.rint(dense / scale).astype(np.int8), scale.astype(np.float32), bias.astype(np.float32))


def session_of(writer: GraphWriter, outputs: list[str], threads: int = 2) -> onnxruntime.InferenceSession:
    """Opens a session that returns values from inside the graph, by their names."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    shape = ["N", "tokens", "width"]
    return onnxruntime.InferenceSession(writer.model(dict.fromkeys(outputs, shape)).SerializeToString(), options)


def measure_ranges(backbone: Backbone, crops: np.ndarray) -> Ranges:
    """Measures the largest magnitude of each channel over `crops` uint8 [N,224,224,3], by the activation's name."""
    writer = GraphWriter("float")
    writer.tokens(backbone)
    names = [f"b{at}.{part}" for at in range(len(backbone.blocks)) for part in ("norm1", "attended", "norm2", "active")]
    session = session_of(writer, names)
    ranges: Ranges = {}
    for crop in crops:
        for name, values in zip(names, session.run(names, {"pixels": crop[None]}), strict=True):
            ranges[name] = np.maximum(ranges.get(name, 0), np.abs(values).max(axis=(0, 1)))
    return ranges


def smoothing_factors(activations: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Computes the factors by which activation channels are divided and rows of `weights` [in, out] multiplied."""
    rows = np.maximum(np.abs(weights).max(axis=1), 1e-5)
    scale = np.maximum(activations, 1e-5) ** SMOOTHING_EXPONENT / rows ** (1 - SMOOTHING_EXPONENT)
    return (scale / np.exp(np.log(scale).mean())).astype(np.float32)


def smooth_block(block: Block, index: int, ranges: Ranges) -> Block:
    """Changes the weights of a block so that it computes the same function with a smaller int8 error."""
    qkv, projection, widen, narrow = (m.dense() for m in (block.qkv, block.projection, block.widen, block.narrow))
    qkv_bias = block.qkv.bias.copy()
    by_values = smoothing_factors(ranges[f"b{index}.attended"], projection)
    qkv[:, 2 * WIDTH :] /= by_values
    qkv_bias[2 * WIDTH :] /= by_values
    projection *= by_values[:, None]
    before_qkv = smoothing_factors(ranges[f"b{index}.norm1"], qkv)
    before_widen = smoothing_factors(ranges[f"b{index}.norm2"], widen)
    norm1 = Norm(block.before_attention.gain / before_qkv, block.before_attention.bias / before_qkv)
    norm2 = Norm(block.before_mlp.gain / before_widen, block.before_mlp.bias / before_widen)
    qkv *= before_qkv[:, None]
    widen *= before_widen[:, None]
    order = np.argsort(ranges[f"b{index}.active"], kind="stable")
    calm, outliers = np.sort(order[:-OUTLIER_CHANNELS]), np.sort(order[-OUTLIER_CHANNELS:])
    units = Units(widen[:, outliers], block.widen.bias[outliers], narrow[outliers])
    return Block(
        norm1,
        quantise(qkv, qkv_bias),
        quantise(projection, block.projection.bias),
        norm2,
        quantise(widen[:, calm], block.widen.bias[calm]),
        quantise(narrow[calm], block.narrow.bias),
        units,
    )


def with_outliers(block: Block) -> Block:
    """Puts the outlier channels back among the others, in float. This is the inverse of a step of `smooth_block`."""
    if block.outliers is None:
        return block
    widen = np.concatenate((block.widen.dense(), block.outliers.widen), axis=1)
    narrow = np.concatenate((block.narrow.dense(), block.outliers.narrow))
    return replace(
        block,
        outliers=None,
        widen=Matrix(
            widen, np.ones(widen.shape[1], np.float32), np.concatenate((block.widen.bias, block.outliers.bias))
        ),
        narrow=Matrix(narrow, np.ones(WIDTH, np.float32), block.narrow.bias),
    )


def smooth_backbone(backbone: Backbone, crops: np.ndarray) -> Backbone:
    """Quantises a backbone for release. `crops` uint8 [N,224,224,3] set the number ranges."""
    ranges = measure_ranges(backbone, crops)
    blocks = [smooth_block(block, index, ranges) for index, block in enumerate(backbone.blocks)]
    return Backbone(backbone.patch, backbone.class_token, backbone.positions, backbone.before_blocks, blocks)


def error_of(backbone: Backbone, arithmetic: str, yardstick: Backbone, crops: np.ndarray) -> list[tuple[float, float]]:
    """Computes how much the tokens after each block, and their mean, differ from the float backbone `yardstick`.

    The difference is the median over channels, in standard deviations.
    """
    found = []
    for candidate, precision in ((yardstick, "float"), (backbone, arithmetic)):
        writer = GraphWriter(precision)
        names = writer.tokens(candidate)
        session = session_of(writer, names)
        found.append([np.concatenate(rows) for rows in zip(*(session.run(names, {"pixels": v[None]}) for v in crops))])
    errors = []
    for wanted, got in zip(*found, strict=True):
        token = np.sqrt(((got - wanted) ** 2).mean((0, 1))) / wanted.std((0, 1))
        mean = np.sqrt(((got[:, 1:].mean(1) - wanted[:, 1:].mean(1)) ** 2).mean(0)) / wanted[:, 1:].mean(1).std(0)
        errors.append((float(np.median(token)), float(np.median(mean))))
    return errors


def main() -> None:
    """Prints the error of the file's own int8 and of ours, block by block, on crops that set no number range."""
    parser = command_parser(__doc__)
    parser.add_argument("--backbone", type=Path, required=True, help="clip_encoder.int8.onnx")
    parser.add_argument(
        "--crops", type=Path, required=True, help=".npy uint8 [N,224,224,3]: half for ranges, half to measure"
    )
    parser.add_argument("--blocks", type=int, default=9)
    args = parser.parse_args()
    backbone, crops = read_backbone(args.backbone, args.blocks), np.load(args.crops)
    half = len(crops) // 2
    kinds = {"as it is": backbone, "smoothed": smooth_backbone(backbone, crops[:half])}
    for name, candidate in kinds.items():
        errors = error_of(candidate, "int8", backbone, crops[half:])
        print(
            f"{name:9s}",
            "  ".join(f"{index + 1}: {token:.3f} {mean:.3f}" for index, (token, mean) in enumerate(errors)),
        )


if __name__ == "__main__":
    main()
