"""What panels (full_image.panels) change: scores of pictures as the engine gives them, where one in the picture may speak for it.

    python -m full_image.panel_scores see --part test --pictures PICTURES --sources CSV --models .. --work SEEN.jsonl
    python -m full_image.panel_scores join --work SEEN.jsonl --scores full_image/run/test_scores.csv --models ..
    python -m full_image.panel_scores fit --models ..

`see` scores the panels of every picture of the part in every tier, each as a picture of its own; it goes on where it stopped, `--share K/N` divides the work. `join` puts
the score of a panel into the file where it lies higher above its threshold than the picture as a whole, and prints in how many pictures there are panels, and what the
balanced verdict finds without and with them. `fit` writes what the manifest holds of them, after measure.bands.
"""
import argparse
import csv
import json
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from data.degrade import TIERS, to_tier
from data.split import load_pictures
from encoder.features import open_picture
from encoder.reference_engine import ReferenceEngine
from encoder.tower import VIEW_PX
from full_image.panels import find_panels
from measure.medium_thresholds import MEDIUMS, log_odds, threshold_between
from measure.score_file import read_scores, write_scores

PROFILE = "balanced"
"""Whose thresholds say which panel speaks for a picture."""


def see_panels(models: ReferenceEngine, pixels: np.ndarray) -> dict:
    """Boxes of the panels of a picture, and of each its score and the probability that it is drawn."""
    boxes = find_panels(pixels)
    cuts = [np.ascontiguousarray(pixels[y:y + height, x:x + width]) for x, y, width, height in boxes]
    return {"boxes": boxes, "panels": [[round(value, 6) for value in models.full_image(cut)] for cut in cuts]}


def see(arguments: argparse.Namespace) -> None:
    """Appends a line a picture to the work file."""
    cv2.setNumThreads(1)
    share, shares = map(int, arguments.share.split("/"))
    models = ReferenceEngine(arguments.models)
    pictures = [picture for picture in load_pictures(arguments.pictures, arguments.sources) if picture.part == arguments.part][share::shares]
    arguments.work.touch()
    done = {json.loads(line)["sha256"] for line in arguments.work.read_text().splitlines()}
    with arguments.work.open("a") as stream:
        for picture in tqdm(pictures, unit="picture", mininterval=30):
            if picture.sha256 not in done and (pixels := open_picture(picture)) is not None:
                stream.write(json.dumps({"sha256": picture.sha256, **{tier: see_panels(models, to_tier(pixels, tier)) for tier in TIERS}}) + "\n")
                stream.flush()


def lead(score: float, drawn: float, drawn_odds: float) -> float:
    """How far a score lies above its threshold, but for what all share, in log odds; as the engine computes it."""
    return float(log_odds(score)) - drawn_odds * drawn


def read_panels(files: list[Path]) -> dict[str, dict]:
    """What `see` wrote of each picture, by its hash."""
    return {line["sha256"]: line for path in files for line in map(json.loads, path.read_text().splitlines())}


def speaker(whole: tuple[float, float], seen: list[list[float]], drawn_odds: float) -> int | None:
    """Which panel speaks for a picture; None where the whole does, whose score and probability of being drawn are given."""
    leads = [lead(*one, drawn_odds) for one in (whole, *seen)]
    first = int(np.argmax(leads))
    return first - 1 if first else None


def join(arguments: argparse.Namespace) -> None:
    """Rewrites the score file and prints the table."""
    panels = read_panels(arguments.work)
    odds = json.loads((arguments.models / "full_image_specialist/manifest.json").read_text())["panels"]["drawn_odds"]
    band = json.loads((arguments.models / "bands.json").read_text())["profiles"][PROFILE]["full_image_specialist"]
    before = read_scores(arguments.scores)
    with arguments.scores.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    has = np.zeros(len(rows), bool)
    for at, row in enumerate(rows):
        seen = panels[row["picture"]][row["tier"]]["panels"]
        has[at] = bool(seen)
        found = speaker((float(row["score"]), float(row["drawn"])), seen, odds)
        if found is not None:
            row["score"], row["drawn"] = (f"{value:.6f}" for value in seen[found])
    write_scores(arguments.scores, rows)
    after = read_scores(arguments.scores)
    fires = [scores.score >= threshold_between(*(band[medium]["threshold"] for medium in MEDIUMS), scores.drawn) for scores in (before, after)]
    print(f"| {PROFILE} verdict of the whole picture | {' | '.join(TIERS)} |\n|---|{'---|' * len(TIERS)}")
    for name, label in (("AI", 1), ("genuine", 0)):
        groups = [(before.labels == label) & (before.tier == tier) for tier in TIERS]
        for what, values in (("have panels", has), ("fire as wholes", fires[0]), ("fire by the whole or a panel", fires[1])):
            print(f"| {name} ({groups[0].sum()}): {what} | {' | '.join(f'{values[mine].mean():.4f}' for mine in groups)} |")


def fit(arguments: argparse.Namespace) -> None:
    """Writes the manifest's `panels`: their least side, and by how much the thresholds of drawn pictures lie higher."""
    path = arguments.models / "full_image_specialist/manifest.json"
    band = json.loads((arguments.models / "bands.json").read_text())["profiles"][PROFILE]["full_image_specialist"]
    photographed, drawn = (float(log_odds(band[medium]["threshold"])) for medium in MEDIUMS)
    manifest = json.loads(path.read_text()) | {"panels": {"least_px": VIEW_PX, "drawn_odds": round(drawn - photographed, 4)}}
    path.write_text(json.dumps(manifest, indent=2) + "\n")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    seeing, joining, fitting = (commands.add_parser(name) for name in ("see", "join", "fit"))
    for command, run in ((seeing, see), (joining, join), (fitting, fit)):
        command.add_argument("--models", type=Path, required=True)
        command.set_defaults(run=run)
    seeing.add_argument("--part", choices=("validation", "test"), required=True)
    for name in ("pictures", "sources", "work"):
        seeing.add_argument(f"--{name}", type=Path, required=True)
    seeing.add_argument("--share", default="0/1")
    joining.add_argument("--work", type=Path, nargs="+", required=True)
    joining.add_argument("--scores", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
