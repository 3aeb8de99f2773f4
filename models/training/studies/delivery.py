"""Thresholds by delivery: how far a picture was shrunk and compressed, estimated from its embedding, would choose between thresholds for clean, web and hard pictures.

    python -m studies.delivery --full-image full_image/run/validation_scores.csv --faces face_specialist/run/validation_scores.csv
                               --reference ../reference [--profile balanced] [--rounds 200]

Two logistic lines of the embedding (`models/reference`) tell shares of the three tiers. A picture's threshold then lies, in log odds, between six: those of either
medium in each tier. The table has three ways beside each other: one pair of thresholds for all deliveries, which ships; by the estimate; and by the tier itself, which
no engine knows. Every owner is in one of FOLDS; lines and thresholds, the face's too, come from the other folds. Intervals are over owners drawn with replacement.
Thresholds are fitted anew in each drawing, lines are not.
"""

import argparse
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from adaptation.reference import NAME_DIGITS, read_embeddings
from data.degrade import TIERS
from data.mix import owner_of
from measure.bands import PROFILES
from measure.medium_thresholds import MEDIUMS, ROUNDS, Genuine, genuine_of, is_drawn, log_odds, rounded_up, sides_of, weights_of
from measure.metrics import auc, source_bootstrap
from measure.promise import SPARED, by_face, face_threshold, is_people, left_by_face, of_owners, people_pictures
from measure.score_file import Scores, read_scores
from studies.new_owners import fit_line

FOLDS = 5
STRENGTH = 10.0
"""Of the pull of the two lines towards nothing."""
COLUMNS = ("found", *(f"accused, {medium}" for medium in MEDIUMS))


@dataclass(frozen=True)
class Folded(Scores):
    """Scores, and the fold of each row's owner."""

    fold: np.ndarray


@dataclass(frozen=True)
class Estimated(Folded):
    """The whole picture's scores, and estimated shares of TIERS, float [rows, 3]."""

    delivery: np.ndarray


WAYS = {
    "one pair for all": lambda rows: np.ones((len(rows.tier), 1)),
    "by delivery": lambda rows: rows.delivery,
    "tier known": lambda rows: (rows.tier[:, None] == np.array(list(TIERS))).astype(float),
}
"""Shares of deliveries by which the thresholds of rows lie between those that are fitted: float [rows, deliveries], sums 1."""


def folded(scores: Scores, seed: int) -> Folded:
    """Rows with the fold of their owner, by its name and a seed alone."""
    owners = np.array([owner_of(source) for source in scores.source])
    names, number = np.unique(owners, return_inverse=True)
    of_name = [int(np.random.default_rng([seed, *name.encode()]).integers(FOLDS)) for name in names]
    return Folded(**vars(scores), fold=np.array(of_name)[number])


def estimate_delivery(embeddings: np.ndarray, tier: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """Shares of TIERS of each row by lines that saw no row of its fold: float [rows, 3]. One line tells what was delivered at all, the other what was hard."""
    inputs = np.column_stack((embeddings, np.ones(len(tier))))
    chances = np.zeros((len(tier), 2))
    for each in np.unique(fold):
        kept, held = fold != each, fold == each
        for column, labels in enumerate((tier != "clean", tier == "hard")):
            line = fit_line(inputs[kept], np.zeros(kept.sum()), labels[kept].astype(float), np.ones(kept.sum()), STRENGTH)
            chances[held, column] = 1 / (1 + np.exp(-inputs[held] @ line))
    delivered, hard = chances[:, 0], chances.min(axis=1)
    return np.stack((1 - delivered, delivered - hard, hard), axis=1)


def shares_of(drawn: np.ndarray, delivery: np.ndarray) -> np.ndarray:
    """Share of each threshold in that of a row, [rows, media x deliveries]; `drawn` 0..1, `delivery` [rows, deliveries]."""
    drawn = np.round(drawn, 4)
    return (np.stack((1 - drawn, drawn), axis=1)[:, :, None] * delivery[:, None]).reshape(len(drawn), -1)


def fit_by_delivery(genuine: Genuine, delivery: np.ndarray, rate: float) -> np.ndarray:
    """Thresholds 0..1 [media x deliveries], rounded up, each of which holds `rate` for what looks so: by one delivery those of `fit_mediums`. One without rows has the
    highest of the others."""
    shares, looks = shares_of(genuine.drawn, delivery), delivery.argmax(axis=1)
    sides = {}
    for column in range(delivery.shape[1]):
        mine = np.flatnonzero(looks == column)
        for medium, side in sides_of(genuine.where(mine), rate).items():
            place = MEDIUMS.index(medium)
            sides[place * delivery.shape[1] + column] = side, mine[is_drawn(genuine.drawn[mine]) == bool(place)]
    first = {place: side.threshold(side.rows.odds, rate) for place, (side, _) in sides.items()}
    odds = np.full(shares.shape[1], max(first.values()))
    odds[list(first)] = list(first.values())
    for _ in range(ROUNDS):
        before = odds.copy()
        for place, (side, rows) in sides.items():
            of_others = shares[rows] @ odds - shares[rows, place] * odds[place]
            odds[place] = side.threshold((side.rows.odds - of_others) / shares[rows, place], rate)
        if np.abs(odds - before).max() < 1e-6:
            break
    return rounded_up(1 / (1 + np.exp(-odds)))


def fit_ways(whole: Estimated, faces: Folded, rate: float, people: frozenset[str]) -> tuple[float, list[np.ndarray]]:
    """The face's threshold, and for each of WAYS those of the whole picture, which has what the face leaves."""
    face = face_threshold(faces, is_people(faces, people), SPARED * rate)
    genuine = left_by_face(whole, faces, face)
    return face, [fit_by_delivery(genuine, delivery(whole)[whole.labels == 0], rate) for delivery in WAYS.values()]


def judge(whole: Estimated, faces: Folded, rate: float, people: frozenset[str]) -> np.ndarray:
    """Whether each row fires by either detector, by each of WAYS: bool [ways, rows]; thresholds come from the other folds."""
    fires = np.zeros((len(WAYS), len(whole.score)), bool)
    for fold in range(FOLDS):
        held, mine = whole.where(whole.fold == fold), np.flatnonzero(whole.fold == fold)
        face, thresholds = fit_ways(whole.where(whole.fold != fold), faces.where(faces.fold != fold), rate, people)
        accused = by_face(held, faces, face)
        for way, delivery in enumerate(WAYS.values()):
            odds = shares_of(held.drawn, delivery(held)) @ log_odds(thresholds[way])
            fires[way, mine] = accused | (held.score >= rounded_up(1 / (1 + np.exp(-odds))))
    return fires


def rates_of(whole: Scores, fires: np.ndarray) -> np.ndarray:
    """Shares [tiers, COLUMNS]: of AI pictures that fire, and of genuine ones of either medium, weighed as people send them."""
    rates = np.zeros((len(TIERS), len(COLUMNS)))
    for row, tier in enumerate(TIERS):
        rates[row, 0] = fires[(whole.tier == tier) & (whole.labels == 1)].mean()
        for column, medium in enumerate(MEDIUMS, 1):
            mine = (whole.tier == tier) & (whole.labels == 0) & (is_drawn(whole.drawn) == (medium == "drawn"))
            rates[row, column] = weights_of(genuine_of(whole.where(mine)), medium) @ fires[mine]
    return rates


def measure(whole: Estimated, faces: Folded, rate: float, people: frozenset[str]) -> np.ndarray:
    """`rates_of` each of WAYS, [ways, tiers, COLUMNS]."""
    return np.stack([rates_of(whole, fires) for fires in judge(whole, faces, rate, people)])


def bootstrap(whole: Estimated, faces: Folded, rate: float, people: frozenset[str], rounds: int, seed: int = 1) -> np.ndarray:
    """`measure` of owners that were drawn with replacement, [rounds, ways, tiers, COLUMNS]; one that is drawn twice stays in one fold."""
    rng = np.random.default_rng(seed)
    owners = np.unique([owner_of(source) for source in (*whole.source, *faces.source)])
    drawings = (list(rng.choice(owners, len(owners))) for _ in range(rounds))
    return np.stack([measure(of_owners(whole, drawn), of_owners(faces, drawn), rate, people) for drawn in drawings])


def told(value: float, values: np.ndarray, sign: str = "") -> str:
    """A share with the 95% interval of its drawings."""
    low, high = np.percentile(values, (2.5, 97.5))
    return f"{value:{sign}.3f} ({low:{sign}.3f} to {high:{sign}.3f})"


def print_estimate(whole: Estimated) -> None:
    """How well delivery is estimated: AUC of either line, and how many rows look most like their own tier."""
    owners = np.array([owner_of(source) for source in whole.source])
    delivered, hard = 1 - whole.delivery[:, 0], whole.delivery[:, 2]
    pairs = {"web and hard against clean": (delivered, whole.tier != "clean", np.ones(len(owners), bool)), "hard against web": (hard, whole.tier == "hard", whole.tier != "clean")}
    for name, (values, positive, mine) in pairs.items():
        labels, values = positive[mine].astype(int), values[mine]
        low, high = source_bootstrap(labels, owners[mine], lambda rows: auc(labels[rows], values[rows]))
        print(f"{name}: AUC {auc(labels, values):.4f} ({low:.4f} to {high:.4f})")
    looks = np.array(list(TIERS))[whole.delivery.argmax(axis=1)]
    print("most like their own tier: " + ", ".join(f"{tier} {(looks[whole.tier == tier] == tier).mean():.3f}" for tier in TIERS))


def print_thresholds(face: float, ways: list[np.ndarray]) -> None:
    """Thresholds that are fitted on all owners, by medium."""
    print(f"fitted on all owners: face {face:.4f}")
    for name, thresholds in zip(WAYS, ways, strict=True):
        of_media = zip(MEDIUMS, thresholds.reshape(len(MEDIUMS), -1), strict=True)
        print(f"{name}: " + "; ".join(f"{medium} {', '.join(f'{value:.4f}' for value in values)}" for medium, values in of_media))


def print_table(found: np.ndarray, drawings: np.ndarray) -> None:
    """A row for each of WAYS and tier, and what each way finds more than the first, over all tiers."""
    print(f"\n| thresholds | tier | {' | '.join(COLUMNS)} |\n|---|---|{'---|' * len(COLUMNS)}")
    for way, name in enumerate(WAYS):
        for row, tier in enumerate(TIERS):
            cells = [told(found[way, row, column], drawings[:, way, row, column]) for column in range(len(COLUMNS))]
            print(f"| {name} | {tier} | {' | '.join(cells)} |")
    print("\nFound over the three tiers, and the difference to the first, paired:")
    for way, name in enumerate(WAYS):
        mean, means = found[way, :, 0].mean(), drawings[:, way, :, 0].mean(axis=1)
        print(f"* {name}: {told(mean, means)}; {told(mean - found[0, :, 0].mean(), means - drawings[:, 0, :, 0].mean(axis=1), '+')}")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("full-image", "faces", "reference"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--profile", default="balanced", choices=PROFILES)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1, help="of the folds")
    arguments = parser.parse_args()
    whole, faces = (folded(read_scores(path), arguments.seed) for path in (arguments.full_image, arguments.faces))
    rows = read_scores(arguments.reference / "rows.csv")
    place = {key: row for row, key in enumerate(zip(rows.picture, rows.tier, strict=True))}
    embeddings = read_embeddings(arguments.reference)[[place[picture[:NAME_DIGITS], tier] for picture, tier in zip(whole.picture, whole.tier, strict=True)]]
    whole = Estimated(**vars(whole), delivery=estimate_delivery(embeddings, whole.tier, whole.fold))
    print_estimate(whole)
    rate, people = PROFILES[arguments.profile], people_pictures()
    print_thresholds(*fit_ways(whole, faces, rate, people))
    print_table(measure(whole, faces, rate, people), bootstrap(whole, faces, rate, people, arguments.rounds))


if __name__ == "__main__":
    main()
