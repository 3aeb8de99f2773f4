"""Early exit: after a round of some views a picture whose score is beyond the bounds shows no more of them.

    python -m full_image.early choose --features VALIDATION --heads ../encoder --manifest ../full_image_specialist/manifest.json
    python -m full_image.early show --features TEST --part test --heads ../encoder --manifest ../full_image_specialist/manifest.json --bands ../bands.json

`choose` fits the plans of ROUNDS on validation pictures, finds the bounds and writes both into the manifest, as `full_image.plans fit` does, and
prints what `show` prints. The bounds of a round lie a margin, in log odds, below the lowest and above the highest threshold that the pictures give
(measure.medium_thresholds), or those of `--bands`. Of all margins those are taken that save most among those for which no profile gets another verdict than by
all views for more than MOST_CHANGED of the genuine or of the AI pictures.
"""

import argparse
import itertools
import json
from pathlib import Path

import numpy as np

from full_image.delivered import Delivered, Seen, labels_of, plan_of, read_delivered, see
from measure.bands import PROFILES
from measure.medium_thresholds import MEDIUMS, early_exit_bounds, fit_mediums, genuine_of, log_odds, rounded_up, threshold_between
from measure.metrics import auc, recall_at
from measure.score_file import Scores

ROUNDS = ((1, 0, 0), (1, 0, 2))
"""Views of each of encoder.features.VIEW_KINDS that were seen when a round ends; the last round, of all, follows. One, two and two views
are three steps of two cores, as five at once are; other rounds save less (experiments/0014)."""
MOST_CHANGED = 0.0007
"""Of the pictures of a class. A share of 0.1% is what pictures may have that had no hand in the choice."""
MOST_LOST = 0.005
"""AUC that a tier may lose: what ends early far below every threshold is put in order by fewer views."""
MARGINS = np.round(np.arange(0.2, 4.01, 0.05), 2)
GENUINE_SHARE = 0.9
"""Of the pictures that people send: what costs and savings are told for."""


def whole_plan(manifest: dict) -> dict:
    """The plan of all views."""
    return next(plan for plan in manifest["plans"] if plan["views"] == manifest["default_views"])


def beyond(seen: Seen, bounds: dict) -> np.ndarray:
    """How far each picture is beyond the bounds, in log odds; what is over 0 exits early."""
    below, above = early_exit_bounds(bounds, seen.drawn)
    return np.maximum(below - seen.odds, seen.odds - above)


def join_rounds(rounds: list[Seen], ends: list[np.ndarray]) -> Seen:
    """Each picture by the first of `rounds` that ends it, the last otherwise; `ends`: of each round but the last, which exit early."""
    joined = rounds[-1]
    for seen, end in reversed(list(zip(rounds, ends))):
        joined = Seen(*(np.where(end, mine, later) for mine, later in zip(vars(seen).values(), vars(joined).values(), strict=True)))
    return joined


def see_early(pictures: list[Delivered], manifest: dict) -> Seen:
    """The pictures as the engine sees them: round by round, with early exit."""
    early = manifest["early_exit"]["rounds"]
    rounds = [see(pictures, plan, manifest["drawn"]) for plan in [*early, whole_plan(manifest)]]
    return join_rounds(rounds, [beyond(seen, plan["bounds"]) > 0 for seen, plan in zip(rounds, early)])


def thresholds_of(pictures: list[Delivered], whole: Seen) -> dict[str, dict[str, float]]:
    """Thresholds by profile and medium that hold each profile's rate for these pictures, as measure.bands sets them."""
    column = lambda name: np.array([picture.line[name] for picture in pictures])
    scores = Scores(column("sha256"), labels_of(pictures), *map(column, ("source", "generator", "kind", "content", "tier")),
                    np.round(1 / (1 + np.exp(-whole.odds)), 6), np.round(whole.drawn, 6))
    genuine = genuine_of(scores)
    return {profile: {medium: float(rounded_up(value)) for medium, value in fit_mediums(genuine, rate).items()} for profile, rate in PROFILES.items()}


def verdicts(seen: Seen, thresholds: dict) -> np.ndarray:
    """Whether each picture fires in each profile, bool [pictures, profiles]."""
    score = 1 / (1 + np.exp(-seen.odds))
    return np.stack([score >= threshold_between(*(by_medium[medium] for medium in MEDIUMS), seen.drawn) for by_medium in thresholds.values()], axis=1)


def sent_weights(labels: np.ndarray) -> np.ndarray:
    """Weights of the pictures as people send them, sum 1."""
    return np.where(labels == 1, (1 - GENUINE_SHARE) / (labels == 1).sum(), GENUINE_SHARE / (labels == 0).sum())


def order_lost(joined: Seen, whole: Seen, labels: np.ndarray, tiers: np.ndarray) -> float:
    """The most that the AUC of a tier falls from `whole` to `joined`."""
    return max(auc(labels[mine], whole.odds[mine]) - auc(labels[mine], joined.odds[mine]) for mine in (tiers == tier for tier in np.unique(tiers)))


def choose_margins(rounds: list[Seen], thresholds: dict, labels: np.ndarray, tiers: np.ndarray) -> tuple[float, ...]:
    """The margins of all rounds but the last; raises ValueError where none keeps the verdicts and the order."""
    reach = {medium: {"below": min(by[medium] for by in thresholds.values()), "above": max(by[medium] for by in thresholds.values())} for medium in MEDIUMS}
    distances = [beyond(seen, reach) for seen in rounds[:-1]]
    right = verdicts(rounds[-1], thresholds)
    changed = [verdicts(seen, thresholds) != right for seen in rounds[:-1]]
    weights, best = sent_weights(labels), (np.inf, ())
    saved = [weights * (rounds[-1].views - seen.views) for seen in rounds[:-1]]
    for margins in itertools.product(MARGINS, repeat=len(distances)):
        left, cost, wrong = np.ones(len(labels), bool), 0.0, np.zeros((2, len(thresholds)))
        for distance, change, save, margin in zip(distances, changed, saved, margins, strict=True):
            ended = left & (distance > margin)
            left &= ~ended
            cost -= save[ended].sum()
            wrong += [change[ended & (labels == label)].sum(0) for label in (0, 1)]
        shares = wrong / np.array([[(labels == 0).sum()], [(labels == 1).sum()]])
        if cost < best[0] and shares.max() <= MOST_CHANGED:
            joined = join_rounds(rounds, [distance > margin for distance, margin in zip(distances, margins, strict=True)])
            if order_lost(joined, rounds[-1], labels, tiers) <= MOST_LOST:
                best = (cost, margins)
    if not best[1]:
        raise ValueError("no margins keep verdicts and order: a round's views say something else than all of them")
    return tuple(map(float, best[1]))


def bounds_of(thresholds: dict, margin: float) -> dict:
    """The bounds of the early exit by medium, 0..1 on four decimals, rounded outwards."""
    shifted = lambda threshold, by: 1 / (1 + np.exp(-log_odds(threshold) - by))
    return {medium: {"below": float(np.floor(1e4 * shifted(min(by[medium] for by in thresholds.values()), -margin)) / 1e4),
                   "above": float(np.ceil(1e4 * shifted(max(by[medium] for by in thresholds.values()), margin)) / 1e4)} for medium in MEDIUMS}


def choose(pictures: list[Delivered], manifest: dict, thresholds: dict | None = None) -> dict:
    """`early_exit` of the manifest: for which model, and of each round its plan and its bounds; `thresholds` as in `table`."""
    plans = [plan_of(pictures, counts) for counts in ROUNDS]
    rounds = [see(pictures, plan, manifest["drawn"]) for plan in [*plans, whole_plan(manifest)]]
    thresholds = thresholds or thresholds_of(pictures, rounds[-1])
    margins = choose_margins(rounds, thresholds, labels_of(pictures), np.array([picture.line["tier"] for picture in pictures]))
    return {"model": f"telltale-{manifest['version']}",
            "rounds": [{**plan, "margin": margin, "bounds": bounds_of(thresholds, margin)} for plan, margin in zip(plans, margins, strict=True)]}


def table(pictures: list[Delivered], manifest: dict, thresholds: dict | None = None) -> str:
    """What early exit saves and changes, in Markdown; `thresholds` by profile and medium, default: those that the pictures give."""
    labels, whole, early = labels_of(pictures), see(pictures, whole_plan(manifest), manifest["drawn"]), see_early(pictures, manifest)
    thresholds = thresholds or thresholds_of(pictures, whole)
    weights, classes = sent_weights(labels), {"genuine": labels == 0, "AI": labels == 1}
    rows = [f"| {len(pictures)} pictures and tiers | " + " | ".join(classes) + " | nine to one |", "|---|---|---|---|"]
    cells = lambda values, form: " | ".join(form.format(found) for found in (*(values[mine].mean() for mine in classes.values()), weights @ values))
    ways = sorted({plan["views"] for plan in [*manifest["early_exit"]["rounds"], whole_plan(manifest)]})
    for fewer, views in zip([0, *ways], ways):
        rows.append(f"| show up to {views} views | {cells(((early.views > fewer) & (early.views <= views)).astype(float), '{:.3f}')} |")
    rows.append(f"| views of a picture | {cells(early.views.astype(float), '{:.2f}')} |")
    rows.append(f"| the same ÷ all views | {cells(early.views * whole.views.mean() ** -1, '{:.3f}')} |")
    changed = verdicts(early, thresholds) != verdicts(whole, thresholds)
    for profile, mine in zip(thresholds, changed.T, strict=True):
        rows.append(f"| another verdict, {profile} | {cells(100 * mine, '{:.3f}%')} |")
    recalls = [recall_at(labels, seen.odds, 0.01) for seen in (whole, early)]
    return "\n".join([*rows, f"Recall at 1%: {recalls[0]:.4f} by all views, {recalls[1]:.4f} with early exit. "
                             f"Another verdict of all pictures: {100 * changed.mean(0).max():.3f}% at most."])


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("choose", "show"))
    parser.add_argument("--features", type=Path, required=True)
    parser.add_argument("--heads", type=Path, nargs="+", required=True, help="files of heads, or an encoder's folder; a later one takes an earlier one's place")
    parser.add_argument("--manifest", type=Path, required=True)
    parser.add_argument("--part", default="validation", help="of the split, for show")
    parser.add_argument("--bands", type=Path, help="the thresholds to judge by; default: those that the pictures give")
    arguments = parser.parse_args()
    manifest = json.loads(arguments.manifest.read_text())
    pictures = read_delivered(arguments.features, arguments.heads, "validation" if arguments.what == "choose" else arguments.part)
    profiles = json.loads(arguments.bands.read_text())["profiles"] if arguments.bands else {}
    thresholds = {name: {medium: band["full_image_specialist"][medium]["threshold"] for medium in MEDIUMS} for name, band in profiles.items()}
    if arguments.what == "choose":
        manifest["early_exit"] = choose(pictures, manifest, thresholds)
        arguments.manifest.write_text(json.dumps(manifest, indent=2) + "\n")
    print(table(pictures, manifest, thresholds))


if __name__ == "__main__":
    main()
