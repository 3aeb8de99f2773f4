"""Early exit: an image whose verdict is already clear after a few crops is not scored on more crops.

    python -m full_image.early choose --features VALIDATION [--matched MATCHED] --heads ../encoder
        --manifest ../full_image_specialist/manifest.json
    python -m full_image.early show --features TEST --split test --heads ../encoder
        --manifest ../full_image_specialist/manifest.json --bands ../bands.json

The crops are scored in stages. After a stage an image is done if its score is outside two bounds. `choose` fits the
plans of STAGES on validation images, chooses the bounds and writes both into the manifest, as `full_image.plans fit`
does. It prints the same table as `show`. The bounds of a stage lie a margin (in log odds) below the lowest and another
above the highest threshold of the images (measure.domain_thresholds) or of `--bands`. Margins are allowed if no
profile's verdict changes for more than MAX_CHANGED_SHARE of the genuine or of the AI images, and the AUC loses no more than
MAX_LOST_AUC. The allowed margins that save most are chosen. MATCHED has features of the matched sets (`tuning.pack`, level
none): the AUC on them must not lose more either, because early exit costs most there.
"""

import itertools
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from export.command import command_parser
from full_image.delivered import Delivered, Seen, labels_of, plan_towards, read_delivered, see
from measure.bands import PROFILES
from measure.domain_thresholds import (
    DOMAINS,
    early_exit_bounds,
    fit_domains,
    genuine_of,
    log_odds,
    rounded_up,
    threshold_between,
)
from measure.metrics import auc, recall_at
from measure.score_file import Scores

STAGES = ((1, 0, 1), (1, 1, 1))
"""Number of crops of each of encoder.features.CROP_TYPES after each stage. The last stage, which uses all crops, is not
listed. Every stage has the whole crop, which shows the suspicious region. A first stage of the whole crop alone ranks
matched images too badly (experiments/0045)."""
MAX_CHANGED_SHARE = 0.0007
"""Maximum share of AI or genuine images whose verdict may change. On other images it may reach 0.1%."""
MAX_LOST_AUC = 0.003
"""Maximum AUC that may be lost at a degradation level: images that exit early are ranked by fewer crops."""
MARGINS = np.round(np.arange(0.75, 4.01, 0.25), 2)
"""Margins that are tried on each side, in log odds."""
Margins = tuple[float, float]
"""Margins of a stage below the lowest and above the highest threshold, in log odds."""
GENUINE_SHARE = 0.9
"""Share of genuine images among the images that people send, for which costs and savings are reported."""


def whole_plan(manifest: dict) -> dict:
    """Returns the plan that uses all crops."""
    return next(plan for plan in manifest["plans"] if plan["views"] == manifest["default_views"])


def beyond(seen: Seen, bounds: dict) -> tuple[np.ndarray, np.ndarray]:
    """Returns how far each image is below the lower and above the upper bound, in log odds."""
    below, above = early_exit_bounds(bounds, seen.illustration)
    return below - seen.odds, seen.odds - above


def exits(distances: tuple[np.ndarray, np.ndarray], margins: Margins = (0.0, 0.0)) -> np.ndarray:
    """Returns which images exit early: those further below or above the bounds than the margins."""
    return (distances[0] > margins[0]) | (distances[1] > margins[1])


def combine_stages(stages: list[Seen], ends: list[np.ndarray]) -> Seen:
    """Takes the result of each image from the first of `stages` at which it exits, otherwise from the last.

    `ends` has for each stage except the last which images exit.
    """
    joined = stages[-1]
    for seen, end in reversed(list(zip(stages, ends))):
        joined = Seen(
            *(
                np.where(end, mine, later)
                for mine, later in zip(vars(seen).values(), vars(joined).values(), strict=True)
            )
        )
    return joined


def see_early(images: list[Delivered], manifest: dict) -> Seen:
    """Scores images as the engine does: stage by stage, with early exit."""
    early = manifest["early_exit"]["rounds"]
    stages = [see(images, plan, manifest["drawn"]) for plan in [*early, whole_plan(manifest)]]
    return combine_stages(stages, [exits(beyond(seen, plan["bounds"])) for seen, plan in zip(stages, early)])


def thresholds_of(images: list[Delivered], whole: Seen) -> dict[str, dict[str, float]]:
    """Fits thresholds by profile and image domain that flag each profile's share of genuine images."""
    column = lambda name: np.array([image.line[name] for image in images])
    scores = Scores(
        column("sha256"),
        labels_of(images),
        *map(column, ("source", "generator", "kind", "content", "tier")),
        np.round(1 / (1 + np.exp(-whole.odds)), 6),
        np.round(whole.illustration, 6),
    )
    genuine = genuine_of(scores)
    return {
        profile: {domain: float(rounded_up(value)) for domain, value in fit_domains(genuine, rate).items()}
        for profile, rate in PROFILES.items()
    }


def verdicts(seen: Seen, thresholds: dict) -> np.ndarray:
    """Returns whether each image is flagged in each profile, bool [images, profiles]."""
    score = 1 / (1 + np.exp(-seen.odds))
    return np.stack(
        [
            score >= threshold_between(*(by_domain[domain] for domain in DOMAINS), seen.illustration)
            for by_domain in thresholds.values()
        ],
        axis=1,
    )


def sent_weights(labels: np.ndarray) -> np.ndarray:
    """Returns the weights of images with sum 1, in which the share of genuine images is GENUINE_SHARE."""
    return np.where(labels == 1, (1 - GENUINE_SHARE) / (labels == 1).sum(), GENUINE_SHARE / (labels == 0).sum())


def order_lost(joined: Seen, whole: Seen, labels: np.ndarray, levels: np.ndarray) -> float:
    """Returns the largest loss of AUC at a degradation level if the scores are `joined` instead of `whole`."""
    return max(
        auc(labels[mine], whole.odds[mine]) - auc(labels[mine], joined.odds[mine])
        for mine in (levels == level for level in np.unique(levels))
    )


def choose_margins(stages: list[Seen], thresholds: dict, labels: np.ndarray, levels: np.ndarray) -> tuple[Margins, ...]:
    """Chooses the margins of all stages except the last. Raises ValueError if MAX_CHANGED_SHARE and MAX_LOST_AUC allow none."""
    reach = {
        domain: {
            "below": min(by[domain] for by in thresholds.values()),
            "above": max(by[domain] for by in thresholds.values()),
        }
        for domain in DOMAINS
    }
    distances = [beyond(seen, reach) for seen in stages[:-1]]
    right = verdicts(stages[-1], thresholds)
    changed = [verdicts(seen, thresholds) != right for seen in stages[:-1]]
    weights, best = sent_weights(labels), (np.inf, ())
    saved = [weights * (stages[-1].crops - seen.crops) for seen in stages[:-1]]
    for margins in itertools.product(itertools.product(MARGINS, MARGINS), repeat=len(distances)):
        left, ended = np.ones(len(labels), bool), []
        for distance, margin in zip(distances, margins, strict=True):
            ended.append(left & exits(distance, margin))
            left &= ~ended[-1]
        cost = -sum(save[end].sum() for save, end in zip(saved, ended, strict=True))
        if cost >= best[0]:
            continue
        wrong = np.any([change & end[:, None] for change, end in zip(changed, ended, strict=True)], axis=0)
        if max(wrong[labels == label].mean(0).max() for label in (0, 1)) > MAX_CHANGED_SHARE:
            continue
        if order_lost(combine_stages(stages, ended), stages[-1], labels, levels) <= MAX_LOST_AUC:
            best = (cost, margins)
    if not best[1]:
        raise ValueError("no margins keep verdicts and order: a stage's crops say something else than all of them")
    return tuple((float(below), float(above)) for below, above in best[1])


def bounds_of(thresholds: dict, margins: Margins) -> dict:
    """Returns the bounds for early exit by image domain, 0..1 with four decimals, rounded outwards."""
    shifted = lambda threshold, by: 1 / (1 + np.exp(-log_odds(threshold) - by))
    return {
        domain: {
            "below": float(np.floor(1e4 * shifted(min(by[domain] for by in thresholds.values()), -margins[0])) / 1e4),
            "above": float(np.ceil(1e4 * shifted(max(by[domain] for by in thresholds.values()), margins[1])) / 1e4),
        }
        for domain in DOMAINS
    }


def choose(
    images: list[Delivered], manifest: dict, thresholds: dict | None = None, matched: Sequence[Delivered] = ()
) -> dict:
    """Returns the field `early_exit` of the manifest: plan and bounds of each stage.

    `thresholds` is as in `table`. `matched` are images of the matched sets. They count as a level of their own.
    """
    whole = see(images, whole_plan(manifest), manifest["drawn"])
    plans = [plan_towards(images, counts, whole.odds) for counts in STAGES]
    thresholds = thresholds or thresholds_of(images, whole)
    seen = [*images, *matched]
    stages = [see(seen, plan, manifest["drawn"]) for plan in [*plans, whole_plan(manifest)]]
    levels = np.array([image.line["tier"] for image in images] + ["matched"] * len(matched))
    margins = choose_margins(stages, thresholds, labels_of(seen), levels)
    return {
        "model": f"telltale-{manifest['version']}",
        "rounds": [
            {**plan, "margin": dict(zip(("below", "above"), sides)), "bounds": bounds_of(thresholds, sides)}
            for plan, sides in zip(plans, margins, strict=True)
        ],
    }


def table(images: list[Delivered], manifest: dict, thresholds: dict | None = None) -> str:
    """Makes the Markdown table of what early exit saves and changes.

    `thresholds` by profile and domain are fitted to the images by default.
    """
    labels, whole, early = (
        labels_of(images),
        see(images, whole_plan(manifest), manifest["drawn"]),
        see_early(images, manifest),
    )
    thresholds = thresholds or thresholds_of(images, whole)
    weights, classes = sent_weights(labels), {"genuine": labels == 0, "AI": labels == 1}
    rows = [f"| {len(images)} images and levels | " + " | ".join(classes) + " | nine to one |", "|---|---|---|---|"]
    cells = lambda values, form: " | ".join(
        form.format(found) for found in (*(values[mine].mean() for mine in classes.values()), weights @ values)
    )
    counts = sorted({plan["views"] for plan in [*manifest["early_exit"]["rounds"], whole_plan(manifest)]})
    for fewer, crops in zip([0, *counts], counts):
        rows.append(
            f"| show up to {crops} crops | {cells(((early.crops > fewer) & (early.crops <= crops)).astype(float), '{:.3f}')} |"
        )
    rows.append(f"| crops of an image | {cells(early.crops.astype(float), '{:.2f}')} |")
    rows.append(f"| the same ÷ all crops | {cells(early.crops * whole.crops.mean() ** -1, '{:.3f}')} |")
    changed = verdicts(early, thresholds) != verdicts(whole, thresholds)
    for profile, mine in zip(thresholds, changed.T, strict=True):
        rows.append(f"| another verdict, {profile} | {cells(100 * mine, '{:.3f}%')} |")
    recalls = [recall_at(labels, seen.odds, 0.01) for seen in (whole, early)]
    return "\n".join(
        [
            *rows,
            f"Recall at 1%: {recalls[0]:.4f} by all crops, {recalls[1]:.4f} with early exit. "
            f"Another verdict of all images: {100 * changed.mean(0).max():.3f}% at most.",
        ]
    )


def main() -> None:
    """Measures early exit and prints the table."""
    parser = command_parser(__doc__, "features", "manifest", "heads+")
    parser.add_argument("what", choices=("choose", "show"))
    parser.add_argument("--split", default="validation", help="of the split, for show")
    parser.add_argument("--matched", type=Path, help="for choose: features of the matched sets")
    parser.add_argument("--bands", type=Path, help="the thresholds to judge by; default: those that the images give")
    args = parser.parse_args()
    manifest = json.loads(args.manifest.read_text())
    images = read_delivered(args.features, args.heads, "validation" if args.what == "choose" else args.split)
    profiles = json.loads(args.bands.read_text())["profiles"] if args.bands else {}
    thresholds = {
        name: {domain: band["full_image_specialist"][domain]["threshold"] for domain in DOMAINS}
        for name, band in profiles.items()
    }
    if args.what == "choose":
        matched = read_delivered(args.matched, args.heads, None) if args.matched else []
        manifest["early_exit"] = choose(images, manifest, thresholds, matched)
        args.manifest.write_text(json.dumps(manifest, indent=2) + "\n")
    print(table(images, manifest, thresholds))


if __name__ == "__main__":
    main()
