"""Makes an encoder from a run of tuning.tune or tuning.blocks: the average weights, quantised, with the heads.

    python -m tuning.fold --backbone clip_encoder.int8.onnx --state STATE.pt --calibration CROPS.npy --out NEW [--share 1.0]
    python -m tuning.fold --backbone ../encoder --state TRAINED.npz --calibration CROPS.npy --out NEW

BACKBONE is the backbone from which the run started. NEW is an encoder's folder. Heads that were not trained come from
BACKBONE if it is a folder. `encoder.features --backbone NEW` computes the features by which NEW is judged.
NEW/heads.npz has the heads in the form that `full_image.plans` and `face_specialist.calibrate` read.
"""

from pathlib import Path

import numpy as np
import torch

from encoder.backbone import Backbone, Matrix, read_backbone
from encoder.export import FoldedHead, write_encoder
from encoder.features import BLOCKS
from encoder.heads import save_heads
from encoder.package import HEADS, embedding_of, facts_of, packaged_heads
from encoder.quantise import error_of, smooth_backbone, with_outliers
from encoder.unpack import read_constants, unpack_backbone
from export.command import command_parser
from tuning.blocks import load_trained
from tuning.network import RANK, TunedEncoder

CHECKED = 24
"""Number of crops on which the int8 error is measured."""


def moved(start: Backbone, tuned: Backbone) -> list[float]:
    """Measures how much tuning changed the matrices of each block, as a mean share of their norms.

    A change of a tenth improved accuracy and a quarter reduced it (experiments/0008): larger changes lose more of the
    pretraining.
    """

    def share(before: Matrix, after: Matrix) -> float:
        return float(np.linalg.norm(after.dense() - before.dense()) / np.linalg.norm(before.dense()))

    names = ("qkv", "projection", "widen", "narrow")
    blocks = zip(map(with_outliers, start.blocks), map(with_outliers, tuned.blocks), strict=True)
    return [
        float(np.mean([share(getattr(before, name), getattr(after, name)) for name in names]))
        for before, after in blocks
    ]


def read_start(path: Path) -> tuple[Backbone, dict[str, FoldedHead]]:
    """Reads the backbone from which a run started, and the heads in the same folder."""
    if path.is_dir():
        return unpack_backbone(read_constants(path)), packaged_heads(path)
    return read_backbone(path, max(BLOCKS)), {}


def load_average(network: TunedEncoder, path: Path) -> None:
    """Loads average weights: of a run's state, of its best average, or written by `tuning.blocks --trained`."""
    if path.suffix == ".npz":
        load_trained(network, path)
    else:
        stored = torch.load(path, map_location="cpu", weights_only=True)
        network.load_state_dict(stored.get("average", stored))


def main() -> None:
    parser = command_parser(__doc__, "backbone", "state", "calibration", "out")
    parser.add_argument(
        "--crops", type=Path, help="to compare int8 with float, .npy uint8 [N,224,224,3] (default: CALIBRATION)"
    )
    parser.add_argument("--share", type=float, default=1.0, help="share of the backbone's change")
    args = parser.parse_args()
    start, kept = read_start(args.backbone)
    network = TunedEncoder(start, BLOCKS, kept or None)
    load_average(network, args.state)
    tuned, trained = network.merged(args.share), network.folded_heads()
    by_column = kept | {head.columns[0]: head for head in trained}
    heads = [by_column[column] for column in HEADS if column in by_column]
    backbone = smooth_backbone(tuned, np.load(args.calibration))
    tuning = f"all blocks tuned by adapters of rank {RANK} together with the heads (models/training/tuning); share of the change {args.share}"
    facts = facts_of(args.backbone)
    facts = facts | {"training_data": facts["training_data"] | {"tuning": tuning}}
    write_encoder(args.out, backbone, BLOCKS, heads, facts, embedding_of(args.backbone))
    save_heads(args.out / "heads.npz", trained)
    print("moved, by block", "  ".join(f"{number}: {share:.3f}" for number, share in enumerate(moved(start, tuned), 1)))
    errors = error_of(backbone, "int8", tuned, np.load(args.crops or args.calibration)[:CHECKED])
    print(
        "error of int8 in deviations, of tokens and of their mean, after block",
        "  ".join(f"{number}: {token:.3f} {mean:.3f}" for number, (token, mean) in enumerate(errors, 1)),
    )


if __name__ == "__main__":
    main()
