"""Lets the head for generated faces lean on what the full-image heads say of the same crop.

    python -m face_specialist.lean --encoder ../encoder [--faces heads.npz] --out heads.npz

A crop is a view like others, so the full-image heads judge it, too. They met far more generators than there are generated faces to learn from. To the
logit of `generated` comes a share of the mean of theirs; `manipulated` stays as it is, for they know nothing of swaps. Both heads are those of FACES, as
`face_specialist.train` or `tuning.fold` wrote them, or else of the encoder, which must not lean yet.
"""

import argparse
from pathlib import Path

from encoder.heads import load_heads, mix_heads, save_heads
from encoder.ship import COLUMNS, shipped_heads
from face_specialist.train import COLUMNS as FACE_COLUMNS

SHARE = 0.32
"""Of the mean of the full-image logits. Chosen on validation (EXPERIMENTS.md)."""


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--faces", type=Path, help="heads that are to lean, instead of the encoder's")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    heads = shipped_heads(arguments.encoder)
    heads |= {head.columns[0]: head for head in load_heads(arguments.faces)} if arguments.faces else {}
    whole_picture = [heads[column] for column in COLUMNS if column not in FACE_COLUMNS]
    leaning = mix_heads([heads["generated"], *whole_picture], [1.0, *[SHARE / len(whole_picture)] * len(whole_picture)])
    save_heads(arguments.out, [heads["manipulated"], leaning])


if __name__ == "__main__":
    main()
