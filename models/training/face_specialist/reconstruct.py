"""Command: pass genuine training crops through the tiny autoencoders of five image generators.

    python -m face_specialist.reconstruct --crops CROPS --autoencoders TAESD --faces-csv F --sources-csv S --count 500

Writes reconstructions.npy (uint8 [R,288,288,3]) and made_of.npy (row of crops.npy of each) beside the crops: fakes that
differ from a genuine face in nothing but the generator's traces.
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from data.autoencoders import FAMILIES, Autoencoder
from face_detector.parts import part_of_pictures
from face_specialist.stored import read_crops

def main() -> None:
    """Read the arguments, reconstruct a random choice of genuine training crops, the families in turn."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--crops", type=Path, required=True)
    parser.add_argument("--autoencoders", type=Path, required=True)
    parser.add_argument("--faces-csv", type=Path, required=True)
    parser.add_argument("--sources-csv", type=Path, required=True)
    parser.add_argument("--count", type=int, default=500)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    pixels, crops = read_crops(arguments.crops, part_of_pictures(arguments.faces_csv, arguments.sources_csv))
    genuine = [crop.row for crop in crops if crop.part == "train" and not crop.is_fake]
    rows = np.random.default_rng(11).permutation(genuine)[: arguments.count]
    autoencoders = [Autoencoder(arguments.autoencoders, family) for family in FAMILIES]
    made = [autoencoders[index % len(autoencoders)].reconstruct(pixels[row]) for index, row in enumerate(tqdm(rows))]
    np.save(arguments.crops / "reconstructions.npy", np.stack(made))
    np.save(arguments.crops / "made_of.npy", rows)


if __name__ == "__main__":
    main()
