"""Corrects the heads for compression: without it, compressed genuine images score higher than others.

    python -m full_image.compression --features VALIDATION --scores full_image/run/validation_scores.csv
        --heads ../encoder --manifest ../full_image_specialist/manifest.json --out heads.npz

A threshold that flags 1% of the genuine images of all degradation levels flags fewer as published and more when they
are compressed. A linear measure of each crop's features tells how much its image is compressed. The heads written to
OUT subtract it: two more hidden units keep it between 0 and MAX_MEASURE. SCORES are the scores of validation images by
all crops and the heads without the correction. They tell by how much (in log odds) the thresholds of the levels differ.
The measure is fitted on FEATURES, without images that SCORES lacks. The command prints recall and FPR by level without
and with it. For this table, images are corrected by measures that were fitted on other sources.
`encoder.package --full-image OUT` puts the heads into an encoder. Then the plans are fitted again.
"""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from data.degrade import LEVEL_NAMES, LEVELS
from data.mix import source_of
from encoder.export import FoldedHead
from encoder.features import CROP_TYPES, read_features
from encoder.heads import save_heads
from encoder.package import heads_of
from encoder.rows import require_finished
from export.command import command_parser
from full_image.delivered import Delivered, delivered_images, labels_of, see
from full_image.early import whole_plan
from measure.domain_thresholds import log_odds
from measure.metrics import threshold_at
from measure.score_file import Scores, read_scores

RATES = (0.01, 0.02, 0.03)
"""FPR at which the thresholds of the levels are compared; the offset of a level is their mean difference."""
RIDGE = 1.0
"""Penalty on the squared weights of the measure, for standardised features, as a share of the number of crops."""
MAX_MEASURE = 1.2
"""Largest value of the measure, which is 0 for images as published and 1 for the level with the largest offset."""
SHARPNESS = 8.0
"""Factor within the two hidden units: the larger, the more suddenly they limit the measure."""
FOLDS = 4
Heads = dict[str, FoldedHead]


@dataclass(frozen=True)
class Measure:
    """A linear measure of features: features @ weights + bias."""

    weights: np.ndarray
    bias: float

    def corrected(self, head: FoldedHead, size: float) -> FoldedHead:
        """Returns the head with the limited measure x `size` subtracted from its logits."""
        first = np.stack((self.weights, self.weights), axis=1) * SHARPNESS
        second = np.array([[-size], [size]]) / SHARPNESS
        return replace(
            head,
            first=np.concatenate((head.first, first), axis=1),
            first_bias=np.append(head.first_bias, SHARPNESS * np.array([self.bias, self.bias - MAX_MEASURE])),
            second=np.concatenate((head.second, second)),
        )


def fit_measure(features: np.ndarray, targets: np.ndarray) -> Measure:
    """Fits a measure of `targets` [R] by ridge regression on features float16 [R,F]."""
    values = features.astype(np.float32)
    mean, deviation = values.mean(0), np.maximum(values.std(0), 1e-3)
    values = (values - mean) / deviation
    squares = values.T @ values + RIDGE * len(values) * np.eye(values.shape[1], dtype=np.float32)
    weights = np.linalg.solve(squares, values.T @ (targets - targets.mean())) / deviation
    return Measure(weights, float(targets.mean() - mean @ weights))


def offsets_of(scores: Scores) -> dict[str, float]:
    """Measures by how many log odds the thresholds of each level lie above the thresholds of images as published."""
    genuine = scores.where(scores.labels == 0)
    odds = log_odds(genuine.score)
    at = {level: np.array([threshold_at(odds[genuine.level == level], rate) for rate in RATES]) for level in LEVELS}
    return {level: float((each - at["clean"]).mean()) for level, each in at.items()}


def correct(heads: Heads, lines: list[dict], features: np.ndarray, offsets: dict[str, float], plan: dict) -> Heads:
    """Fits a measure for each crop type on the crops in `lines`, and returns `heads` with the corrected ones.

    The offset is divided by the sum of the weights in the plan, so that an image is corrected by about the offset of
    its level. Raises ValueError if no level has a higher threshold than images as published.
    """
    largest = max(offsets.values())
    if largest <= 0:
        raise ValueError("no level has a higher threshold than images as published: there is nothing to correct")
    size = largest / sum(kind["weight"] for kind in plan["kinds"].values())
    types = np.array([line["crop"] for line in lines])
    targets = np.array([offsets[line["tier"]] / largest for line in lines])
    corrected = {}
    for kind in CROP_TYPES:
        mine = types == kind.name
        corrected[kind.name] = fit_measure(features[mine], targets[mine]).corrected(heads[kind.name], size)
    return heads | corrected


def level_rows(name: str, images: list[Delivered], odds: np.ndarray) -> list[str]:
    """Makes a row for each of RATES: recall and FPR by level, at the threshold with that rate over all levels."""
    labels, levels = labels_of(images), np.array([image.line["tier"] for image in images])
    rows = []
    for rate in RATES:
        flagged = odds >= threshold_at(odds[labels == 0], rate)
        cells = [
            f"{flagged[mine & (labels == 1)].mean():.3f} at {flagged[mine & (labels == 0)].mean():.2%}"
            for mine in (levels == level for level in LEVELS)
        ]
        rows.append(f"| {name}, {rate:.0%} | {' | '.join(cells)} |")
    return rows


def main() -> None:
    parser = command_parser(__doc__, "features", "manifest", "out", "heads+")
    parser.add_argument("--scores", type=Path, required=True)
    args = parser.parse_args()
    scores = read_scores(args.scores)
    offsets = offsets_of(scores)
    print("offsets in log odds:", ", ".join(f"{LEVEL_NAMES[level]} {by:.2f}" for level, by in offsets.items()))
    require_finished(args.features, "features")
    lines, features = read_features(args.features)
    scored_images = set(scores.image)
    kept = np.flatnonzero([line["sha256"] in scored_images for line in lines])
    lines, features = [lines[row] for row in kept], features[kept]
    heads, manifest = heads_of(args.heads), json.loads(args.manifest.read_text())
    plan = whole_plan(manifest)

    def score(images: list[Delivered]) -> np.ndarray:
        return see(images, plan, manifest["drawn"]).odds

    before, after = delivered_images(lines, features, heads), []
    sources = sorted({source_of(line["source"]) for line in lines})
    fold_of = dict(zip(sources, np.random.default_rng(1).integers(0, FOLDS, len(sources)), strict=True))
    fold = np.array([fold_of[source_of(line["source"])] for line in lines])
    for number in range(FOLDS):
        mine, others = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        corrected = correct(heads, [lines[row] for row in others], features[others], offsets, plan)
        after += delivered_images([lines[row] for row in mine], features[mine], corrected)
    print(
        f"| recall at FPR: {len(before) // len(LEVELS)} images | {' | '.join(LEVEL_NAMES.values())} |\n|---|---|---|---|"
    )
    print(*level_rows("without", before, score(before)), *level_rows("with", after, score(after)), sep="\n")
    corrected = correct(heads, lines, features, offsets, plan)
    save_heads(args.out, [corrected[kind.name] for kind in CROP_TYPES])


if __name__ == "__main__":
    main()
