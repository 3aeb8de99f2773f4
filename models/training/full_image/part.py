"""The part of a picture that looks most generated, on the scale of the whole picture's thresholds.

    python -m full_image.part fit --features VALIDATION --heads ../encoder --manifest ../full_image_specialist/manifest.json --bands ../bands.json
    python -m full_image.part show --features TEST --part test --heads ../encoder --manifest ../full_image_specialist/manifest.json --bands ../bands.json

The peak of a picture is the highest mean of PEAK_SIDE by PEAK_SIDE tokens of its whole view (encoder.peak). Its log odds are scale x peak + offset, of each medium,
joined by the probability that the picture is drawn. `fit` sets both so that genuine validation pictures of a medium reach the thresholds of the profiles by their peak
about as often as by their score, PROFILES of measure.bands, and writes them into the manifest; `show` prints how often pictures do that stay below the threshold
as a whole: a check warns of these, and its verdict does not follow. Of pictures that people edited a part of (LOCAL) it prints how many either speaks of, and how well
the peak tells them from genuine pictures (AUC, with its 95% interval over owners).
"""

import argparse
import json
from pathlib import Path

import numpy as np

from data.degrade import TIERS
from data.mix import owner_of
from encoder.views import PEAK_KIND, PEAK_SIDE
from full_image.delivered import Delivered, labels_of, read_delivered, see
from full_image.early import whole_plan
from measure.bands import PROFILES
from measure.medium_thresholds import MEDIUMS, log_odds, is_drawn, threshold_between
from measure.metrics import auc, source_bootstrap


LOCAL = "edited-local"
"""Kind of a picture of which a generator made a part."""


def part_odds(peak: np.ndarray | float, drawn: np.ndarray | float, part: dict) -> np.ndarray | float:
    """Log odds by the peak; `part` is the manifest's."""
    photographed, painted = (part[medium]["scale"] * np.asarray(peak) + part[medium]["offset"] for medium in MEDIUMS)
    return (1 - drawn) * photographed + drawn * painted


def fit_medium(peaks: np.ndarray, thresholds: dict[str, float]) -> dict[str, float]:
    """Scale and offset by which genuine `peaks` reach the thresholds of the profiles as often as PROFILES says: least squares over the profiles."""
    at = [np.quantile(peaks, 1 - PROFILES[name]) for name in thresholds]
    scale, offset = np.polyfit(at, [log_odds(value) for value in thresholds.values()], 1)
    return {"scale": round(float(scale), 4), "offset": round(float(offset), 4)}


def fit(pictures: list[Delivered], manifest: dict, profiles: dict[str, dict[str, float]]) -> dict:
    """The manifest's `part`; `profiles`: the thresholds of each profile by medium."""
    drawn = is_drawn(see(pictures, whole_plan(manifest), manifest["drawn"]).drawn)
    peaks, genuine = np.array([picture.peak for picture in pictures]), labels_of(pictures) == 0
    return {"kind": PEAK_KIND, "side": PEAK_SIDE,
            **{medium: fit_medium(peaks[genuine & mine], {name: by_medium[medium] for name, by_medium in profiles.items()}) for medium, mine in zip(MEDIUMS, (~drawn, drawn))}}


def told_apart(odds: np.ndarray, local: np.ndarray, owners: np.ndarray, rows: np.ndarray) -> str:
    """AUC of `odds` among `rows`, bool [pictures], with the 95% interval over owners."""
    labels, odds = local[rows].astype(int), odds[rows]
    low, high = source_bootstrap(labels, owners[rows], lambda drawn: auc(labels[drawn], odds[drawn]))
    return f"{auc(labels, odds):.3f} ({low:.3f} to {high:.3f})"


def show(pictures: list[Delivered], manifest: dict, profiles: dict[str, dict[str, float]]) -> str:
    """How many pictures are warned of, in Markdown."""
    seen, labels = see(pictures, whole_plan(manifest), manifest["drawn"]), labels_of(pictures)
    odds = part_odds(np.array([picture.peak for picture in pictures]), seen.drawn, manifest["part"])
    tiers, drawn = np.array([picture.line["tier"] for picture in pictures]), is_drawn(seen.drawn)
    local = np.array([picture.line["kind"] == LOCAL for picture in pictures])
    owners_of = np.array([owner_of(picture.line["source"]) for picture in pictures])
    rows = [f"| a part looks generated, the whole does not | {' | '.join(TIERS)} |", "|---|" + "---|" * len(TIERS)]
    for name, by_medium in profiles.items():
        threshold = log_odds(threshold_between(*(by_medium[medium] for medium in MEDIUMS), seen.drawn))
        warned = (odds >= threshold) & (seen.odds < threshold)
        groups = {"genuine, photographed": (labels == 0) & ~drawn, "genuine, drawn": (labels == 0) & drawn, "AI": labels == 1}
        for who, mine in groups.items():
            if mine.any():
                rows.append(f"| {name}: {who} | {' | '.join(f'{warned[mine & (tiers == tier)].mean():.4f}' for tier in TIERS)} |")
        if local.any():
            owners = len(np.unique(owners_of[local]))
            spoken = [f"{(seen.odds >= threshold)[mine].sum()} found, {warned[mine].sum()} warned of {mine.sum()}" for mine in (local & (tiers == tier) for tier in TIERS)]
            rows.append(f"| {name}: a part edited by people, {owners} owners | {' | '.join(spoken)} |")
    if local.any() and (labels == 0).any():
        told = [told_apart(odds, local, owners_of, (local | (labels == 0)) & (tiers == tier)) for tier in TIERS]
        rows.append(f"| the peak, AUC of parts edited by people against genuine pictures | {' | '.join(told)} |")
    return "\n".join(rows)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("fit", "show"))
    for name in ("features", "manifest", "bands"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--heads", type=Path, nargs="+", required=True, help="files of heads, or an encoder's folder; a later one takes an earlier one's place")
    parser.add_argument("--part", default="validation", help="of the split, for show")
    arguments = parser.parse_args()
    manifest = json.loads(arguments.manifest.read_text())
    profiles = {name: {medium: band["full_image_specialist"][medium]["threshold"] for medium in MEDIUMS}
                for name, band in json.loads(arguments.bands.read_text())["profiles"].items()}
    pictures = read_delivered(arguments.features, arguments.heads, "validation" if arguments.what == "fit" else arguments.part)
    if arguments.what == "fit":
        manifest["part"] = fit(pictures, manifest, profiles)
        arguments.manifest.write_text(json.dumps(manifest, indent=2) + "\n")
    print(show(pictures, manifest, profiles))


if __name__ == "__main__":
    main()
