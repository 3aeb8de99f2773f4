"""Adds embedded images, such as the parts of a collage, to score files: like in the engine, one may set the score.

    python -m full_image.embedded_image_scores see --split test --images IMAGES --sources CSV --models .. --work SEEN.jsonl
    python -m full_image.embedded_image_scores apply --work SEEN.jsonl --scores full_image/run/test_scores.csv --models ..
    python -m full_image.embedded_image_scores fit --models ..

`see` scores the embedded images (full_image.embedded_images) of every image of the split at every degradation level,
each as a separate image. It resumes after an interruption, and `--share K/N` divides the work between processes.
`apply` writes the score of an embedded image into the score file if it is further above its threshold than the score of
the whole image. It prints how many images have embedded images, and the balanced verdicts without and with them. `fit`
writes the part of the manifest about embedded images. Run it after measure.bands.
"""

import argparse
import csv
import json
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from data.degrade import LEVELS, to_level
from data.split import load_images
from encoder.backbone import CROP_PX
from encoder.features import open_image
from encoder.reference_engine import ReferenceEngine
from export.command import command_parser
from full_image.embedded_images import find_embedded_images
from measure.domain_thresholds import DOMAINS, log_odds, threshold_between
from measure.score_file import read_scores, write_scores

PROFILE = "balanced"
"""Profile whose thresholds decide which embedded image sets the score."""


def see_embedded_images(models: ReferenceEngine, pixels: np.ndarray) -> dict:
    """Scores the embedded images of an image. Returns their boxes, scores and probabilities of an illustration."""
    boxes = find_embedded_images(pixels)
    cuts = [np.ascontiguousarray(pixels[y : y + height, x : x + width]) for x, y, width, height in boxes]
    return {"boxes": boxes, "panels": [[round(value, 6) for value in models.full_image(cut)] for cut in cuts]}


def see(args: argparse.Namespace) -> None:
    """Appends one line per image to the work file."""
    cv2.setNumThreads(1)
    share, shares = map(int, args.share.split("/"))
    models = ReferenceEngine(args.models)
    images = [image for image in load_images(args.images, args.sources) if image.split == args.split][share::shares]
    args.work.touch()
    done = {json.loads(line)["sha256"] for line in args.work.read_text().splitlines()}
    with args.work.open("a") as stream:
        for image in tqdm(images, unit="image", mininterval=30):
            if image.sha256 not in done and (pixels := open_image(image)) is not None:
                seen = {level: see_embedded_images(models, to_level(pixels, level)) for level in LEVELS}
                stream.write(json.dumps({"sha256": image.sha256, **seen}) + "\n")
                stream.flush()


def margin(score: float, illustration: float, illustration_odds: float) -> float:
    """Returns how far a score is above its threshold in log odds, as the engine computes it.

    The part that is equal for all images is left out.
    """
    return float(log_odds(score)) - illustration_odds * illustration


def read_embedded_images(files: list[Path]) -> dict[str, dict]:
    """Reads the lines that `see` wrote, by the digest of the image."""
    return {line["sha256"]: line for path in files for line in map(json.loads, path.read_text().splitlines())}


def deciding_image(whole: tuple[float, float], seen: list[list[float]], illustration_odds: float) -> int | None:
    """Returns the index of the embedded image that sets the score, or None if the whole image does.

    `whole` has the score and the probability of an illustration of the whole image.
    """
    margins = [margin(*one, illustration_odds) for one in (whole, *seen)]
    first = int(np.argmax(margins))
    return first - 1 if first else None


def apply(args: argparse.Namespace) -> None:
    """Rewrites the score file and prints the table of balanced verdicts."""
    embedded_images = read_embedded_images(args.work)
    odds = json.loads((args.models / "full_image_specialist/manifest.json").read_text())["panels"]["drawn_odds"]
    band = json.loads((args.models / "bands.json").read_text())["profiles"][PROFILE]["full_image_specialist"]
    before = read_scores(args.scores)
    with args.scores.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    has = np.zeros(len(rows), bool)
    for at, row in enumerate(rows):
        seen = embedded_images[row["picture"]][row["tier"]]["panels"]
        has[at] = bool(seen)
        found = deciding_image((float(row["score"]), float(row["drawn"])), seen, odds)
        if found is not None:
            row["score"], row["drawn"] = (f"{value:.6f}" for value in seen[found])
    write_scores(args.scores, rows)
    after = read_scores(args.scores)
    fires = [
        scores.score >= threshold_between(*(band[domain]["threshold"] for domain in DOMAINS), scores.illustration)
        for scores in (before, after)
    ]
    print(f"| {PROFILE} verdict of the whole image | {' | '.join(LEVELS)} |\n|---|{'---|' * len(LEVELS)}")
    for name, label in (("AI", 1), ("genuine", 0)):
        groups = [(before.labels == label) & (before.level == level) for level in LEVELS]
        for what, values in (
            ("have embedded images", has),
            ("fire as wholes", fires[0]),
            ("fire by the whole or an embedded image", fires[1]),
        ):
            print(
                f"| {name} ({groups[0].sum()}): {what} | {' | '.join(f'{values[mine].mean():.4f}' for mine in groups)} |"
            )


def fit(args: argparse.Namespace) -> None:
    """Writes the field `panels` of the manifest: the minimum side, and the higher thresholds of illustrations."""
    path = args.models / "full_image_specialist/manifest.json"
    band = json.loads((args.models / "bands.json").read_text())["profiles"][PROFILE]["full_image_specialist"]
    photograph, illustration = (float(log_odds(band[domain]["threshold"])) for domain in DOMAINS)
    manifest = json.loads(path.read_text()) | {
        "panels": {"least_px": CROP_PX, "drawn_odds": round(illustration - photograph, 4)}
    }
    path.write_text(json.dumps(manifest, indent=2) + "\n")


def main() -> None:
    parser = command_parser(__doc__)
    commands = parser.add_subparsers(required=True)
    seeing, applying, fitting = (commands.add_parser(name) for name in ("see", "apply", "fit"))
    for command, run in ((seeing, see), (applying, apply), (fitting, fit)):
        command.add_argument("--models", type=Path, required=True)
        command.set_defaults(run=run)
    seeing.add_argument("--split", choices=("validation", "test"), required=True)
    for name in ("images", "sources", "work"):
        seeing.add_argument(f"--{name}", type=Path, required=True)
    seeing.add_argument("--share", default="0/1")
    applying.add_argument("--work", type=Path, nargs="+", required=True)
    applying.add_argument("--scores", type=Path, required=True)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
