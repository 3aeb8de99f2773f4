"""What the balanced verdict still finds, and accuses, after what people do to a picture: a table in Markdown.

    python -m measure.treated --pictures PICTURES --sources CSV --part test [--most 800] --work FOLDER

Writes the pictures of the part, treated (`data.treatments`), below FOLDER, has the shipped engine score them (`telltale models eval` of this checkout, both
detectors, thresholds of `models/bands.json`) and prints how many fire. The first row is of the files as they are. A half of a collage has a genuine picture of the same part
beside it. TELLTALE_MODELS_DIR may name other models, such as the same without panels (`panels.least_px` 4096). Goes on where it stopped; a picture that an encoder or the engine refuses is left out of its row.
"""
import argparse
import csv
import json
import subprocess
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from tqdm import tqdm

from data.pictures import read_picture
from data.split import Picture, load_pictures
from data.treatments import TREATMENTS, Treatment, collage
from data.upscalers import UPSCALED
from measure.medium_thresholds import apply_thresholds
from measure.metrics import rate_up
from measure.compare import mixed_order
from measure.score_file import read_scores

CLI = Path(__file__).parents[3] / "dist/cli/main.js"
BANDS = Path(__file__).parents[2] / "bands.json"
AS_IT_IS, HALF = "as it is", "half of a collage"
ALL = (AS_IT_IS, *TREATMENTS, *UPSCALED, HALF)
DETECTORS = ("full_image_specialist", "face_specialist")


def treatment_of(name: str, beside: Picture | None) -> Treatment:
    """The function of a row of the table. Raises OSError where the picture beside does not decode."""
    return collage(read_picture(beside.path)) if name == HALF else (TREATMENTS | UPSCALED)[name]


def write_treated(picture: Picture, beside: Picture | None, name: str, path: Path) -> bool:
    """Writes the file that would arrive; False where the picture can't be treated."""
    if path.is_file():
        return True
    seed = int(picture.sha256[:12], 16)
    try:
        content = treatment_of(name, beside)(read_picture(picture.path), np.random.default_rng(seed))
    except (OSError, ValueError):
        return False
    partial = path.with_suffix(".part")
    partial.write_bytes(content)
    partial.replace(path)
    return True


def make_list(pictures: list[Picture], name: str, folder: Path) -> Path:
    """The treated files and the CSV that `models eval` takes, below `folder`."""
    files = folder / "files"
    files.mkdir(parents=True, exist_ok=True)
    if name == AS_IT_IS:
        made = [(picture, picture.path.resolve()) for picture in pictures]
    else:
        genuine = [picture for picture in pictures if not picture.is_ai]
        tasks = [(picture, genuine[(index + 1) % len(genuine)], name, files / f"{picture.sha256[:16]}.jpg") for index, picture in enumerate(pictures)]
        with ProcessPoolExecutor() as pool:
            kept = list(tqdm(pool.map(write_treated, *zip(*tasks, strict=True), chunksize=8), total=len(tasks), desc=name, unit="file", mininterval=30))
        made = [(task[0], task[3].resolve()) for task, is_kept in zip(tasks, kept, strict=True) if is_kept]
    listed = folder / "list.csv"
    with listed.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["path", "label", "source", "group", "kind", "content"])
        writer.writerows([path, "ai" if p.is_ai else "real", p.source, p.generator, p.kind, p.content] for p, path in made)
    return listed


def score(listed: Path, folder: Path) -> None:
    """Score files of both detectors in `folder`. Raises CalledProcessError where the engine can't be started."""
    if all((folder / f"{detector}.csv").is_file() for detector in DETECTORS):
        return
    done = subprocess.run(["node", str(CLI), "models", "eval", str(listed), "--tiers", "clean", "--scores", str(folder), "--json", str(folder / "report.json")],
                          stdout=subprocess.DEVNULL, check=False)
    if done.returncode not in (0, 1):
        raise subprocess.CalledProcessError(done.returncode, done.args)


def fired(folder: Path, profile: dict) -> tuple[dict[str, bool], dict[str, bool]]:
    """Whether each AI picture, and each genuine one, fires by either detector; by path."""
    verdicts: tuple[dict[str, bool], dict[str, bool]] = {}, {}
    for detector in DETECTORS:
        classified = apply_thresholds(read_scores(folder / f"{detector}.csv"), profile[detector])
        for path, label, fires in zip(classified.picture, classified.labels, classified.fires, strict=True):
            of_class = verdicts[1 - label]
            of_class[path] = of_class.get(path, False) or bool(fires)
    return verdicts


def cell(verdicts: list[bool], rounded: Callable[[float], float]) -> str:
    """The share that fires, and of how many."""
    return f"{rounded(np.mean(verdicts)):.3f} of {len(verdicts)}" if verdicts else "none"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("pictures", "sources", "work"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--part", choices=("validation", "test"), required=True)
    parser.add_argument("--most", type=int, help="pictures, one of each source and generator before any has two (default: all)")
    parser.add_argument("--only", choices=ALL, nargs="+", help="rows of the table (default: all)")
    parser.add_argument("--profile", default="balanced")
    arguments = parser.parse_args()
    pictures = [picture for picture in load_pictures(arguments.pictures, arguments.sources) if picture.part == arguments.part]
    pictures = mixed_order(pictures)[:arguments.most]
    profile = json.loads(BANDS.read_text())["profiles"][arguments.profile]
    print(f"| | AI pictures found | genuine ones accused |\n|---|---|---|", flush=True)
    for name in arguments.only or ALL:
        folder = arguments.work / name.replace(" ", "-")
        score(make_list(pictures, name, folder), folder)
        found, accused = (list(of_class.values()) for of_class in fired(folder, profile))
        print(f"| {name} | {cell(found, lambda share: share)} | {cell(accused, lambda share: rate_up(share, 3))} |", flush=True)


if __name__ == "__main__":
    main()
