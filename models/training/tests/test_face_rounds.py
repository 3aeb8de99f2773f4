"""Further rounds of the face specialist's heads: whose faces they draw, and how sets of heads are held against each other."""

import numpy as np
import pytest

from data.mix import owner_of
from face_specialist.continue_training import MOST_OF_AN_OWNER, owner_weights, within_owners
from face_specialist.promised import Judged, drawings, drawn_by
from face_specialist.roster import DFDC
from face_specialist.train import partners_of


def face(source: str, label: str = "genuine", method: str = "", pair: str = "") -> dict:
    """What `owner_weights` asks of a face's line."""
    return {"source": source, "label": label, "method": method, "pair": pair}


def test_no_owner_is_drawn_over_its_share_and_twins_are_drawn_alike():
    lines = [each for owner in range(150) for number in range(30 if owner == 0 else 2) for each in
             (face(f"o{owner}/r", pair=f"{owner}.{number}"), face(f"o{owner}/r", "manipulated", "reenacted", f"{owner}.{number}"))]
    lines += [face("swaps/r", "manipulated", "inswapper")] * 40
    labels = np.array([line["label"] == "manipulated" for line in lines]).astype(int)
    drawn = owner_weights(lines, labels, partners_of(lines))
    weights = within_owners(drawn, lines, labels)
    owners = np.array([owner_of(line["source"]) for line in lines])
    assert weights.sum() == pytest.approx(1) and weights[labels == 1].sum() == pytest.approx(0.5)
    assert max(weights[owners == owner].sum() for owner in np.unique(owners)) < 1.05 * MOST_OF_AN_OWNER
    assert drawn[0:300:2] == pytest.approx(drawn[1:300:2])


def judged(odds: np.ndarray) -> Judged:
    """Ten genuine pictures of people, ten others, five swaps."""
    kind = np.repeat([0, 1, 2], [10, 10, 5])
    none = np.zeros(25, bool)
    return Judged(odds, kind < 2, kind == 0, kind == 2, none, none, np.array([f"o{number // 2}" for number in range(25)]), np.where(kind < 2, 0.1, 0))


def test_the_threshold_keeps_the_promise_over_the_owners_that_were_drawn():
    odds = np.r_[np.linspace(-3, 0, 10), np.linspace(-5, -2, 10), np.linspace(-1, 3, 5)]
    once = np.ones(25)
    mine = judged(odds)
    assert mine.weights(once)[:10].sum() == pytest.approx(0.5) and mine.weights(once)[20:].sum() == 0
    found = mine.at(0.05, once)
    assert found["threshold"] == pytest.approx(np.nextafter(odds[8], 1)) and found["people accused"] == pytest.approx(0.1) and found["swaps"] == pytest.approx(0.8)
    # Without the owner of the two people that score highest the threshold falls.
    without = once.copy()
    without[8:10] = 0
    assert mine.at(0.05, without)["threshold"] < odds[7] + 1e-9 < found["threshold"]


def test_owners_are_drawn_whole_and_videos_by_themselves():
    owners = np.array(["a", "a", "b", "c"])
    for times in drawings(owners, rounds=20):
        assert times[0] == times[1] and times[1:].sum() == 3
    assert drawn_by({"source": DFDC, "group": "abc"}) == "video abc" and drawn_by({"source": "owner/name", "group": "abc"}) == "owner"
