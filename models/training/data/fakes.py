"""Pairs of a genuine region and its autoencoder reconstruction, and fakes made of them: whole, or a region blended in.

    python -m data.fakes --planes PLANES --taesd WEIGHTS --out PAIRS [--count 700]
"""
import argparse
import json
from pathlib import Path

import cv2
import numpy as np
import torch
from tqdm import tqdm

from data.autoencoders import FAMILIES, Autoencoder
from data.plane_store import PlaneStore

PX = 224


def write_pairs(store: PlaneStore, weights: Path, out: Path, count: int, seed: int = 1) -> None:
    """Writes pairs.bin, uint8 [count,2,224,224,3] (genuine, reconstruction), and pairs.json (sha256, family)."""
    out.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    autoencoders = {family: Autoencoder(weights, family) for family in FAMILIES}
    sources = sorted({picture.source for picture in store.pictures if not picture.is_ai})
    by_source = {source: [p for p in store.pictures if p.source == source and not p.is_ai] for source in sources}
    written = []
    with (out / "pairs.bin").open("wb") as stream:
        for index in tqdm(range(count), unit="pair", mininterval=20):
            picture = by_source[sources[index % len(sources)]]
            picture = picture[int(rng.integers(len(picture)))]
            plane = picture.planes[int(rng.integers(len(picture.planes)))]
            if min(plane.height, plane.width) < PX:
                continue
            top, left = int(rng.integers(0, plane.height - PX + 1)), int(rng.integers(0, plane.width - PX + 1))
            region = np.array(store.pixels(plane)[top:top + PX, left:left + PX])
            family = list(FAMILIES)[int(rng.integers(len(FAMILIES)))]
            stream.write(region.tobytes() + autoencoders[family].reconstruct(region).tobytes())
            stream.flush()
            written.append({"sha256": picture.sha256, "family": family})
    (out / "pairs.json").write_text(json.dumps(written))


class FakePairs:
    """Draws fakes, and their genuine counterparts, from a folder of pairs."""

    BLEND_SHARE = 0.4

    def __init__(self, folder: Path):
        size = (folder / "pairs.bin").stat().st_size // (2 * PX * PX * 3)
        self._pairs = np.memmap(folder / "pairs.bin", np.uint8, "r", shape=(size, 2, PX, PX, 3))

    def genuine(self, rng: np.random.Generator) -> np.ndarray:
        """A genuine region [224,224,3]."""
        return self._pairs[int(rng.integers(len(self._pairs))), 0]

    def fake(self, rng: np.random.Generator) -> tuple[np.ndarray, float]:
        """A reconstructed region and its label: 1, or for a blend the share of it that is reconstructed."""
        genuine, rebuilt = self._pairs[int(rng.integers(len(self._pairs)))]
        if rng.random() >= self.BLEND_SHARE:
            return rebuilt, 1.0
        mask = np.zeros((PX, PX), np.float32)
        centre = [int(value) for value in rng.integers(PX // 4, 3 * PX // 4, 2)]
        axes = [int(value) for value in rng.integers(PX // 3, PX, 2)]
        cv2.ellipse(mask, centre, axes, float(rng.uniform(0, 180)), 0, 360, 1.0, -1)
        mask = cv2.GaussianBlur(mask, (0, 0), float(rng.uniform(0.5, 6)))[:, :, None]
        blended = np.clip(genuine * (1 - mask) + rebuilt * mask + 0.5, 0, 255).astype(np.uint8)
        return blended, float(mask.mean())


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--planes", type=Path, required=True)
    parser.add_argument("--taesd", type=Path, required=True, help="folder of the autoencoders' weights")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=700)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    write_pairs(PlaneStore(arguments.planes), arguments.taesd, arguments.out, arguments.count)


if __name__ == "__main__":
    main()
