"""Thresholds by delivery: fitted as those of the media are, from what no row of the same owner told."""

import numpy as np
import pytest

from data.degrade import TIERS
from measure.medium_thresholds import Genuine, fit_mediums, is_drawn, log_odds, rounded_up, weights_of
from measure.metrics import auc
from measure.score_file import Scores
from studies.delivery import FOLDS, WAYS, Estimated, Folded, bootstrap, estimate_delivery, fit_by_delivery, folded, judge, shares_of

RATE = 0.05
HARDER = {"clean": 0.0, "web": 1.0, "hard": 2.0}
"""By how much log odds of genuine pictures rise with delivery."""


def delivered(rng: np.random.Generator, pictures: int = 1500) -> tuple[Genuine, np.ndarray]:
    """Genuine pictures of 50 owners in every tier, some drawn, and shares of the tiers that are nearly sure."""
    tier, picture = np.tile(np.arange(3), pictures), np.repeat(np.arange(pictures), 3)
    drawn = np.round(np.repeat(np.where(rng.random(pictures) < 0.4, 0.9, 0.1) + rng.uniform(-0.1, 0.1, pictures), 3), 4)
    odds = np.repeat(rng.normal(-3, 1, pictures), 3) + np.array(list(HARDER.values()))[tier] + drawn
    return Genuine(odds, drawn, np.full(len(odds), "camera"), picture % 50, picture), 0.9 * np.eye(3)[tier] + 0.1 / 3


def test_by_one_delivery_they_are_the_thresholds_that_ship():
    genuine, _ = delivered(np.random.default_rng(1))
    ships = [float(rounded_up(value)) for value in fit_mediums(genuine, RATE).values()]
    assert fit_by_delivery(genuine, np.ones((len(genuine.odds), 1)), RATE).tolist() == pytest.approx(ships)


def test_every_tier_of_either_medium_holds_the_rate_and_wastes_little_of_it():
    genuine, delivery = delivered(np.random.default_rng(2))
    thresholds = fit_by_delivery(genuine, delivery, RATE)
    clean, web, hard = log_odds(thresholds.reshape(2, 3)).T
    assert (web > clean + 0.5).all() and (hard > web + 0.5).all()
    fires = genuine.odds >= shares_of(genuine.drawn, delivery) @ log_odds(thresholds)
    for tier in range(3):
        for drawn in (False, True):
            mine = (delivery.argmax(axis=1) == tier) & (is_drawn(genuine.drawn) == drawn)
            assert 0.7 * RATE < weights_of(genuine.where(mine), "drawn" if drawn else "photographed") @ fires[mine] <= RATE


def test_delivery_is_estimated_by_lines_that_saw_no_row_of_the_fold():
    rng = np.random.default_rng(3)
    tier, fold = np.tile(list(TIERS), 200), np.repeat(np.arange(FOLDS), 120)
    noise = rng.normal(size=(600, 300))
    told = noise + 2 * np.outer(np.array(list(HARDER.values()))[np.tile(np.arange(3), 200)], np.arange(300) < 5)
    chance, seen = (estimate_delivery(embeddings, tier, fold) for embeddings in (noise, told))
    np.testing.assert_allclose(seen.sum(axis=1), 1)
    assert seen.min() >= 0 and auc((tier != "clean").astype(int), 1 - seen[:, 0]) > 0.95 and auc((tier == "hard").astype(int), seen[:, 2]) > 0.8
    assert abs(auc((tier != "clean").astype(int), 1 - chance[:, 0]) - 0.5) < 0.1, "lines that saw the rows know 300 numbers of noise by heart"


def both(rng: np.random.Generator, pictures: int = 600) -> tuple[Estimated, Folded]:
    """Pictures of 30 owners in every tier, a third of them AI; every second genuine one has a face, none of which stands out."""
    tier, number = np.tile(list(TIERS), pictures), np.repeat(np.arange(pictures), 3)
    labels, text = (number % 3 == 0).astype(int), lambda value: np.full(3 * pictures, value)
    odds = np.repeat(rng.normal(-3, 1, pictures), 3) + 4 * labels
    kind = np.where(labels == 1, "generated", "camera")
    whole = folded(Scores(number.astype(str), labels, np.array([f"o{owner}/r" for owner in number % 31]), text("none"), kind, text("people"), tier, 1 / (1 + np.exp(-odds)), text(0.1)), seed=1)
    faces = whole.where((labels == 0) & (number % 2 == 0))
    faces = Folded(**{**vars(faces), "score": rng.random(len(faces.score)), "kind": np.full(len(faces.score), "portrait")})
    return Estimated(**vars(whole), delivery=WAYS["tier known"](whole)), faces


def test_an_owner_is_held_against_thresholds_of_other_folds():
    whole, faces = both(np.random.default_rng(4))
    strange = (whole.fold == 0) & (whole.labels == 0)
    whole.score[strange] = 0.99985  # A threshold that is fitted on them is rounded up to 0.9999.
    fires = judge(whole, faces, RATE, frozenset())
    assert fires.shape == (len(WAYS), len(whole.score)) and fires[:, strange].all(), "of their own fold 5% would fire"


def test_drawings_of_owners_keep_folds_and_move_what_is_found():
    whole, faces = both(np.random.default_rng(5))
    drawings = bootstrap(whole, faces, RATE, frozenset(), rounds=3)
    assert drawings.shape == (3, len(WAYS), 3, 3)
    assert len(np.unique(drawings[:, 0, :, 0])) > 1 and (drawings[..., 0] > 0.3).all()
