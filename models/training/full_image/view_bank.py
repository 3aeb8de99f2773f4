"""The views of validation or test pictures in each report tier, cut once, so that evaluating a network is one pass.

    python -m full_image.view_bank --pictures PICTURES --part validation --px 192 --patches 8 --out BANK
"""
import argparse
import json
from pathlib import Path

import numpy as np
from tqdm import tqdm

from data.degrade import TIERS, to_tier
from data.pictures import read_picture
from data.split import Picture, load_pictures
from full_image.patches import views_of


def write_bank(pictures: list[Picture], px: int, max_patches: int, out: Path) -> None:
    """Writes views.bin and rows.json: one row a picture and tier, with its first view and how many it has."""
    out.mkdir(parents=True, exist_ok=True)
    rows, first = [], 0
    with (out / "views.bin").open("wb") as stream:
        for picture in tqdm(pictures, unit="picture", mininterval=20):
            pixels = read_picture(picture.path)
            for tier in TIERS:
                views = views_of(to_tier(pixels, tier), px, max_patches)
                stream.write(views.tobytes())
                rows.append({"sha256": picture.sha256, "is_ai": picture.is_ai, "source": picture.source, "kind": picture.kind,
                             "generator": picture.generator, "content": picture.content, "format": picture.path.suffix[1:],
                             "tier": tier, "first": first, "count": len(views)})
                first += len(views)
    (out / "rows.json").write_text(json.dumps({"px": px, "max_patches": max_patches, "rows": rows}))


class ViewBank:
    """Read access to a bank: `rows`, and `views(row)` as uint8 [count,px,px,3], the last one global."""

    def __init__(self, folder: Path):
        content = json.loads((folder / "rows.json").read_text())
        self.px, self.max_patches, self.rows = content["px"], content["max_patches"], content["rows"]
        self._views = np.memmap(folder / "views.bin", np.uint8, "r").reshape(-1, self.px, self.px, 3)

    def views(self, row: dict) -> np.ndarray:
        """The views of a row."""
        return self._views[row["first"]:row["first"] + row["count"]]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=Path, required=True)
    parser.add_argument("--part", choices=["validation", "test"], required=True)
    parser.add_argument("--px", type=int, default=192)
    parser.add_argument("--patches", type=int, default=8)
    parser.add_argument("--every", type=int, default=1, help="keep each n-th genuine picture: a quicker bank")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    pictures = [picture for picture in load_pictures(arguments.pictures) if picture.part == arguments.part]
    genuine = [picture for picture in pictures if not picture.is_ai]
    pictures = [picture for picture in pictures if picture.is_ai] + genuine[::arguments.every]
    write_bank(pictures, arguments.px, arguments.patches, arguments.out)


if __name__ == "__main__":
    main()
