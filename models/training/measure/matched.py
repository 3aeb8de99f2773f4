"""AUC and recall where both classes show the same things: over sets that other people matched, and over pairs of like content. Tables in Markdown.

    python -m measure.matched --images IMAGES --clip clip_encoder.int8.onnx --work FOLDER [--sources sources.csv] [--tables sets pairs crops]

IMAGES is what `data.collect --csv data/matched.csv` wrote; with `--sources` it is what `data.collect` wrote of sources.csv and data/found.csv, and the test split of these is measured instead.
The engine of this checkout (`telltale models eval`, thresholds of `models/bands.json`) scores the images as they ship, aggregation, embedded images and faces included:

* sets: AUC, recall at 1% FPR and the verdict, by degradation level, over all images and by source;
* pairs: each AI image beside its ten nearest genuine ones by the image embedding of CLIP's last layer, which the detector does not use (`image_embeds` of the wheel's graph: README.md, step 3);
* crops: AUC of each crop type by itself, of all aggregated by the plan of five, and as shipped (clean level).

In brackets 95% intervals: sources are drawn with replacement, AI and genuine ones apart. Goes on where it stopped.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
from PIL import Image
from tqdm import tqdm

from data.collect import file_name
from data.degrade import LEVELS
from data.images import read_image
from data.mix import source_of
from data.split import MATCHED_FILE, load_images, read_csv
from encoder.backbone import CROP_PX, DEVIATION, MEAN
from encoder.crops import CropType, cut_crops
from encoder.reference_engine import ReferenceEngine
from export.session import open_session
from measure.domain_thresholds import Classified, apply_thresholds, either
from measure.metrics import auc, recall_at
from measure.perturbed import BANDS, DETECTORS, score, write_list
from measure.score_file import read_scores

MODELS = Path(__file__).parents[2]
NEAREST = 10
RATE = 0.01
RESAMPLES = 500
CROPS = {"whole": 1, "middle": 2, "native": 2}


def matched_images(folder: Path, work: Path) -> list[tuple[Path, dict]]:
    """Files of MATCHED_FILE that `folder` holds, with their rows. Where a row names a crop ("x y width height"), what lies outside it is no part of the image: cut, without loss, below `work`."""
    found = []
    for row in read_csv(MATCHED_FILE):
        path = folder / file_name(row)
        if not path.is_file():
            continue
        if row["crop"]:
            x, y, width, height = map(int, row["crop"].split())
            cropped = work / f"{path.stem}.png"
            if not cropped.is_file():
                Image.fromarray(read_image(path)[y:y + height, x:x + width]).save(cropped)
            path = cropped
        found.append((path, row))
    return found


def test_images(folder: Path, sources: Path) -> list[tuple[Path, dict]]:
    """Files of the test split that `folder` holds, with what a row of MATCHED_FILE has of them."""
    return [(image.path, {"label": "ai" if image.is_ai else "real", "repo": image.source, "generator": image.generator, "kind": image.kind,
                            "content": image.content, "sha256": image.sha256}) for image in load_images(folder, sources) if image.split == "test"]


def shipped(listed: Path, folder: Path, levels: tuple[str, ...]) -> Classified:
    """Rows by the engine, one an image and degradation level, `fires` where either detector does."""
    score(listed, folder, levels)
    profile = json.loads(BANDS.read_text())["profiles"]["balanced"]
    return either(*(apply_thresholds(read_scores(folder / f"{detector}.csv"), profile[detector]) for detector in DETECTORS))


def levels_of(rows: Classified) -> list[str]:
    """The levels that were scored."""
    return [level for level in LEVELS if (rows.level == level).any()]


def interval(rows: Classified, measure: Callable[[np.ndarray], float]) -> str:
    """A measure of weights, one a row, and its interval: a source that is drawn twice weighs twice."""
    rng = np.random.default_rng(1)
    sources = np.array([source_of(repository) for repository in rows.source])
    draws = []
    for _ in range(RESAMPLES):
        weights = np.zeros(len(sources))
        for label in (0, 1):
            names = np.unique(sources[rows.labels == label])
            counts = dict(zip(names, rng.multinomial(len(names), np.full(len(names), 1 / len(names))), strict=True))
            weights += [counts.get(source, 0) if mine else 0 for source, mine in zip(sources, rows.labels == label, strict=True)]
        draws.append(measure(weights))
    low, high = np.nanpercentile(draws, (2.5, 97.5))
    return f"{measure(np.ones(len(sources))):.3f} ({low:.3f} to {high:.3f})"


def repeated(rows: Classified, weights: np.ndarray) -> Classified:
    """Each row as often as it weighs."""
    return rows.where(np.repeat(np.arange(len(weights)), weights.astype(int)))


def share(rows: Classified, label: int) -> float:
    """Of rows of a class how many fire; nan without rows."""
    mine = rows.fires[rows.labels == label]
    return float(mine.mean()) if len(mine) else float("nan")


MEASURES: dict[str, Callable[[Classified], float]] = {
    "AUC": lambda rows: auc(rows.labels, rows.score), "recall at 1% FPR": lambda rows: recall_at(rows.labels, rows.score, RATE),
    "verdict: recall": lambda rows: share(rows, 1), "verdict: FPR": lambda rows: share(rows, 0)}


def print_sets(rows: Classified) -> None:
    """All images by level, then each source with both classes (clean)."""
    print(f"| level | AI, genuine | {' | '.join(MEASURES)} |\n|---|---|{'---|' * len(MEASURES)}")
    for level in levels_of(rows):
        mine = rows.where(rows.level == level)
        cells = [interval(mine, lambda weights, of=measure, mine=mine: of(repeated(mine, weights))) for measure in MEASURES.values()]
        print(f"| {level} | {(mine.labels == 1).sum()}, {(mine.labels == 0).sum()} | {' | '.join(cells)} |")
    print("\n| source (clean) | AI | genuine | AUC | AI detected | genuine flagged |\n|---|---|---|---|---|---|")
    clean = rows.where(rows.level == "clean")
    for source in np.unique(clean.source):
        mine = clean.where(clean.source == source)
        counts = [(mine.labels == label).sum() for label in (1, 0)]
        if all(counts):
            print(f"| {source} | {counts[0]} | {counts[1]} | {auc(mine.labels, mine.score):.3f} | {mine.fires[mine.labels == 1].sum()} | {mine.fires[mine.labels == 0].sum()} |")


def embed(paths: list[Path], clip: Path, cache: Path) -> np.ndarray:
    """float32 [N,512], of length 1: the middle square of each image, by the last layer of CLIP."""
    if not cache.is_file():
        session, found = open_session(clip), []
        for path in tqdm(paths, desc="CLIP", unit="image", mininterval=30):
            image = read_image(path)
            side = min(image.shape[:2])
            y, x = ((length - side) // 2 for length in image.shape[:2])
            square = cv2.resize(image[y:y + side, x:x + side], (CROP_PX, CROP_PX), interpolation=cv2.INTER_AREA)
            pixels = ((square / np.float32(255) - np.float32(MEAN)) / np.float32(DEVIATION)).transpose(2, 0, 1)[None].astype(np.float32)
            found.append(session.run(["image_embeds"], {session.get_inputs()[0].name: pixels})[0][0])
        np.save(cache, np.stack(found))
    values = np.load(cache)
    return values / np.linalg.norm(values, axis=1, keepdims=True)


def nearest_genuine(embeddings: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs as (row of an AI image, row of a genuine one): of each AI image the NEAREST genuine ones."""
    ai, genuine = np.flatnonzero(labels == 1), np.flatnonzero(labels == 0)
    order = np.argsort(-(embeddings[ai] @ embeddings[genuine].T), axis=1, kind="stable")[:, :NEAREST]
    return np.repeat(ai, order.shape[1]), genuine[order.ravel()]


def pair_measures(rows: Classified, ai: np.ndarray, genuine: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """AUC over the pairs (ties count half), and the share of their AI images above the threshold that 1% of their genuine sides reach; pairs weigh by both sides."""
    of_pairs = weights[ai] * weights[genuine]
    if not of_pairs.sum():
        return float("nan"), float("nan")
    first, second = rows.score[ai], rows.score[genuine]
    order = np.argsort(-second, kind="stable")
    over = np.flatnonzero(np.cumsum(of_pairs[order]) > RATE * of_pairs.sum())
    threshold = np.nextafter(second[order[over[0]]], np.inf)
    return (float(of_pairs @ ((first > second) + 0.5 * (first == second)) / of_pairs.sum()), float(of_pairs @ (first >= threshold) / of_pairs.sum()))


def print_pairs(rows: Classified, embeddings: np.ndarray) -> None:
    """A row a level; `embeddings` in the order of the images of one level."""
    print(f"\n| pairs with the {NEAREST} nearest genuine images | pairs | AUC | recall at 1% FPR |\n|---|---|---|---|")
    for level in levels_of(rows):
        mine = rows.where(rows.level == level)
        ai, genuine = nearest_genuine(embeddings, mine.labels)
        cells = [interval(mine, lambda weights, at=at, mine=mine, ai=ai, genuine=genuine: pair_measures(mine, ai, genuine, weights)[at]) for at in (0, 1)]
        print(f"| {level} | {len(ai)} | {' | '.join(cells)} |")


def crop_logits(paths: list[Path], cache: Path) -> dict[str, np.ndarray]:
    """Of each crop type the mean logit of an image, and the log odds of the plan of five, float [N]."""
    if not cache.is_file():
        models, found = ReferenceEngine(MODELS), {name: [] for name in (*CROPS, "plan of five")}
        sides = {name: kind["short_side_px"] for name, kind in json.loads((MODELS / "full_image_specialist/manifest.json").read_text())["kinds"].items()}
        for path in tqdm(paths, desc="crops", unit="image", mininterval=30):
            pixels = read_image(path)
            for name, count in CROPS.items():
                crops = cut_crops(pixels, CropType(name, sides[name], count))
                found[name].append(float(np.mean([models.logits(crop)[name] for crop in crops])))
            found["plan of five"].append(models.full_image(pixels, 5)[0])
        np.savez(cache, **found)
    with np.load(cache) as stored:
        return {name: stored[name] for name in stored.files}


def print_crops(rows: Classified, logits: dict[str, np.ndarray]) -> None:
    """A column a crop type."""
    clean = rows.where(rows.level == "clean")
    columns = logits | {"as shipped": clean.score}
    cells = [interval(clean, lambda weights, values=values: auc(np.repeat(clean.labels, weights.astype(int)), np.repeat(values, weights.astype(int)))) for values in columns.values()]
    print(f"\n| AUC (clean) | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}\n| {(clean.labels == 1).sum()} AI, {(clean.labels == 0).sum()} genuine | {' | '.join(cells)} |")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("images", "work"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--clip", type=Path, help="the wheel's graph with all twelve blocks; pairs need it")
    parser.add_argument("--sources", type=Path, help="sources.csv: measure the test split instead of the matched sets")
    parser.add_argument("--tables", nargs="+", choices=("sets", "pairs", "crops"), default=("sets", "pairs", "crops"))
    parser.add_argument("--levels", nargs="+", choices=tuple(LEVELS), default=tuple(LEVELS), help="clean is one of them: each level takes as long as the next")
    arguments = parser.parse_args()
    if "clean" not in arguments.levels:
        parser.error("--levels has no clean, which the tables of sources and crops are of")
    if "pairs" in arguments.tables and arguments.clip is None:
        parser.error("pairs need --clip")
    arguments.work.mkdir(parents=True, exist_ok=True)
    images = test_images(arguments.images, arguments.sources) if arguments.sources else matched_images(arguments.images, arguments.work)
    if not images:
        parser.error(f"no listed image in {arguments.images}: data.collect writes them there")
    rows = shipped(write_list(images, arguments.work / "list.csv"), arguments.work, tuple(arguments.levels))
    order = {str(path.resolve()): at for at, (path, _) in enumerate(images)}
    paths = [path for path, _ in images]
    rows = rows.where(np.argsort([order[image] for image in rows.image], kind="stable"))
    kept = np.array([order[image] for image in rows.image[rows.level == "clean"]])
    if "sets" in arguments.tables:
        print_sets(rows)
    if "pairs" in arguments.tables:
        print_pairs(rows, embed(paths, arguments.clip, arguments.work / "clip.npy")[kept])
    if "crops" in arguments.tables:
        print_crops(rows, {name: values[kept] for name, values in crop_logits(paths, arguments.work / "crops.npz").items()})


if __name__ == "__main__":
    main()
