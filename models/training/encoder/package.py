"""Packages the heads of both detectors with the quantised backbone, as the encoder is released.

    python -m encoder.package --backbone clip_encoder.int8.onnx --calibration CROPS --full-image heads.npz
        --faces heads.npz confirm.npz --illustration head.npz --tokens head.npz --out ../encoder
    python -m encoder.package --backbone ../encoder --crops CROPS --full-image heads.npz --out NEW

Writes weights.bin, cpu.onnx, gpu.onnx, tensorrt.onnx and manifest.json. Then the command runs the graphs on a few crops
and prints how much their logits differ from the float backbone's. If BACKBONE is an encoder's folder, the new encoder
gets its backbone, its embedding and all heads that no new file contains.
"""

import json
from pathlib import Path

import numpy as np
import onnxruntime

from encoder.backbone import CROP_PX, Backbone
from encoder.export import GRAPHS, TOKEN_COLUMN, Embedding, FoldedHead, build, write_encoder
from encoder.features import BLOCKS, add_backbone_arguments, open_backbone
from encoder.heads import load_heads
from encoder.unpack import read_constants, unpack_embedding, unpack_heads
from export import VERSION
from export.command import command_parser
from export.session import milliseconds

TUNED = ("native", "middle", "whole", "manipulated", "generated")
"""Columns of the heads trained together with the backbone: three for full images, two for faces."""
COLUMNS = (*TUNED, "face", "drawn")
"""Columns of the output `logits`, in order: the heads trained with the backbone, the head that confirms photographed
faces, and the head that recognises illustrations."""
HEADS = (*COLUMNS, TOKEN_COLUMN)
"""Columns of all heads of an encoder."""
FACTS = {
    "version": VERSION,
    "training_data": {
        "start": f"CLIP ViT-B/16 image backbone (OpenAI, MIT licence), blocks 1 to {max(BLOCKS)}; heads read blocks "
        + ", ".join(map(str, BLOCKS)),
        "heads": "trained on the training split of models/training/data/split.csv; counts are in the specialists' manifests",
        "token_head": "trained on genuine images of the same split of which a region was generated (models/training/local_edits)",
    },
}
CHECKED = 8
"""Number of crops on which the written graphs are compared."""


def gather_heads(paths: list[Path], kept: dict[str, FoldedHead] | None = None) -> list[FoldedHead]:
    """Collects the heads of HEADS in order from files of save_heads. Heads that no file contains come from `kept`.

    Raises ValueError if a head is missing or appears twice.
    """
    heads = {}
    for path in paths:
        for head in load_heads(path):
            if heads.setdefault(head.columns[0], head) is not head:
                raise ValueError(f"{path}: a second head {head.columns[0]}")
    heads = (kept or {}) | heads
    if set(heads) != set(HEADS):
        raise ValueError(f"heads {', '.join(sorted(heads))}; wanted {', '.join(HEADS)}")
    return [heads[column] for column in HEADS]


def packaged_heads(folder: Path) -> dict[str, FoldedHead]:
    """Reads the heads of an encoder's folder, by column."""
    columns = json.loads((folder / "manifest.json").read_text())["outputs"]["columns"]
    return {head.columns[0]: head for head in unpack_heads(read_constants(folder), columns)}


def heads_of(paths: list[Path]) -> dict[str, FoldedHead]:
    """Reads heads by column from files of save_heads and encoders' folders. Later heads replace earlier ones."""
    heads = {}
    for path in paths:
        heads |= packaged_heads(path) if path.is_dir() else {head.columns[0]: head for head in load_heads(path)}
    return heads


def embedding_of(path: Path) -> Embedding | None:
    """Reads an embedding from an .npz file (`weights`, `bias`) or an encoder's folder.

    Returns None for the Python package's file, which has no embedding.
    """
    if path.is_dir():
        return unpack_embedding(read_constants(path))
    if path.suffix == ".onnx":
        return None
    with np.load(path) as stored:
        return Embedding(stored["weights"], stored["bias"])


def facts_of(backbone: Path) -> dict:
    """Returns what the manifest states about training. For an encoder's folder this is copied from its manifest."""
    if not backbone.is_dir():
        return FACTS
    recorded = json.loads((backbone / "manifest.json").read_text())["training_data"]
    return FACTS | {"training_data": FACTS["training_data"] | recorded}


def distances(folder: Path, backbone: Backbone, heads: list[FoldedHead], crops: np.ndarray) -> dict[str, np.ndarray]:
    """Computes the mean difference of each graph's logits from the float backbone's over `crops`, float32 [heads].

    For the head on tokens, the mean is over all tokens.
    """

    def run(model: str | bytes) -> list[np.ndarray]:
        session = onnxruntime.InferenceSession(model)
        return [
            np.concatenate(output)
            for output in zip(
                *(session.run(["logits", "tokens"], {"pixels": crop[None]}) for crop in crops), strict=True
            )
        ]

    yardstick = run(build(backbone, BLOCKS, heads, "float").SerializeToString())
    found = {
        name: [np.abs(mine - wanted) for mine, wanted in zip(run(str(folder / f"{name}.onnx")), yardstick, strict=True)]
        for name in GRAPHS
    }
    return {name: np.append(logits.mean(0), tokens.mean()) for name, (logits, tokens) in found.items()}


def main() -> None:
    parser = command_parser(__doc__, "out")
    add_backbone_arguments(parser)
    parser.add_argument(
        "--crops", type=Path, help="to run the graphs on, .npy uint8 [N,224,224,3] (default: CALIBRATION)"
    )
    parser.add_argument("--full-image", type=Path, help="heads of full_image.train")
    parser.add_argument("--faces", type=Path, nargs="+", default=[], help="heads of face_specialist.train and .confirm")
    parser.add_argument("--illustration", type=Path, help="head that tells drawn images from photographed ones")
    parser.add_argument("--tokens", type=Path, help="head of local_edits.train")
    parser.add_argument("--embedding", type=Path, help="an .npz with `weights` and `bias`; default: the encoder's own")
    args = parser.parse_args()
    kept = packaged_heads(args.backbone) if args.backbone.is_dir() else None
    heads = gather_heads(
        [path for path in (args.full_image, *args.faces, args.illustration, args.tokens) if path], kept
    )
    backbone, crops = open_backbone(args.backbone, args.calibration), np.load(args.crops or args.calibration)
    write_encoder(
        args.out, backbone, BLOCKS, heads, facts_of(args.backbone), embedding_of(args.embedding or args.backbone)
    )
    size = sum(path.stat().st_size for path in args.out.iterdir())
    print(
        f"{args.out}: {size / 1e6:.1f} MB, {milliseconds(args.out / 'cpu.onnx', (1, CROP_PX, CROP_PX, 3)):.1f} ms of processor time a crop, one thread"
    )
    for name, found in distances(args.out, backbone, heads, crops[:CHECKED]).items():
        print(
            f"{name}: from the float backbone's logits",
            "  ".join(f"{c} {d:.3f}" for c, d in zip(HEADS, found, strict=True)),
        )


if __name__ == "__main__":
    main()
