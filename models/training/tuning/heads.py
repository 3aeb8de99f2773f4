"""Trains the released full-image heads further, on new crops in every step, with a fixed backbone.

    python -m tuning.heads --encoder ../encoder --images IMAGES --sources CSV --graphics GRAPHICS --faces FACES
        --faces-csv CSV --stored STORED STORED_OF_FACES --landmarks MODEL --autoencoders TAESD --rings FOLDER
        --state STATE.pt --out heads.npz [--average ../encoder OTHERS.npz] [--steps 2300] [--hours 1]

Stored features (`full_image.hard_negatives`, `full_image.train`) contain one or two crops of an image. This command
cuts new crops each time, and a tenth of them are pairs with a version after an autoencoder. `--average` averages the
logits with the logits of other heads, because heads that were trained separately make different errors. The command
resumes from STATE if it exists.
"""

from pathlib import Path

import torch

from encoder.export import FoldedHead
from encoder.heads import average_heads, save_heads
from encoder.package import TUNED, heads_of, packaged_heads
from encoder.unpack import read_constants, unpack_backbone
from export.command import command_parser
from full_image.train import CROPS_OF
from tuning.feed import Feed
from tuning.network import TunedEncoder
from tuning.tune import Run, add_arguments, features_of, train

RATE = 1 / 3
"""Factor by which the learning rates of `tuning.tune` are multiplied. Low rates keep what the heads have learned."""


def load_for_head_training(encoder: Path) -> TunedEncoder:
    """Loads the encoder in a folder with its heads, of which only the heads can be trained."""
    network = TunedEncoder(unpack_backbone(read_constants(encoder)), heads=packaged_heads(encoder))
    network.blocks.requires_grad_(False)
    return network


def read_averaged_heads(paths: list[Path]) -> list[dict[str, FoldedHead]]:
    """Reads the heads for `--average`. Raises ValueError if a file lacks a head, before hours of training."""
    others = [heads_of([path]) for path in paths]
    for path, heads in zip(paths, others, strict=True):
        if missing := set(CROPS_OF) - set(heads):
            raise ValueError(f"{path} has no head {', '.join(sorted(missing))}")
    return others


def averaged_heads(network: TunedEncoder, others: list[dict[str, FoldedHead]]) -> list[FoldedHead]:
    """Averages each full-image head with the same head in `others`. Requires the network in main memory."""
    mine = dict(zip(TUNED, network.folded_heads(), strict=True))
    return [average_heads([*(heads[column] for heads in others), mine[column]]) for column in CROPS_OF]


def main() -> None:
    parser = command_parser(__doc__, "encoder", "out")
    add_arguments(parser, 2300)
    parser.add_argument("--average", type=Path, nargs="+", default=[], help="files of heads, and folders of encoders")
    a = parser.parse_args()
    others = read_averaged_heads(a.average)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(a.seed)
    network = load_for_head_training(a.encoder).to(device)

    def start(feed: Feed) -> None:
        network.standardise(features_of(network, feed)[0])

    run = Run(network, a.state, rate=RATE)
    train(run, start, a, device)
    network.load_state_dict(run.average)
    save_heads(a.out, averaged_heads(network.to("cpu"), others))


if __name__ == "__main__":
    main()
