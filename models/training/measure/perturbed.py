"""Measures recall and FPR of the balanced verdict on images that were changed as people change them, by level.

    python -m measure.perturbed --images IMAGES --sources CSV --split test [--most 800] [--levels clean web hard]
        --work FOLDER
    python -m measure.perturbed --images MATCHED --split matched --only "as it is" "resized to 1024 px"
        --levels clean web hard --work FOLDER

The changes are in data.perturbations and data.upscalers. Writes the changed images below FOLDER, scores them with the
engine in this checkout (`telltale models eval`, both detectors, thresholds of `models/bands.json`) and prints the table
in Markdown. The first row has the unchanged files. For a collage, another genuine image of the same split is placed
next to the image. TELLTALE_MODELS_DIR may name other models. The command resumes after an interruption. An image that
an encoder or the engine refuses is left out of the row.
"""

import csv
import json
import subprocess
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from tqdm import tqdm

from data.collect import file_name
from data.degrade import LEVELS
from data.images import read_image
from data.perturbations import PERTURBATIONS, Perturbation, collage
from data.split import MATCHED_FILE, ListedImage, load_images, read_csv
from data.upscalers import UPSCALED
from export.command import command_parser
from measure.domain_thresholds import Classified, apply_thresholds, either
from measure.metrics import rate_up
from measure.score_file import read_scores

CLI = Path(__file__).parents[3] / "dist/cli/main.js"
BANDS = Path(__file__).parents[2] / "bands.json"
AS_IT_IS, HALF = "as it is", "half of a collage"
ALL = (AS_IT_IS, *PERTURBATIONS, *UPSCALED, HALF)
DETECTORS = ("full_image_specialist", "face_specialist")


def mixed_order(images: list[ListedImage]) -> list[ListedImage]:
    """Orders images so that every source and generator appears once before any appears twice."""
    seen, ranked = Counter(), []
    for image in sorted(images, key=lambda image: image.sha256):
        cell = image.source, image.generator, image.is_ai
        ranked.append((seen[cell], image.sha256, image))
        seen[cell] += 1
    return [image for *_, image in sorted(ranked, key=lambda entry: entry[:2])]


def matched_images(folder: Path) -> list[ListedImage]:
    """Lists the images of MATCHED_FILE that are in `folder`, without rows that use only a crop of the file."""
    rows = [(folder / file_name(row), row) for row in read_csv(MATCHED_FILE) if not row["crop"]]
    return [
        ListedImage.of_row(path, row, "matched", generator=row["generator"]) for path, row in rows if path.is_file()
    ]


def perturbation_of(name: str, beside: ListedImage | None) -> Perturbation:
    """Returns the perturbation of a table row. Raises OSError if the second image of a collage can't be decoded."""
    return collage(read_image(beside.path)) if name == HALF else (PERTURBATIONS | UPSCALED)[name]


def write_perturbed(image: ListedImage, beside: ListedImage | None, name: str, path: Path) -> bool:
    """Writes the perturbed file. Returns False if the image can't be perturbed."""
    if path.is_file():
        return True
    seed = int(image.sha256[:12], 16)
    try:
        content = perturbation_of(name, beside)(read_image(image.path), np.random.default_rng(seed))
    except (OSError, ValueError):
        return False
    partial = path.with_suffix(".part")
    partial.write_bytes(content)
    partial.replace(path)
    return True


def write_list(images: list[tuple[Path, dict]], listed: Path) -> Path:
    """Writes the CSV list for `models eval` from files and rows of MATCHED_FILE."""
    with listed.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["path", "label", "source", "group", "kind", "content"])
        writer.writerows(
            [path.resolve(), *(row[name] for name in ("label", "repo", "generator", "kind", "content"))]
            for path, row in images
        )
    return listed


def make_list(images: list[ListedImage], name: str, folder: Path) -> Path:
    """Writes the perturbed files and their list below `folder`."""
    files = folder / "files"
    files.mkdir(parents=True, exist_ok=True)
    if name == AS_IT_IS:
        made = [(image, image.path) for image in images]
    else:
        genuine = [image for image in images if not image.is_ai]
        tasks = [
            (image, genuine[(index + 1) % len(genuine)], name, files / f"{image.sha256[:16]}.jpg")
            for index, image in enumerate(images)
        ]
        with ProcessPoolExecutor() as pool:
            bar = {"total": len(tasks), "desc": name, "unit": "file", "mininterval": 30}
            kept = list(tqdm(pool.map(write_perturbed, *zip(*tasks, strict=True), chunksize=8), **bar))
        made = [(task[0], task[3]) for task, is_kept in zip(tasks, kept, strict=True) if is_kept]
    return write_list([(path, image.row()) for image, path in made], folder / "list.csv")


def score(listed: Path, folder: Path, levels: tuple[str, ...]) -> None:
    """Writes score files of both detectors to `folder`. Raises CalledProcessError if the engine can't be started."""
    if all((folder / f"{detector}.csv").is_file() for detector in DETECTORS):
        return
    words = ["node", CLI, "models", "eval", listed, "--tiers", ",".join(levels)]
    words += ["--scores", folder, "--json", folder / "report.json"]
    done = subprocess.run(list(map(str, words)), stdout=subprocess.DEVNULL, check=False)
    if done.returncode not in (0, 1):
        raise subprocess.CalledProcessError(done.returncode, done.args)


def fired(folder: Path, profile: dict) -> Classified:
    """Reads the scores of full images. A row is flagged if either detector flags it."""
    return either(*(apply_thresholds(read_scores(folder / f"{name}.csv"), profile[name]) for name in DETECTORS))


def cell(rows: Classified) -> str:
    """Formats recall and FPR, each with the number of images."""
    ai, genuine = (rows.fires[rows.labels == label] for label in (1, 0))
    if not len(ai) or not len(genuine):
        return "none"
    return f"{ai.mean():.3f} of {len(ai)}, {rate_up(float(genuine.mean()), 3):.3f} of {len(genuine)}"


def main() -> None:
    parser = command_parser(__doc__, "images", "work")
    parser.add_argument("--sources", type=Path, help="sources.csv; the matched part needs none")
    parser.add_argument("--split", choices=("validation", "test", "matched"), required=True)
    parser.add_argument("--most", type=int, help="images, spread over sources and generators (default: all)")
    parser.add_argument("--only", choices=ALL, nargs="+", help="rows of the table (default: all)")
    parser.add_argument("--levels", choices=tuple(LEVELS), nargs="+", default=["clean"])
    parser.add_argument("--profile", default="balanced")
    args = parser.parse_args()
    if args.split == "matched":
        images = matched_images(args.images)
    elif args.sources:
        images = [image for image in load_images(args.images, args.sources) if image.split == args.split]
    else:
        parser.error("validation and test need --sources")
    images = mixed_order(images)[: args.most]
    profile = json.loads(BANDS.read_text())["profiles"][args.profile]
    print(f"| recall, FPR | {' | '.join(args.levels)} |\n|---|{'---|' * len(args.levels)}", flush=True)
    for name in args.only or ALL:
        folder = args.work / name.replace(" ", "-")
        score(make_list(images, name, folder), folder, tuple(args.levels))
        rows = fired(folder, profile)
        print(f"| {name} | {' | '.join(cell(rows.where(rows.level == level)) for level in args.levels)} |", flush=True)


if __name__ == "__main__":
    main()
