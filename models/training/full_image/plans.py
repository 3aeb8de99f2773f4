"""Joins views into one score: fits a plan for each number of views on validation pictures, and scores pictures with one.

    python -m full_image.plans fit --features VALIDATION --heads heads.npz --rule drawn.json --facts facts.json
        --manifest ../full_image_specialist/manifest.json
    python -m full_image.plans score --features TEST --heads heads.npz drawn.npz --manifest manifest.json --out test.csv

A picture's logit is bias + the sum over kinds of view of weight x mean logit of its views; its score the sigmoid of that. It is drawn with the
probability that RULE, of full_image.medium, makes of the logits of its head. HEADS may be the folder of an encoder.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from encoder.features import VIEW_KINDS
from export import VERSION
from full_image.delivered import Delivered, Seen, plan_of, read_delivered, see
from full_image.early import choose, see_early, table
from measure.score_file import write_scores

PLANS = {1: (0, 1, 0), 2: (0, 1, 1), 3: (1, 1, 1), 4: (1, 2, 1), 5: (1, 2, 2), 6: (1, 2, 3), 7: (1, 2, 4), 8: (1, 1, 6)}
"""Views of each of VIEW_KINDS in a plan of so many views."""
DEFAULT_VIEWS = 5


def write_manifest(pictures: list[Delivered], path: Path, training_data: dict, rule: dict) -> None:
    """The specialist's manifest with a plan for each number of views; `training_data` is what full_image.train told, `rule` what full_image.medium did."""
    plans = [plan_of(pictures, counts) for counts in PLANS.values()]
    kinds = {kind.name: {"short_side_px": kind.short_side_px, "column": kind.name} for kind in VIEW_KINDS}
    manifest = {"id": "full_image_specialist", "version": VERSION, "training_data": training_data, "licence": "Apache-2.0", "kinds": kinds,
                "drawn": rule, "default_views": DEFAULT_VIEWS, "plans": plans}
    manifest["early_exit"] = choose(pictures, manifest)
    path.write_text(json.dumps(manifest, indent=2) + "\n")
    print(table(pictures, manifest))


def score_pictures(pictures: list[Delivered], manifest: dict, views: int | None) -> Seen:
    """The pictures as the engine sees them: by the plan of so many views; None: by the rounds that may end early."""
    if views is None:
        return see_early(pictures, manifest)
    return see(pictures, next(plan for plan in manifest["plans"] if plan["views"] == views), manifest["drawn"])


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("fit", "score"))
    parser.add_argument("--features", type=Path, required=True)
    parser.add_argument("--heads", type=Path, nargs="+", required=True, help="files of heads, or an encoder's folder; a later one takes an earlier one's place")
    parser.add_argument("--manifest", type=Path, required=True)
    parser.add_argument("--facts", type=Path, help="for fit: what full_image.train wrote")
    parser.add_argument("--rule", type=Path, help="for fit: what full_image.medium wrote beside its head")
    parser.add_argument("--part", help="of the split; default: validation to fit, test to score")
    parser.add_argument("--views", type=int, help="all views of the plan of so many; default: the plan that ships, in rounds that end early")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    part = arguments.part or ("validation" if arguments.what == "fit" else "test")
    pictures = read_delivered(arguments.features, arguments.heads, part)
    if arguments.what == "fit":
        write_manifest(pictures, arguments.manifest, *(json.loads(path.read_text()) for path in (arguments.facts, arguments.rule)))
        return
    manifest = json.loads(arguments.manifest.read_text())
    seen = score_pictures(pictures, manifest, arguments.views)
    lines, scores = [picture.line for picture in pictures], 1 / (1 + np.exp(-seen.odds))
    write_scores(arguments.out, [
        {"picture": line["sha256"], "label": "ai" if line["is_ai"] else "real", "source": line["source"], "generator": line["generator"],
         "kind": line["kind"], "content": line["content"], "tier": line["tier"], "score": f"{value:.6f}", "drawn": f"{share:.6f}"}
        for line, value, share in zip(lines, scores, seen.drawn, strict=True)])


if __name__ == "__main__":
    main()
