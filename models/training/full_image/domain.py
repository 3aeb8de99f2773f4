"""Trains the head that separates illustrations (paintings, drawings, games, scanned art ...) from photographs.

    python -m full_image.domain --features TRAIN [TRAIN ...] --validation VALIDATION --out domain.npz --rule domain.json

Both kinds include AI images and genuine images. The probability of an illustration is the sigmoid of scale x the mean
logit of the whole and middle crops + offset. RULE gets these numbers in the form of the manifest. Illustrations and
photographs have separate thresholds, because their genuine images score differently (measure/bands.py).
"""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from data.split import Split
from encoder.features import read_features
from encoder.heads import average_heads, logits_of, save_heads, train_head
from export.command import command_parser
from measure.metrics import auc

COLUMN = "drawn"
CROPS = ("whole", "middle")
ILLUSTRATION_KINDS = frozenset({"anime", "art", "comic", "game", "illustration", "render3d"})
PHOTOGRAPH_KINDS = frozenset({"camera", "dataset", "frame", "original", "product", "real-face", "web-photo"})
ILLUSTRATION_CONTENTS = frozenset({"anime", "art"})
PHOTOGRAPH_CONTENTS = frozenset({"city", "face", "food", "indoor", "nature", "people", "photo-like"})
"""Contents of AI images that look photographed, without animals and objects, which are drawn about as often."""
SEEDS = 2
STEADY = 1e-3
"""Weight of the penalty on the fitted scale."""


def is_illustration(kind: str, content: str, is_ai: bool) -> bool | None:
    """Returns whether an image looks drawn, by its columns in the list.

    Returns None if they do not say (screens, documents, graphics, photographs of paintings).
    """
    if is_ai:
        return True if content in ILLUSTRATION_CONTENTS else False if content in PHOTOGRAPH_CONTENTS else None
    if kind in ILLUSTRATION_KINDS or (kind == "scan" and content == "art"):
        return True
    return False if kind in PHOTOGRAPH_KINDS and content not in ILLUSTRATION_CONTENTS else None


def quarter_weights(sources: list[str], answers: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Returns the probability with which each row is drawn, float64 [R] with sum 1.

    AI illustrations, genuine illustrations, AI photographs and genuine photographs get a quarter each. Sources are
    drawn in proportion to the square root of their size.
    """
    weights = np.zeros(len(sources))
    for answer in (0, 1):
        for label in (0, 1):
            rows = np.flatnonzero((answers == answer) & (labels == label))
            sizes = Counter(sources[row] for row in rows)
            weights[rows] = [1 / np.sqrt(sizes[sources[row]]) for row in rows]
            weights[rows] /= max(weights[rows].sum(), 1e-12)
    return weights / weights.sum()


@dataclass(frozen=True)
class Looks:
    """Validation images: their lines, their crops' mean logits, and whether they look drawn (1, 0, nan if unknown)."""

    lines: list[dict]
    logits: np.ndarray
    answers: np.ndarray


def read_looks(folder: Path, head) -> Looks:
    """Reads the features of validation images at each degradation level."""
    lines, values = read_features(folder)
    rows = [row for row, line in enumerate(lines) if line["crop"] in CROPS]
    logits, found = logits_of(head, values[rows])[:, 0], {}
    for row, logit in zip(rows, logits, strict=True):
        found.setdefault((lines[row]["sha256"], lines[row]["tier"]), (lines[row], []))[1].append(float(logit))
    answers_of_lines = [is_illustration(line["kind"], line["content"], line["is_ai"]) for line, _ in found.values()]
    return Looks(
        [line for line, _ in found.values()],
        np.array([np.mean(each) for _, each in found.values()]),
        np.array([np.nan if answer is None else float(answer) for answer in answers_of_lines]),
    )


def fit_rule(looks: Looks) -> tuple[float, float]:
    """Fits scale and offset by logistic regression on images known to be drawn or not, weighted as in training."""
    rows = np.flatnonzero(~np.isnan(looks.answers))
    answers = looks.answers[rows].astype(int)
    weights = quarter_weights(
        [looks.lines[row]["source"] for row in rows],
        answers,
        np.array([looks.lines[row]["is_ai"] for row in rows]).astype(int),
    )
    signs = np.where(answers == 1, -1.0, 1.0)
    loss = lambda theta: float(
        (weights * np.logaddexp(0, signs * (theta[0] * looks.logits[rows] + theta[1]))).sum() + STEADY * theta[0] ** 2
    )
    scale, offset = minimize(loss, [1.0, 0.0], method="L-BFGS-B").x
    return float(scale), float(offset)


def print_separation(looks: Looks, scale: float, offset: float) -> None:
    """Prints how well illustrations and photographs are separated, and as what each kind of image is recognised."""
    probability = 1 / (1 + np.exp(-(scale * looks.logits + offset)))
    ai, level = np.array([line["is_ai"] for line in looks.lines]), np.array([line["tier"] for line in looks.lines])
    for name in ("clean", "web", "hard"):
        for is_ai in (False, True):
            rows = (level == name) & (ai == is_ai) & ~np.isnan(looks.answers)
            print(
                f"{name:5s} {'AI' if is_ai else 'genuine':7s} {rows.sum():5d}: AUC {auc(looks.answers[rows], probability[rows]):.3f}, "
                f"right {np.mean((probability[rows] >= 0.5) == (looks.answers[rows] == 1)):.3f}"
            )
    kinds = [f"AI {line['content']}" if line["is_ai"] else line["kind"] for line in looks.lines]
    for kind, count in Counter(kinds).most_common():
        mine = probability[[kind == each for each in kinds]]
        print(
            f"{kind:16s} {count // 3:5d} images: taken for drawn {np.mean(mine >= 0.5):.2f}, doubtful (0.1 to 0.9) {np.mean((mine > 0.1) & (mine < 0.9)):.2f}"
        )


def main() -> None:
    parser = command_parser(__doc__, "out", "rule", "features+")
    parser.add_argument("--validation", type=Path, required=True, help="features of encoder.features images")
    args = parser.parse_args()
    lines, values = zip(*(read_features(folder) for folder in args.features), strict=True)
    lines, values, splits = sum(lines, []), np.concatenate(values), Split()
    answers_of_lines = [is_illustration(line["kind"], line["content"], line["is_ai"]) for line in lines]
    rows = [
        row
        for row, line in enumerate(lines)
        if answers_of_lines[row] is not None
        and line["crop"] in CROPS
        and splits.holds("train", line["source"], line["sha256"])
    ]
    answers, labels = (
        np.array([answers_of_lines[row] for row in rows]).astype(int),
        np.array([lines[row]["is_ai"] for row in rows]).astype(int),
    )
    weights = quarter_weights([lines[row]["source"] for row in rows], answers, labels)
    print(f"{len(rows)} crops, {answers.mean():.2f} of them drawn", flush=True)
    head = average_heads([train_head(values[rows], answers, weights, COLUMN, seed=1 + run) for run in range(SEEDS)])
    looks = read_looks(args.validation, head)
    scale, offset = fit_rule(looks)
    print_separation(looks, scale, offset)
    save_heads(args.out, [head])
    args.rule.write_text(
        json.dumps(
            {"column": COLUMN, "kinds": list(CROPS), "scale": round(scale, 5), "offset": round(offset, 5)}, indent=2
        )
        + "\n"
    )


if __name__ == "__main__":
    main()
