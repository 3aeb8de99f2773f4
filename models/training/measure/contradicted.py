"""Sheets of the pictures that the heads contradict most surely, to look at their labels again.

    python -m measure.contradicted --encoder ../encoder --features FEATURES [...] --sources found.csv --pictures PICTURES --out FOLDER [--most 150]

FEATURES are folders that `encoder.features` wrote, of any part. A picture's logit is the mean of its views' by the heads of their kinds. Writes for each label
sheets `ai-0.png`, ... of `--most` pictures, numbered, and `ai.csv` with the number, logit, repository and path of each. Who looks takes rows out of the list of
sources by hand; heads that were trained on a picture contradict it less, so that a wrong label among these lies deeper than it should.
"""

import argparse
import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from data.collect import file_name
from data.split import read_csv
from encoder.features import VIEW_KINDS, read_features
from encoder.heads import logits_of
from encoder.package import packaged_heads

ACROSS, DOWN = 10, 8
"""Thumbnails of a sheet."""
SIDE_PX, TEXT_PX = 150, 24


def mean_logits(lines: list[dict], values: np.ndarray, heads: dict) -> dict[str, float]:
    """Mean logit of each picture's views, by sha256; views of kinds without a head of their own are left out."""
    views, of_picture = np.array([line["view"] for line in lines]), defaultdict(list)
    for kind in VIEW_KINDS:
        rows = np.flatnonzero(views == kind.name)
        if len(rows) == 0:
            continue
        for row, logit in zip(rows, logits_of(heads[kind.name], values[rows])[:, 0], strict=True):
            of_picture[lines[row]["sha256"]].append(float(logit))
    return {sha256: float(np.mean(logits)) for sha256, logits in of_picture.items()}


def most_contradicted(rows: list[dict], logits: dict[str, float], label: str, most: int) -> list[dict]:
    """Rows of a label, those first whose logit speaks most for the other one."""
    sign = 1 if label == "ai" else -1
    return sorted((row for row in rows if row["label"] == label and row["sha256"] in logits), key=lambda row: sign * logits[row["sha256"]])[:most]


def draw_sheet(rows: list[dict], first: int, logits: dict[str, float], pictures: Path) -> Image.Image:
    """Thumbnails with number, logit, kind, owner and generator; an empty place where a file does not decode."""
    sheet = Image.new("RGB", (ACROSS * SIDE_PX, -(-len(rows) // ACROSS) * (SIDE_PX + TEXT_PX)), "white")
    pen = ImageDraw.Draw(sheet)
    for place, row in enumerate(rows):
        x, y = place % ACROSS * SIDE_PX, place // ACROSS * (SIDE_PX + TEXT_PX)
        try:
            thumbnail = Image.open(pictures / file_name(row)).convert("RGB")
        except OSError:
            continue
        thumbnail.thumbnail((SIDE_PX - 2, SIDE_PX - 2))
        sheet.paste(thumbnail, (x, y))
        pen.text((x, y + SIDE_PX - 1), f"{first + place} {logits[row['sha256']]:.1f} {row['kind'][:12]}", fill="black")
        pen.text((x, y + SIDE_PX + 10), f"{row['repo'].split('/')[0][:13]} {row['generator'][:9]}", fill="black")
    return sheet


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("encoder", "pictures", "out", "sources"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--features", type=Path, nargs="+", required=True)
    parser.add_argument("--most", type=int, default=150, help="of each label")
    arguments = parser.parse_args()
    rows, heads, logits = read_csv(arguments.sources), packaged_heads(arguments.encoder), {}
    for folder in arguments.features:
        logits |= mean_logits(*read_features(folder), heads)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for label in ("ai", "real"):
        chosen = most_contradicted(rows, logits, label, arguments.most)
        for sheet, first in enumerate(range(0, len(chosen), ACROSS * DOWN)):
            draw_sheet(chosen[first:first + ACROSS * DOWN], first, logits, arguments.pictures).save(arguments.out / f"{label}-{sheet}.png")
        with (arguments.out / f"{label}.csv").open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(["number", "logit", "repo", "path", "generator", "kind"])
            writer.writerows([number, f"{logits[row['sha256']]:.2f}", *(row[name] for name in ("repo", "path", "generator", "kind"))] for number, row in enumerate(chosen))
        print(f"{label}: {len(chosen)} of {sum(row['label'] == label and row['sha256'] in logits for row in rows)} scored pictures")


if __name__ == "__main__":
    main()
