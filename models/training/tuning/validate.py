"""Compares heads or encoders on validation packs: AUC and recall at 1% and 5% FPR by the released crop plan.

    python -m tuning.validate --packs VALIDATION MATCHED --heads ../encoder NEW.npz [MORE.npz ...]
    python -m tuning.validate --packs VALIDATION MATCHED --heads ../encoder --encoders NEW [MORE ...]

Prints a table for each pack of `tuning.pack`. Heads are scored on the pack's stored features. Each of `--encoders`, an
encoder's folder, computes its own features from the crops in the pack. The first heads are the reference. Below each
other row are its differences to the reference, with 95% intervals over sources. This command sets no threshold.
"""

import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from data.mix import source_of
from encoder.export import FoldedHead
from encoder.features import FEATURES, feature_session, open_backbone, read_features
from encoder.heads import logits_of
from encoder.package import heads_of
from export.command import command_parser
from full_image.train import CROPS_OF
from measure.metrics import auc, recall_at, source_bootstrap
from tuning.pack import map_crops

MANIFEST = Path(__file__).parents[2] / "full_image_specialist/manifest.json"
MEASURES: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "AUC": auc,
    "recall at 1% FPR": lambda labels, scores: recall_at(labels, scores, 0.01),
    "recall at 5% FPR": lambda labels, scores: recall_at(labels, scores, 0.05),
}


@dataclass(frozen=True)
class Images:
    """Scores (log odds), labels and sources of images, as arrays of equal length."""

    labels: np.ndarray
    sources: np.ndarray
    scores: np.ndarray


def plan_of(crops: int) -> dict:
    """Reads the plan of `crops` crops from the manifest."""
    return next(plan for plan in json.loads(MANIFEST.read_text())["plans"] if plan["views"] == crops)


def planned_rows(lines: list[dict], plan: dict) -> list[int]:
    """Lists the rows of a pack that the plan uses: the first crops of each type of each image."""
    taken: dict[tuple, int] = defaultdict(int)
    rows = []
    for row, line in enumerate(lines):
        taken[line["sha256"], line["crop"]] += 1
        if taken[line["sha256"], line["crop"]] <= plan["kinds"].get(line["crop"], {"count": 0})["count"]:
            rows.append(row)
    return rows


def aggregate(lines: list[dict], logits: np.ndarray, plan: dict) -> Images:
    """Combines the logits [rows] of the crops of a plan into the scores of their images."""
    seen: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    facts = {}
    for line, logit in zip(lines, logits, strict=True):
        seen[line["sha256"]][line["crop"]].append(float(logit))
        facts[line["sha256"]] = line
    scores = [
        plan["bias"] + sum(share["weight"] * np.mean(by_type[name]) for name, share in plan["kinds"].items())
        for by_type in seen.values()
    ]
    of = [facts[image] for image in seen]
    return Images(
        np.array([line["is_ai"] for line in of]).astype(int),
        np.array([source_of(line["source"]) for line in of]),
        np.array(scores),
    )


def head_logits(lines: list[dict], features: np.ndarray, heads: dict[str, FoldedHead]) -> np.ndarray:
    """Computes the logit of each row by the head of its crop type, float [rows]."""
    logits = np.zeros(len(lines))
    types = np.array([line["crop"] for line in lines])
    for column in CROPS_OF:
        mine = np.flatnonzero(types == column)
        logits[mine] = logits_of(heads[column], features[mine])[:, 0]
    return logits


def features_by(encoder: Path, crops: np.ndarray) -> np.ndarray:
    """Computes features float16 [rows,FEATURES] of crops uint8 [rows,224,224,3] by the int8 graph of an encoder."""
    session = feature_session(open_backbone(encoder, None))
    features = np.empty((len(crops), FEATURES), np.float16)
    for row, crop in enumerate(crops):
        features[row] = session.run(None, {"pixels": crop[None]})[0][0]
    return features


def measured(images: Images) -> dict[str, float]:
    """Computes all measures of the table."""
    return {name: float(measure(images.labels, images.scores)) for name, measure in MEASURES.items()}


def difference(images: Images, reference: Images, measure: Callable[[np.ndarray, np.ndarray], float]) -> str:
    """Formats a measure's difference to the reference with its interval, both on the same random sources."""

    def over(index: np.ndarray) -> float:
        return measure(images.labels[index], images.scores[index]) - measure(
            reference.labels[index], reference.scores[index]
        )

    low, high = source_bootstrap(images.labels, images.sources, over)
    return f"{over(np.arange(len(images.labels))):+.3f} ({low:+.3f} to {high:+.3f})"


def table(name: str, candidates: dict[str, Images]) -> list[str]:
    """Makes a table with a row for each candidate, followed by a row of differences to the first candidate."""
    reference = next(iter(candidates.values()))
    counts = f"{(reference.labels == 1).sum()} AI, {(reference.labels == 0).sum()} genuine, {len(np.unique(reference.sources))} sources"
    lines = [f"| {name}: {counts} | {' | '.join(MEASURES)} |", f"|---|{'---|' * len(MEASURES)}"]
    for candidate, images in candidates.items():
        cells = []
        for measure in MEASURES.values():
            low, high = source_bootstrap(
                images.labels,
                images.sources,
                lambda index, of=measure, rows=images: of(rows.labels[index], rows.scores[index]),
            )
            cells.append(f"{measure(images.labels, images.scores):.3f} ({low:.3f} to {high:.3f})")
        lines.append(f"| {candidate} | {' | '.join(cells)} |")
        if images is not reference:
            lines.append(
                f"| difference | {' | '.join(difference(images, reference, measure) for measure in MEASURES.values())} |"
            )
    return lines


def main() -> None:
    parser = command_parser(__doc__, "packs+")
    parser.add_argument(
        "--heads", type=Path, nargs="+", required=True, help="folders or files of heads, the reference first"
    )
    parser.add_argument("--encoders", type=Path, nargs="*", default=[], help="folders of encoders with other features")
    parser.add_argument("--crops", type=int, default=5, help="crops of the plan")
    args = parser.parse_args()
    plan = plan_of(args.crops)
    for pack in args.packs:
        lines, features = read_features(pack)
        rows = planned_rows(lines, plan)
        crops = map_crops(pack, len(lines))[rows] if args.encoders else None
        lines, features = [lines[row] for row in rows], features[rows]
        by_path = {path: features for path in args.heads}
        by_path |= {path: features_by(path, crops) for path in args.encoders}
        candidates = {
            str(path): aggregate(lines, head_logits(lines, values, heads_of([path])), plan)
            for path, values in by_path.items()
        }
        print(*table(pack.name, candidates), "", sep="\n", flush=True)


if __name__ == "__main__":
    main()
