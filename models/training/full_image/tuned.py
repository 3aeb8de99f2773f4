"""Makes an encoder of what full_image.tune trained: its average, quantised as what ships, with its own heads and the shipped ones for faces.

    python -m full_image.tuned --tower ../encoder --upper clip_encoder.int8.onnx --state STATE.pt --calibration VIEWS.npy --out NEW

NEW is the folder of an encoder; `encoder.features --tower NEW` gives the features by which it is judged.
"""

import argparse
from pathlib import Path

import numpy as np
import torch

from encoder.export import write_encoder
from encoder.features import BLOCKS
from encoder.quantise import even_block, measure_ranges
from encoder.restore import read_constants, restore_tower
from encoder.ship import COLUMNS, FACTS, shipped_heads
from encoder.tower import WIDTH, Tower, read_tower
from full_image.tune import FROZEN, Tuned


def tuned_tower(lower: Tower, network: Tuned, views: np.ndarray) -> Tower:
    """The blocks below FROZEN as they ship, those above quantised by the ranges of `views` uint8 [N,224,224,3]."""
    blocks = [*lower.blocks[:FROZEN], *(block.merged() for block in network.blocks)]
    tower = Tower(lower.patch, lower.class_token, lower.positions, lower.before_blocks, blocks)
    ranges = measure_ranges(tower, views)
    tower.blocks[FROZEN:] = [even_block(block, index, ranges) for index, block in enumerate(blocks[FROZEN:], FROZEN)]
    return tower


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("tower", "upper", "state", "calibration", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    arguments = parser.parse_args()
    state, heads = torch.load(arguments.state, weights_only=True), shipped_heads(arguments.tower)
    width = len(BLOCKS) * 2 * WIDTH
    network = Tuned(read_tower(arguments.upper, max(BLOCKS)), heads, np.zeros(width, np.float32), np.ones(width, np.float32))
    network.load_state_dict(state["average"] | state["moments"], strict=False)
    lower = restore_tower(read_constants(arguments.tower))
    tower = tuned_tower(lower, network, np.load(arguments.calibration))
    found = heads | network.folded_heads()
    write_encoder(arguments.out, tower, BLOCKS, [found[column] for column in COLUMNS], FACTS)
    print(f"{arguments.out}: step {state['step']}")


if __name__ == "__main__":
    main()
