"""Combines the crops of an image into one score. A plan has the weights of the crops; there is one for each number of
crops. Fits plans, and scores images with a plan.

    python -m full_image.plans fit --features VALIDATION --heads heads.npz --rule domain.json --facts facts.json
        --manifest ../full_image_specialist/manifest.json
    python -m full_image.plans score --features TEST --heads heads.npz domain.npz --manifest manifest.json --out test.csv

The logit of an image is bias + the sum over crop types of weight x mean logit of the crops. Its score is the sigmoid of
the logit. RULE, from full_image.domain, converts the logits of the head for illustrations into the probability of an
illustration. HEADS may be the folder of an encoder.
"""

import json
from pathlib import Path

import numpy as np

from encoder.features import CROP_TYPES
from export import VERSION
from export.command import command_parser
from full_image.delivered import Delivered, Seen, plan_of, read_delivered, see
from full_image.early import choose, see_early, table
from measure.score_file import score_row, write_scores

PLANS = {1: (0, 1, 0), 2: (0, 1, 1), 3: (1, 1, 1), 4: (1, 2, 1), 5: (1, 2, 2), 6: (1, 2, 3), 7: (1, 2, 4), 8: (1, 1, 6)}
"""Number of crops of each of CROP_TYPES in a plan, by the plan's total number of crops."""
DEFAULT_CROPS = 5


def write_manifest(images: list[Delivered], path: Path, training_data: dict, rule: dict) -> None:
    """Writes the specialist's manifest with a plan for each number of crops.

    `training_data` comes from full_image.train, `rule` from full_image.domain.
    """
    plans = [plan_of(images, counts) for counts in PLANS.values()]
    kinds = {kind.name: {"short_side_px": kind.short_side_px, "column": kind.name} for kind in CROP_TYPES}
    manifest = {
        "id": "full_image_specialist",
        "version": VERSION,
        "training_data": training_data,
        "licence": "Apache-2.0",
        "kinds": kinds,
        "drawn": rule,
        "default_views": DEFAULT_CROPS,
        "plans": plans,
    }
    manifest["early_exit"] = choose(images, manifest)
    path.write_text(json.dumps(manifest, indent=2) + "\n")
    print(table(images, manifest))


def score_images(images: list[Delivered], manifest: dict, crops: int | None) -> Seen:
    """Scores images as the engine does: by the plan of `crops` crops, or in stages with early exit if None."""
    if crops is None:
        return see_early(images, manifest)
    return see(images, next(plan for plan in manifest["plans"] if plan["views"] == crops), manifest["drawn"])


def main() -> None:
    parser = command_parser(__doc__, "features", "manifest", "heads+")
    parser.add_argument("what", choices=("fit", "score"))
    parser.add_argument("--facts", type=Path, help="for fit: what full_image.train wrote")
    parser.add_argument("--rule", type=Path, help="for fit: what full_image.domain wrote beside its head")
    parser.add_argument("--split", help="of the split; default: validation to fit, test to score")
    parser.add_argument("--crops", type=int, help="crops of a whole plan; default: the released stages")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    split = args.split or ("validation" if args.what == "fit" else "test")
    images = read_delivered(args.features, args.heads, split)
    if args.what == "fit":
        write_manifest(images, args.manifest, *(json.loads(path.read_text()) for path in (args.facts, args.rule)))
        return
    manifest = json.loads(args.manifest.read_text())
    seen = score_images(images, manifest, args.crops)
    lines, scores = [image.line for image in images], 1 / (1 + np.exp(-seen.odds))
    described = zip(lines, scores, seen.illustration, strict=True)
    rows = [score_row(line, line["is_ai"], score, drawn=f"{share:.6f}") for line, score, share in described]
    write_scores(args.out, rows)


if __name__ == "__main__":
    main()
