"""Fine-tuning runs of the face specialist's heads: whose faces they draw."""

import numpy as np
import pytest

from data.mix import owner_of
from face_specialist.continue_training import MOST_OF_AN_OWNER, owner_weights, within_owners
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
