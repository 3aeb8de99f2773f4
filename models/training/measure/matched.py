"""Measures detectors on images whose AI and genuine images show the same things, and prints tables in Markdown.

    python -m measure.matched
    python -m measure.matched --images IMAGES --work FOLDER [--clip clip_encoder.int8.onnx] [--keep]
        [--sources sources.csv] [--levels clean web hard] [--tables sets pairs crops]

Without `--images` the tables are made from stored files: `run/matched_scores.csv` of both specialists,
`full_image/run/matched_pairs.csv` and `matched_crops.csv`, which `--keep` writes. IMAGES is the output of `data.collect
--csv data/matched.csv`. With `--sources` it is the output for sources.csv and data/found.csv, and their test split is
measured instead. The engine in this checkout scores the images as in the product (`telltale models eval`, thresholds of
`models/bands.json`), with all crops, embedded images and faces. There are three tables:

* sets: AUC, recall at 1% FPR and the verdict, by degradation level, over all images and by source;
* pairs: each AI image compared with its ten nearest genuine images by the image embedding of CLIP's last layer, which the
detector does not use (`image_embeds` of the wheel's graph: README.md, step 3);
* crops: AUC of each crop type alone, of the plan of five, and as shipped (level none).

Brackets hold 95% intervals over draws of sources with replacement, AI and genuine sources separately. The command
resumes. In: image files. Out: scores 0..1, logits (log odds), shares 0..1.
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image
from tqdm import tqdm

from data.collect import file_name, write_csv
from data.degrade import LEVEL_NAMES, LEVELS
from data.images import read_image
from data.split import MATCHED_FILE, load_images, read_csv
from encoder.crops import CropType, cut_crops
from encoder.reference_engine import ReferenceEngine
from export.command import command_parser
from measure.cells import at_one_percent, measure_cell
from measure.domain_thresholds import Classified, apply_thresholds, either, log_odds
from measure.metrics import auc
from measure.pairs import SHORT, embed, levels_of, nearest_genuine, pair_lines
from measure.perturbed import BANDS, DETECTORS, score, write_list
from measure.score_file import COLUMNS, Scores, read_scores, write_scores

MODELS = Path(__file__).parents[2]
RUNS = {
    "full_image_specialist": Path(__file__).parents[1] / "full_image/run",
    "face_specialist": Path(__file__).parents[1] / "face_specialist/run",
}
PAIRS_FILE, CROPS_FILE = (RUNS["full_image_specialist"] / name for name in ("matched_pairs.csv", "matched_crops.csv"))
CROPS = {"whole": 1, "middle": 2, "native": 2}


def matched_images(folder: Path, work: Path) -> list[tuple[Path, dict]]:
    """Lists the files of MATCHED_FILE that are in `folder`, with their rows.

    If a row has a crop ("x y width height"), the crop is written below `work` without loss and replaces the file.
    """
    found = []
    for row in read_csv(MATCHED_FILE):
        path = folder / file_name(row)
        if not path.is_file():
            continue
        if row["crop"]:
            x, y, width, height = map(int, row["crop"].split())
            cropped = work / f"{path.stem}.png"
            if not cropped.is_file():
                Image.fromarray(read_image(path)[y : y + height, x : x + width]).save(cropped)
            path = cropped
        found.append((path, row))
    return found


def test_images(folder: Path, sources: Path) -> list[tuple[Path, dict]]:
    """Lists the files of the test split that are in `folder`, with the columns of MATCHED_FILE."""
    images = [image for image in load_images(folder, sources) if image.split == "test"]
    return [(image.path, image.row()) for image in images]


def engine_scores(images: list[tuple[Path, dict]], folder: Path, levels: tuple[str, ...]) -> dict[str, Scores]:
    """Scores images with the engine. Returns the rows of both detectors, one for each image and level.

    The column `image` has the SHA-256 of the image in its list.
    """
    score(write_list(images, folder / "list.csv"), folder, levels)
    digests = {str(path.resolve()): row["sha256"] for path, row in images}
    rows = {detector: read_scores(folder / f"{detector}.csv") for detector in DETECTORS}
    return {
        detector: replace(each, image=np.array([digests[path] for path in each.image]))
        for detector, each in rows.items()
    }


def verdicts(scores: dict[str, Scores]) -> Classified:
    """Combines both detectors: a full image is flagged if either detector flags it."""
    profile = json.loads(BANDS.read_text())["profiles"]["balanced"]
    return either(*(apply_thresholds(scores[detector], profile[detector]) for detector in DETECTORS))


def keep_scores(scores: dict[str, Scores]) -> None:
    """Writes the score files that are stored in the repository."""
    for detector, rows in scores.items():
        named = replace(rows, labels=np.where(rows.labels == 1, "ai", "real"))
        kept = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*vars(named).values(), strict=True)]
        write_scores(RUNS[detector] / "matched_scores.csv", kept)


def share(rows: Classified, label: int) -> float:
    """Computes the flagged share of the images with this label, or nan without such images."""
    mine = rows.fires[rows.labels == label]
    return float(mine.mean()) if len(mine) else float("nan")


MEASURES: dict[str, Callable[[Classified], float]] = {
    "AUC": lambda rows: auc(rows.labels, rows.score),
    "recall at 1% FPR": lambda rows: at_one_percent(rows.labels, rows.score),
    "verdict: recall": lambda rows: share(rows, 1),
    "verdict: FPR": lambda rows: share(rows, 0),
}


def print_sets(rows: Classified) -> None:
    """Prints the results for all images by level, then for each source with both classes (level none)."""
    print(f"| level | AI, genuine | {' | '.join(MEASURES)} |\n|---|---|{'---|' * len(MEASURES)}")
    for level in levels_of(rows):
        mine = rows.where(rows.level == level)
        cells = [measure_cell(mine, lambda index, of=of, mine=mine: of(mine.where(index))) for of in MEASURES.values()]
        counts = f"{(mine.labels == 1).sum()}, {(mine.labels == 0).sum()}"
        print(f"| {LEVEL_NAMES[level]} | {counts} | {' | '.join(cells)} |")
    print("\n| source (level none) | AI | genuine | AUC | AI detected | genuine flagged |\n|---|---|---|---|---|---|")
    clean = rows.where(rows.level == "clean")
    for source in np.unique(clean.source):
        mine = clean.where(clean.source == source)
        counts = [(mine.labels == label).sum() for label in (1, 0)]
        if all(counts):
            print(
                f"| {source} | {counts[0]} | {counts[1]} | {auc(mine.labels, mine.score):.3f} | {mine.fires[mine.labels == 1].sum()} | {mine.fires[mine.labels == 0].sum()} |"
            )


def crop_logits(images: list[tuple[Path, dict]], cache: Path) -> list[dict]:
    """Computes for each image the mean logit of each crop type and the log odds by the plan of five crops.

    `cache` gets a line for each image.
    """
    cache.touch()
    found = {line["image"]: line for line in map(json.loads, cache.read_text().splitlines())}
    models = ReferenceEngine(MODELS)
    kinds = json.loads((MODELS / "full_image_specialist/manifest.json").read_text())["kinds"]
    types = [CropType(name, kinds[name]["short_side_px"], count) for name, count in CROPS.items()]
    with cache.open("a") as stream:
        for path, row in tqdm(images, desc="crops", unit="image", mininterval=30):
            if row["sha256"] in found:
                continue
            pixels = read_image(path)
            mean = lambda cut, pixels=pixels: np.mean(
                [models.logits(crop)[cut.name] for crop in cut_crops(pixels, cut)]
            )
            logits = {cut.name: float(mean(cut)) for cut in types}
            logits["plan of five"] = float(log_odds(models.full_image(pixels, 5)[0]))
            found[row["sha256"]] = {"image": row["sha256"], **logits}
            stream.write(json.dumps(found[row["sha256"]]) + "\n")
            stream.flush()
    return [found[row["sha256"]] for _, row in images]


def crop_lines(rows: Classified, logits: list[dict]) -> list[str]:
    """Makes a table with a column for each crop type, for the images in `logits` at level none."""
    at = {line["image"]: line for line in logits}
    clean = rows.where((rows.level == "clean") & np.isin(rows.image, list(at)))
    names = (*CROPS, "plan of five")
    columns = {name: np.array([float(at[image][name]) for image in clean.image]) for name in names}
    columns["as shipped"] = clean.score
    of = lambda values: lambda index: auc(clean.labels[index], values[index])
    cells = [measure_cell(clean, of(values)) for values in columns.values()]
    return [
        f"| AUC, level none | {' | '.join(columns)} |",
        f"|---|{'---|' * len(columns)}",
        f"| {(clean.labels == 1).sum()} AI, {(clean.labels == 0).sum()} genuine | {' | '.join(cells)} |",
    ]


def kept_lines(rows: Classified) -> list[str]:
    """Makes the tables of pairs and of crops from the stored files that exist."""
    listed = [(row["image"], row["genuine"]) for row in read_csv(PAIRS_FILE)] if PAIRS_FILE.is_file() else []
    pairs = pair_lines(rows, listed) if listed else []
    return [*pairs, "", *crop_lines(rows, read_csv(CROPS_FILE))] if CROPS_FILE.is_file() else pairs


def measure(args: argparse.Namespace) -> None:
    """Scores the images and prints the tables. With --keep, also writes the files from which the tables can be made."""
    images = test_images(args.images, args.sources) if args.sources else matched_images(args.images, args.work)
    if not images:
        raise SystemExit(f"no listed image in {args.images}: data.collect writes them there")
    scores = engine_scores(images, args.work, tuple(args.levels))
    rows = verdicts(scores)
    if args.keep:
        keep_scores(scores)
    if "sets" in args.tables:
        print_sets(rows)
    if "pairs" in args.tables:
        embeddings = embed([path for path, _ in images], args.clip, args.work / "clip")
        is_ai = np.array([row["label"] == "ai" for _, row in images])
        short = [row["sha256"][:SHORT] for _, row in images]
        pairs = [(short[one], short[other]) for one, other in zip(*nearest_genuine(embeddings, is_ai), strict=True)]
        if args.keep:
            write_csv(PAIRS_FILE, [{"image": one, "genuine": other} for one, other in pairs])
        print("", *pair_lines(rows, pairs), sep="\n")
    if "crops" in args.tables:
        logits = crop_logits(images, args.work / "crops.jsonl")
        if args.keep:
            write_csv(
                CROPS_FILE,
                [
                    {name: value if name == "image" else round(value, 5) for name, value in line.items()}
                    for line in logits
                ],
            )
        print("", *crop_lines(rows, logits), sep="\n")


def print_kept() -> None:
    """Prints the tables from the stored files."""
    rows = verdicts({detector: read_scores(folder / "matched_scores.csv") for detector, folder in RUNS.items()})
    print_sets(rows)
    print("", *kept_lines(rows), sep="\n")


def main() -> None:
    parser = command_parser(__doc__)
    parser.add_argument("--images", type=Path, help="default: print what is kept")
    parser.add_argument("--work", type=Path, help="with --images: a folder for what was computed already")
    parser.add_argument("--clip", type=Path, help="with --images: the wheel's graph of twelve blocks; pairs need it")
    parser.add_argument("--keep", action="store_true", help="with --images: write the kept files")
    parser.add_argument("--sources", type=Path, help="sources.csv: measure the test split instead of the matched sets")
    parser.add_argument("--tables", nargs="+", choices=("sets", "pairs", "crops"), default=["sets", "pairs", "crops"])
    parser.add_argument(
        "--levels",
        nargs="+",
        choices=tuple(LEVELS),
        default=tuple(LEVELS),
        help="clean is one of them: each level takes as long as the next",
    )
    args = parser.parse_args()
    if "clean" not in args.levels:
        parser.error("--levels has no clean, which the tables of sources and crops are of")
    if args.images is None:
        return print_kept()
    if args.work is None or ("pairs" in args.tables and args.clip is None):
        parser.error("--images needs --work, and pairs need --clip")
    if args.keep and args.sources:
        parser.error("--keep is for the matched sets")
    args.work.mkdir(parents=True, exist_ok=True)
    return measure(args)


if __name__ == "__main__":
    main()
