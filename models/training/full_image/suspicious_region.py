"""The suspicious region: the part of an image that looks most like AI, scored on the scale of the whole image.

    python -m full_image.suspicious_region fit --features VALIDATION --heads ../encoder --manifest ../full_image_specialist/manifest.json --bands ../bands.json
    python -m full_image.suspicious_region show --features TEST --split test --heads ../encoder --manifest ../full_image_specialist/manifest.json --bands ../bands.json

The region is the square of REGION_SIDE by REGION_SIDE tokens in the whole crop with the highest mean logit
(encoder.crops.region_logit). Its log odds are scale x that logit + offset. Both numbers are fitted separately for
photographs and illustrations, and the results are averaged by the probability of an illustration. `fit` chooses the
numbers so that genuine validation images reach the thresholds by their region about as often as by their score
(PROFILES of measure.bands), and writes them into the manifest. `show` prints how often only the region of an image
reaches the threshold. A check then warns about the region, which does not affect the verdict. For local edits by people
(LOCAL) `show` prints how many are detected, how many only lead to a warning, and how well the region separates them
from genuine images (AUC, with its 95% interval over sources).
"""

import json

import numpy as np

from data.degrade import LEVELS
from data.mix import source_of
from encoder.crops import REGION_CROP_TYPE, REGION_SIDE
from export.command import command_parser
from full_image.delivered import Delivered, labels_of, read_delivered, see
from full_image.early import whole_plan
from measure.bands import PROFILES
from measure.domain_thresholds import DOMAINS, is_illustration, log_odds, threshold_between
from measure.metrics import auc, source_bootstrap

LOCAL = "edited-local"
"""Kind of images in which a generator made a region."""


def region_odds(region: np.ndarray | float, illustration: np.ndarray | float, rule: dict) -> np.ndarray | float:
    """Computes the log odds of the suspicious region. `rule` is the field `part` of the manifest."""
    photograph, other = (rule[domain]["scale"] * np.asarray(region) + rule[domain]["offset"] for domain in DOMAINS)
    return (1 - illustration) * photograph + illustration * other


def fit_domain(regions: np.ndarray, thresholds: dict[str, float]) -> dict[str, float]:
    """Fits scale and offset so that genuine `regions` reach each profile's threshold as often as PROFILES states.

    Least squares over the profiles.
    """
    at = [np.quantile(regions, 1 - PROFILES[name]) for name in thresholds]
    scale, offset = np.polyfit(at, [log_odds(value) for value in thresholds.values()], 1)
    return {"scale": round(float(scale), 4), "offset": round(float(offset), 4)}


def fit(images: list[Delivered], manifest: dict, profiles: dict[str, dict[str, float]]) -> dict:
    """Returns the field `part` of the manifest. `profiles` has each profile's thresholds by image domain."""
    illustration = is_illustration(see(images, whole_plan(manifest), manifest["drawn"]).illustration)
    regions, genuine = np.array([image.region for image in images]), labels_of(images) == 0
    return {
        "kind": REGION_CROP_TYPE,
        "side": REGION_SIDE,
        **{
            domain: fit_domain(
                regions[genuine & mine], {name: by_domain[domain] for name, by_domain in profiles.items()}
            )
            for domain, mine in zip(DOMAINS, (~illustration, illustration))
        },
    }


def separation(odds: np.ndarray, local: np.ndarray, sources: np.ndarray, rows: np.ndarray) -> str:
    """Formats how well `odds` separate `local` edits from other images, among `rows` bool [images].

    It is the AUC with its 95% interval over sources.
    """
    labels, odds = local[rows].astype(int), odds[rows]
    low, high = source_bootstrap(labels, sources[rows], lambda sampled: auc(labels[sampled], odds[sampled]))
    return f"{auc(labels, odds):.3f} ({low:.3f} to {high:.3f})"


def show(images: list[Delivered], manifest: dict, profiles: dict[str, dict[str, float]]) -> str:
    """Makes the Markdown table of how many images lead to the warning."""
    seen, labels = see(images, whole_plan(manifest), manifest["drawn"]), labels_of(images)
    odds = region_odds(np.array([image.region for image in images]), seen.illustration, manifest["part"])
    levels, illustration = np.array([image.line["tier"] for image in images]), is_illustration(seen.illustration)
    local = np.array([image.line["kind"] == LOCAL for image in images])
    sources_of = np.array([source_of(image.line["source"]) for image in images])
    rows = [f"| a part looks generated, the whole does not | {' | '.join(LEVELS)} |", "|---|" + "---|" * len(LEVELS)]
    for name, by_domain in profiles.items():
        threshold = log_odds(threshold_between(*(by_domain[domain] for domain in DOMAINS), seen.illustration))
        warned = (odds >= threshold) & (seen.odds < threshold)
        groups = {
            "genuine photographs": (labels == 0) & ~illustration,
            "genuine illustrations": (labels == 0) & illustration,
            "AI": labels == 1,
        }
        for who, mine in groups.items():
            if mine.any():
                rows.append(
                    f"| {name}: {who} | {' | '.join(f'{warned[mine & (levels == level)].mean():.4f}' for level in LEVELS)} |"
                )
        if local.any():
            sources = len(np.unique(sources_of[local]))
            counts = [
                f"{(seen.odds >= threshold)[mine].sum()} detected, {warned[mine].sum()} warned of {mine.sum()}"
                for mine in (local & (levels == level) for level in LEVELS)
            ]
            rows.append(f"| {name}: local edits by people, {sources} sources | {' | '.join(counts)} |")
    if local.any() and (labels == 0).any():
        cells = [separation(odds, local, sources_of, (local | (labels == 0)) & (levels == level)) for level in LEVELS]
        rows.append(f"| suspicious region, AUC of local edits by people against genuine images | {' | '.join(cells)} |")
    return "\n".join(rows)


def main() -> None:
    parser = command_parser(__doc__, "features", "manifest", "bands", "heads+")
    parser.add_argument("what", choices=("fit", "show"))
    parser.add_argument("--split", default="validation", help="of the split, for show")
    args = parser.parse_args()
    manifest = json.loads(args.manifest.read_text())
    profiles = {
        name: {domain: band["full_image_specialist"][domain]["threshold"] for domain in DOMAINS}
        for name, band in json.loads(args.bands.read_text())["profiles"].items()
    }
    images = read_delivered(args.features, args.heads, "validation" if args.what == "fit" else args.split)
    if args.what == "fit":
        manifest["part"] = fit(images, manifest, profiles)
        args.manifest.write_text(json.dumps(manifest, indent=2) + "\n")
    print(show(images, manifest, profiles))


if __name__ == "__main__":
    main()
