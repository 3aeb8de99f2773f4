"""The views of validation or test pictures in each report tier, cut once, so that evaluating the networks is one pass.

    python -m full_image.view_bank --pictures PICTURES --part validation --out BANK [--patches 16] [--every 1]
"""
import argparse
import json
from pathlib import Path

import numpy as np
from tqdm import tqdm

from data.degrade import TIERS, to_tier
from data.pictures import read_picture
from data.split import Picture, load_pictures
from full_image.networks import GLOBAL_PX, PATCH_PX
from full_image.patches import global_view, patches_of


def write_bank(pictures: list[Picture], max_patches: int, out: Path) -> None:
    """Writes patches.bin, globals.bin and rows.json: one row a picture and tier, with its first patch and how many it has."""
    out.mkdir(parents=True, exist_ok=True)
    rows, first = [], 0
    with (out / "patches.bin").open("wb") as patch_stream, (out / "globals.bin").open("wb") as global_stream:
        for picture in tqdm(pictures, unit="picture", mininterval=20):
            pixels = read_picture(picture.path)
            for tier in TIERS:
                delivered = to_tier(pixels, tier)
                patches = patches_of(delivered, PATCH_PX, max_patches)
                patch_stream.write(patches.tobytes())
                global_stream.write(global_view(delivered, GLOBAL_PX).tobytes())
                rows.append({"sha256": picture.sha256, "is_ai": picture.is_ai, "source": picture.source, "kind": picture.kind,
                             "generator": picture.generator, "content": picture.content, "format": picture.path.suffix[1:],
                             "tier": tier, "index": len(rows), "first": first, "count": len(patches)})
                first += len(patches)
    (out / "rows.json").write_text(json.dumps({"max_patches": max_patches, "rows": rows}))


class ViewBank:
    """Read access to a bank: `rows`, and the views of a row."""

    def __init__(self, folder: Path):
        content = json.loads((folder / "rows.json").read_text())
        self.max_patches, self.rows = content["max_patches"], content["rows"]
        self._patches = np.memmap(folder / "patches.bin", np.uint8, "r").reshape(-1, PATCH_PX, PATCH_PX, 3)
        self._globals = np.memmap(folder / "globals.bin", np.uint8, "r").reshape(-1, GLOBAL_PX, GLOBAL_PX, 3)

    def patches(self, row: dict) -> np.ndarray:
        """uint8 [count,PATCH_PX,PATCH_PX,3]."""
        return self._patches[row["first"]:row["first"] + row["count"]]

    def whole(self, row: dict) -> np.ndarray:
        """uint8 [1,GLOBAL_PX,GLOBAL_PX,3]."""
        return self._globals[row["index"]:row["index"] + 1]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=Path, required=True)
    parser.add_argument("--part", choices=["validation", "test"], required=True)
    parser.add_argument("--patches", type=int, default=16)
    parser.add_argument("--every", type=int, default=1, help="keep each n-th genuine picture: a quicker bank")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    pictures = [picture for picture in load_pictures(arguments.pictures) if picture.part == arguments.part]
    genuine = [picture for picture in pictures if not picture.is_ai]
    pictures = [picture for picture in pictures if picture.is_ai] + genuine[::arguments.every]
    write_bank(pictures, arguments.patches, arguments.out)


if __name__ == "__main__":
    main()
