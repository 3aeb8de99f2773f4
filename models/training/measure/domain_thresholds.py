"""Fits separate thresholds for photographs and illustrations, and computes the threshold between them for an image.

An image that is an illustration with probability p is flagged at `threshold_between(photograph, illustration, p)`. Both
thresholds are fitted on genuine images of their own domain, in turn with the other fixed, until neither changes.
"""

from dataclasses import dataclass, fields, replace

import numpy as np

from measure.kinds import SENT, group_of
from measure.metrics import threshold_allowing
from measure.score_file import Scores

DOMAINS = ("photographed", "drawn")
ILLUSTRATION_FROM = 0.5
"""Probability from which an image is reported as an illustration. The threshold has no jump there."""
WORST_KIND = 4
"""Factor by which a group's flagged share may exceed the rate at a level. Small groups may have one false positive."""
FULL_SOURCE = 10
"""Number of images from which a source has full weight. Small sources weigh less: no image sets a threshold alone."""
ITERATIONS = 50
"""Maximum number of iterations of the fit."""


def log_odds(score: np.ndarray | float) -> np.ndarray | float:
    """Computes log odds that are finite even for 0 and 1."""
    inside = np.clip(score, 1e-9, 1 - 1e-9)
    return np.log(inside / (1 - inside))


def rounded_up(threshold: np.ndarray | float) -> np.ndarray | float:
    """Rounds up to four decimals, so that rounding never adds a false positive."""
    return np.ceil(np.asarray(threshold) * 1e4 - 1e-6) / 1e4


def threshold_between(photograph: float, illustration: float, share: np.ndarray | float) -> np.ndarray | float:
    """Returns the threshold of images that are illustrations with probability `share` (0..1, four decimals).

    It is the same computation as in the product.
    """
    share = np.round(share, 4)
    return rounded_up(1 / (1 + np.exp(-(1 - share) * log_odds(photograph) - share * log_odds(illustration))))


def early_exit_bounds(bounds: dict, illustration: np.ndarray | float) -> tuple:
    """Returns the log odds below and above which an image exits early, as the engine computes them.

    They lie between the bounds of both domains. `bounds` has scores 0..1 `below` and `above` by domain.
    """
    return tuple(
        (1 - illustration) * log_odds(bounds[DOMAINS[0]][side]) + illustration * log_odds(bounds[DOMAINS[1]][side])
        for side in ("below", "above")
    )


def is_illustration(illustration: np.ndarray) -> np.ndarray:
    """Returns whether images with these probabilities are reported as illustrations."""
    return np.round(illustration, 4) >= ILLUSTRATION_FROM


@dataclass(frozen=True)
class Classified(Scores):
    """Scores, and whether each row is flagged."""

    fires: np.ndarray


def apply_thresholds(scores: Scores, band: dict) -> Classified:
    """Flags rows by the thresholds of a detector in bands.json: one threshold, or one for each image domain."""
    if "threshold" in band:
        thresholds = band["threshold"]
    else:
        thresholds = threshold_between(*(band[domain]["threshold"] for domain in DOMAINS), scores.illustration)
    return Classified(*(getattr(scores, column.name) for column in fields(Scores)), scores.score >= thresholds)


def either(whole: Classified, faces: Classified) -> Classified:
    """Combines both detectors: a full image is flagged if it or a face of the same image and level is flagged."""
    fired = {key for key, fires in zip(zip(faces.image, faces.level, strict=True), faces.fires, strict=True) if fires}
    return replace(
        whole, fires=whole.fires | np.array([key in fired for key in zip(whole.image, whole.level, strict=True)])
    )


@dataclass(frozen=True)
class Genuine:
    """Rows of genuine images, one for each level, as arrays of equal length."""

    odds: np.ndarray
    illustration: np.ndarray
    group: np.ndarray
    source: np.ndarray
    image: np.ndarray

    def where(self, rows: np.ndarray) -> "Genuine":
        """Selects rows by a mask or an index array."""
        return Genuine(*(column[rows] for column in vars(self).values()))

    def select_sources(self, sources: np.ndarray) -> "Genuine":
        """Selects the rows of the sources with these numbers. A source named twice counts as two."""
        rows = [np.flatnonzero(self.source == source) for source in sources]
        place = np.repeat(np.arange(len(rows)), [len(found) for found in rows])
        chosen = self.where(np.concatenate(rows))
        return replace(chosen, source=place, image=chosen.image + place * (self.image.max() + 1))


def genuine_of(scores: Scores) -> Genuine:
    """Selects the genuine rows of a score file, and replaces the names of sources and images by numbers.

    Raises ValueError for unknown kinds of images.
    """
    rows = scores.where(scores.labels == 0)
    number = lambda values: np.unique(values, return_inverse=True)[1]
    return Genuine(
        log_odds(rows.score),
        np.round(rows.illustration, 4),
        group_of(rows.kind, rows.content),
        number(rows.source),
        number(rows.image),
    )


def weights_of(rows: Genuine, domain: str) -> np.ndarray:
    """Returns the share of each row in what people send of this image domain, with sum 1.

    Groups are weighted by SENT (all illustrations equally), sources within a group equally, and the rows of a source
    equally.
    """
    classes = SENT if domain == "photographed" else {tuple(np.unique(rows.group)): 1.0}
    weights = np.zeros(len(rows.odds))
    for groups, share in classes.items():
        mine = np.flatnonzero(np.isin(rows.group, groups))
        _, source, count = np.unique(rows.source[mine], return_inverse=True, return_counts=True)
        images = np.bincount(np.unique(np.stack((source, rows.image[mine])), axis=1)[0], minlength=len(count))
        of_source = np.minimum(images, FULL_SOURCE) / count
        if len(mine):
            weights[mine] = share * of_source[source] / of_source[source].sum()
    return weights / weights.sum()


def threshold_weighing(values: np.ndarray, weights: np.ndarray, rate: float) -> float:
    """Returns the lowest threshold that flags at most the share `rate` of all weight."""
    order = np.argsort(-values)
    over = np.flatnonzero(np.cumsum(weights[order]) > rate * weights.sum() + 1e-12)
    return float(np.nextafter(values[order[over[0]]], np.inf)) if len(over) else -np.inf


@dataclass(frozen=True)
class Side:
    """The rows of one image domain with their weights, and the groups that have a limit.

    Each group has its rows, its image numbers and its allowed number of false positives.
    """

    rows: Genuine
    weights: np.ndarray
    groups: list[tuple[np.ndarray, np.ndarray, int]]

    def threshold(self, values: np.ndarray, rate: float) -> float:
        """Returns the lowest threshold of `values` (one per row) that keeps `rate` over all rows and the limit of each
        group.

        It is limited to -20..20.
        """
        found = [threshold_weighing(values, self.weights, rate)]
        for mine, image, allowed in self.groups:
            highest = np.full(image.max() + 1, -np.inf)
            np.maximum.at(highest, image, values[mine])
            found.append(threshold_allowing(highest, allowed))
        return float(np.clip(max(found), -20, 20))


def sides_of(genuine: Genuine, rate: float) -> dict[str, Side]:
    """Makes both image domains.

    A group has its limit only in the domain of most of its rows, so that a few rows in the other domain set no
    threshold there.
    """
    sides, illustration = {}, is_illustration(genuine.illustration)
    at_home = {
        group: DOMAINS[int(illustration[genuine.group == group].mean() >= 0.5)] for group in np.unique(genuine.group)
    }
    for domain in DOMAINS:
        rows, groups = genuine.where(illustration == (domain == "drawn")), []
        for group in (group for group, home in at_home.items() if home == domain):
            mine = np.flatnonzero(rows.group == group)
            _, image = np.unique(rows.image[mine], return_inverse=True)
            groups.append((mine, image, max(int(WORST_KIND * rate * (image.max() + 1)), 1)))
        if len(rows.odds):
            sides[domain] = Side(rows, weights_of(rows, domain), groups)
    return sides


def fit_domains(genuine: Genuine, rate: float) -> dict[str, float]:
    """Fits thresholds 0..1 by image domain, not rounded, that each flag the share `rate` of genuine images.

    A domain without rows gets the threshold of the other.
    """
    sides = sides_of(genuine, rate)
    odds = {domain: side.threshold(side.rows.odds, rate) for domain, side in sides.items()}
    for _ in range(ITERATIONS if len(odds) == len(DOMAINS) else 0):
        before = dict(odds)
        for domain, other in (DOMAINS, DOMAINS[::-1]):
            # Highest threshold of this domain at which a row is flagged, if the threshold of the other domain is fixed.
            weight = np.abs(sides[domain].rows.illustration - (domain == "photographed"))
            reached = (sides[domain].rows.odds - (1 - weight) * odds[other]) / weight
            odds[domain] = sides[domain].threshold(reached, rate)
        if all(abs(odds[domain] - before[domain]) < 1e-6 for domain in DOMAINS):
            break
    return {domain: float(1 / (1 + np.exp(-odds.get(domain, max(odds.values()))))) for domain in DOMAINS}


def bootstrap_domains(
    genuine: Genuine, rate: float, resamples: int = 200, seed: int = 1
) -> dict[str, tuple[float, float]]:
    """Computes the 5 to 95% interval of each threshold by drawing sources with replacement."""
    rng = np.random.default_rng(seed)
    sources = np.unique(genuine.source)
    sampled = [fit_domains(genuine.select_sources(rng.choice(sources, len(sources))), rate) for _ in range(resamples)]
    return {
        domain: tuple(float(np.percentile([fit[domain] for fit in sampled], share)) for share in (5, 95))
        for domain in DOMAINS
    }
