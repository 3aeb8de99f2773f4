"""Thresholds for pictures that look photographed and for pictures that look drawn, and the one between them that a single picture has.

A picture that is drawn with probability p fires at `threshold_between(photographed, drawn, p)`. Both thresholds are fitted together on genuine pictures,
each on those that look so, with the other as it stands, until neither moves.
"""
from dataclasses import dataclass, replace

import numpy as np

from measure.kinds import SENT, group_of
from measure.metrics import threshold_allowing
from measure.score_file import Scores

MEDIUMS = ("photographed", "drawn")
DRAWN_FROM = 0.5
"""A picture looks drawn from this probability on; its threshold knows no such step."""
WORST_KIND = 4
"""Times the rate that genuine pictures of one group may fire, in any tier; one picture of a small one may."""
FULL_SOURCE = 10
"""Pictures from which on a source weighs as much as any other; one with fewer weighs less, so that a single picture never sets a threshold."""
ROUNDS = 50
"""In which the fit must come to rest."""


def log_odds(score: np.ndarray | float) -> np.ndarray | float:
    """Finite also at 0 and 1."""
    inside = np.clip(score, 1e-9, 1 - 1e-9)
    return np.log(inside / (1 - inside))


def rounded_up(threshold: np.ndarray | float) -> np.ndarray | float:
    """To four decimals, so that rounding never adds a false alarm."""
    return np.ceil(np.asarray(threshold) * 1e4 - 1e-6) / 1e4


def threshold_between(photographed: float, drawn: float, share: np.ndarray | float) -> np.ndarray | float:
    """The threshold of pictures that are drawn with probability `share` (0..1, on four decimals), as the engine's users compute it."""
    share = np.round(share, 4)
    return rounded_up(1 / (1 + np.exp(-(1 - share) * log_odds(photographed) - share * log_odds(drawn))))


def early_exit_bounds(bounds: dict, drawn: np.ndarray | float) -> tuple:
    """Log odds below and above which pictures that are drawn with probability `drawn` exit early: between those of the two media, as the engine
    computes them. `bounds`: scores 0..1 `below` and `above`, by medium."""
    return tuple((1 - drawn) * log_odds(bounds[MEDIUMS[0]][side]) + drawn * log_odds(bounds[MEDIUMS[1]][side]) for side in ("below", "above"))


def is_drawn(drawn: np.ndarray) -> np.ndarray:
    """Whether pictures of these probabilities are told of as drawn."""
    return np.round(drawn, 4) >= DRAWN_FROM


@dataclass(frozen=True)
class Classified(Scores):
    """Scores, and whether each row fires."""

    fires: np.ndarray


def apply_thresholds(scores: Scores, band: dict) -> Classified:
    """Rows held against their own thresholds by what bands.json has of the detector: one threshold, or one for each medium."""
    if "threshold" in band:
        thresholds = band["threshold"]
    else:
        thresholds = threshold_between(*(band[medium]["threshold"] for medium in MEDIUMS), scores.drawn)
    return Classified(*vars(scores).values(), scores.score >= thresholds)


def either(whole: Classified, faces: Classified) -> Classified:
    """The verdict of both detectors: the rows of the full image, firing where it or a face of the same image and level fires."""
    fired = {key for key, fires in zip(zip(faces.picture, faces.tier, strict=True), faces.fires, strict=True) if fires}
    return replace(whole, fires=whole.fires | np.array([key in fired for key in zip(whole.picture, whole.tier, strict=True)]))


@dataclass(frozen=True)
class Genuine:
    """Rows of genuine pictures, one a tier; arrays of one length."""

    odds: np.ndarray
    drawn: np.ndarray
    group: np.ndarray
    source: np.ndarray
    picture: np.ndarray

    def where(self, rows: np.ndarray) -> "Genuine":
        """The rows of a mask or an index array."""
        return Genuine(*(column[rows] for column in vars(self).values()))

    def of_sources(self, sources: np.ndarray) -> "Genuine":
        """The rows of these sources (numbers); one that is named twice is two sources with pictures of their own."""
        rows = [np.flatnonzero(self.source == source) for source in sources]
        place = np.repeat(np.arange(len(rows)), [len(found) for found in rows])
        drawn = self.where(np.concatenate(rows))
        return Genuine(drawn.odds, drawn.drawn, drawn.group, place, drawn.picture + place * (self.picture.max() + 1))


def genuine_of(scores: Scores) -> Genuine:
    """The genuine rows of a score file; sources and pictures by number. Raises ValueError for kinds that have no group."""
    rows = scores.where(scores.labels == 0)
    number = lambda values: np.unique(values, return_inverse=True)[1]
    return Genuine(log_odds(rows.score), np.round(rows.drawn, 4), group_of(rows.kind, rows.content), number(rows.source), number(rows.picture))


def weights_of(rows: Genuine, medium: str) -> np.ndarray:
    """Share of each row in what people send of this medium, sum 1: groups by SENT (drawn ones all alike), sources within them alike, and the rows of
    a source."""
    classes = SENT if medium == "photographed" else {tuple(np.unique(rows.group)): 1.0}
    weights = np.zeros(len(rows.odds))
    for groups, share in classes.items():
        mine = np.flatnonzero(np.isin(rows.group, groups))
        _, source, count = np.unique(rows.source[mine], return_inverse=True, return_counts=True)
        pictures = np.bincount(np.unique(np.stack((source, rows.picture[mine])), axis=1)[0], minlength=len(count))
        of_source = np.minimum(pictures, FULL_SOURCE) / count
        if len(mine):
            weights[mine] = share * of_source[source] / of_source[source].sum()
    return weights / weights.sum()


def threshold_weighing(values: np.ndarray, weights: np.ndarray, rate: float) -> float:
    """The lowest threshold at which values of at most `rate` of all weight fire."""
    order = np.argsort(-values)
    over = np.flatnonzero(np.cumsum(weights[order]) > rate * weights.sum() + 1e-12)
    return float(np.nextafter(values[order[over[0]]], np.inf)) if len(over) else -np.inf


@dataclass(frozen=True)
class Side:
    """Rows of one medium, their weights, and of each group that must hold by itself: its rows, their pictures from 0, and how many of those may fire."""

    rows: Genuine
    weights: np.ndarray
    groups: list[tuple[np.ndarray, np.ndarray, int]]

    def threshold(self, values: np.ndarray, rate: float) -> float:
        """The lowest threshold of `values`, one a row, that holds `rate` over all rows and what each group may; -20 to 20."""
        found = [threshold_weighing(values, self.weights, rate)]
        for mine, picture, allowed in self.groups:
            highest = np.full(picture.max() + 1, -np.inf)
            np.maximum.at(highest, picture, values[mine])
            found.append(threshold_allowing(highest, allowed))
        return float(np.clip(max(found), -20, 20))


def sides_of(genuine: Genuine, rate: float) -> dict[str, Side]:
    """The media that there are. A group holds by itself in the medium that most of its rows have: few strays set no threshold of the other."""
    sides, drawn = {}, is_drawn(genuine.drawn)
    at_home = {group: MEDIUMS[int(drawn[genuine.group == group].mean() >= 0.5)] for group in np.unique(genuine.group)}
    for medium in MEDIUMS:
        rows, groups = genuine.where(drawn == (medium == "drawn")), []
        for group in (group for group, home in at_home.items() if home == medium):
            mine = np.flatnonzero(rows.group == group)
            _, picture = np.unique(rows.picture[mine], return_inverse=True)
            groups.append((mine, picture, max(int(WORST_KIND * rate * (picture.max() + 1)), 1)))
        if len(rows.odds):
            sides[medium] = Side(rows, weights_of(rows, medium), groups)
    return sides


def fit_mediums(genuine: Genuine, rate: float) -> dict[str, float]:
    """Thresholds 0..1 by medium, not rounded, that hold `rate` for either medium. A medium without rows has the other's."""
    sides = sides_of(genuine, rate)
    odds = {medium: side.threshold(side.rows.odds, rate) for medium, side in sides.items()}
    for _ in range(ROUNDS if len(odds) == len(MEDIUMS) else 0):
        before = dict(odds)
        for medium, other in (MEDIUMS, MEDIUMS[::-1]):
            # What the threshold of this medium may be at most for a row to fire, with the other's as it is.
            weight = np.abs(sides[medium].rows.drawn - (medium == "photographed"))
            reached = (sides[medium].rows.odds - (1 - weight) * odds[other]) / weight
            odds[medium] = sides[medium].threshold(reached, rate)
        if all(abs(odds[medium] - before[medium]) < 1e-6 for medium in MEDIUMS):
            break
    return {medium: float(1 / (1 + np.exp(-odds.get(medium, max(odds.values()))))) for medium in MEDIUMS}


def bootstrap_mediums(genuine: Genuine, rate: float, rounds: int = 200, seed: int = 1) -> dict[str, tuple[float, float]]:
    """5 to 95% interval of each threshold when sources are drawn with replacement."""
    rng = np.random.default_rng(seed)
    sources = np.unique(genuine.source)
    drawn = [fit_mediums(genuine.of_sources(rng.choice(sources, len(sources))), rate) for _ in range(rounds)]
    return {medium: tuple(float(np.percentile([fit[medium] for fit in drawn], share)) for share in (5, 95)) for medium in MEDIUMS}
