"""The curve of accuracy against cost: plans of 1 to 8 views, each measured on the very views that the engine cuts for it.

    python -m studies.curve --models .. --pictures PICTURES --sources CSV --part validation --most 300 --out LOGITS [--share K/N]

Where a picture is cut depends on how many views of a kind there are, so every kind is cut for every count that a plan of PLANS has. Each share appends mean
logits to `curve.K.jsonl`, goes on where it stopped and prints what all shares together have, with the manifest's weights.
"""

import argparse
import json
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from data.degrade import TIERS, to_tier
from data.split import load_pictures
from encoder.features import VIEW_KINDS, describe, open_picture, training_order
from encoder.reference_engine import ReferenceEngine
from encoder.views import ViewKind, cut_views
from full_image.delivered import Delivered, labels_of
from full_image.plans import PLANS, score_pictures
from measure.metrics import auc, recall_at


def mean_logits(models: ReferenceEngine, pixels: np.ndarray) -> dict[str, float]:
    """Mean logit of a picture's views of each kind, for each count that a plan has: by `KIND.COUNT`."""
    known: dict[bytes, dict[str, float]] = {}
    found = {}
    for index, kind in enumerate(VIEW_KINDS):
        for count in sorted({counts[index] for counts in PLANS.values()} - {0}):
            views = cut_views(pixels, ViewKind(kind.name, kind.short_side_px, count))
            # Cuts for different counts share views.
            found[f"{kind.name}.{count}"] = float(np.mean([
                (known.get(view.tobytes()) or known.setdefault(view.tobytes(), models.logits(view)))[kind.name] for view in views]))
    return found


def delivered(lines: list[dict], counts: tuple[int, ...]) -> list[Delivered]:
    """The pictures as a plan of `counts` sees them; the mean of a kind stands for each of its views."""
    return [Delivered(line, tuple(np.full(count, line["logits"][f"{kind.name}.{count}"]) if count else np.zeros(0)
                                  for kind, count in zip(VIEW_KINDS, counts, strict=True))) for line in lines]


def table(lines: list[dict], manifest: dict) -> str:
    """AUC and recall at 1% of each plan by tier, with the weights of the manifest."""
    tiers = [tier for tier in TIERS if any(line["tier"] == tier for line in lines)]
    rows = [f"| views | {' | '.join(tiers)} |", "|---|" + "---|" * len(tiers)]
    for views, counts in PLANS.items():
        cells = []
        for tier in tiers:
            pictures = delivered([line for line in lines if line["tier"] == tier], counts)
            labels, scores = labels_of(pictures), score_pictures(pictures, manifest, views).odds
            cells.append(f"{auc(labels, scores):.3f}, {recall_at(labels, scores, 0.01):.2f}")
        kinds = ", ".join(f"{count} {kind.name}" for kind, count in zip(VIEW_KINDS, counts, strict=True) if count)
        rows.append(f"| {views}: {kinds} | {' | '.join(cells)} |")
    count = sum(line["tier"] == tiers[0] for line in lines)
    return "\n".join([*rows, f"{count} pictures, {sum(line['is_ai'] and line['tier'] == tiers[0] for line in lines)} of them AI"])


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("models", "pictures", "sources", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--part", choices=("validation", "test"), default="validation")
    parser.add_argument("--tiers", nargs="+", choices=list(TIERS), default=["clean", "web"])
    parser.add_argument("--most", type=int, default=300, help="pictures, small cells first")
    parser.add_argument("--share", default="0/1")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    arguments.out.mkdir(parents=True, exist_ok=True)
    share, shares = map(int, arguments.share.split("/"))
    models = ReferenceEngine(arguments.models)
    pictures = [picture for picture in load_pictures(arguments.pictures, arguments.sources) if picture.part == arguments.part]
    path = arguments.out / f"curve.{share}.jsonl"
    done = {json.loads(line)["sha256"] for line in path.read_text().splitlines()} if path.is_file() else set()
    with path.open("a") as stream:
        for picture in tqdm(training_order(pictures, 1)[:arguments.most][share::shares], unit="picture", mininterval=30):
            if picture.sha256 in done or (pixels := open_picture(picture)) is None:
                continue
            stream.write("".join(json.dumps({**describe(picture), "tier": tier, "logits": mean_logits(
                models, np.ascontiguousarray(to_tier(pixels, tier)))}) + "\n" for tier in arguments.tiers))
            stream.flush()
    lines = [json.loads(line) for file in sorted(arguments.out.glob("curve.*.jsonl")) for line in file.read_text().splitlines()]
    print(table(lines, json.loads((arguments.models / "full_image_specialist/manifest.json").read_text())))


if __name__ == "__main__":
    main()
