"""Tests of further training of the face heads: how often each face is drawn."""

import numpy as np
import pytest

from data.mix import source_of
from face_specialist.continue_training import MAX_SOURCE_SHARE, source_weights, within_sources
from face_specialist.train import partners_of


def face(source: str, label: str = "genuine", method: str = "", pair: str = "") -> dict:
    """Makes a face's line with the columns that `source_weights` reads."""
    return {"source": source, "label": label, "method": method, "pair": pair}


def test_no_source_is_drawn_over_its_share_and_paired_fakes_are_drawn_alike():
    lines = [
        each
        for source in range(150)
        for number in range(30 if source == 0 else 2)
        for each in (
            face(f"o{source}/r", pair=f"{source}.{number}"),
            face(f"o{source}/r", "manipulated", "reenacted", f"{source}.{number}"),
        )
    ]
    lines += [face("swaps/r", "manipulated", "inswapper")] * 40
    labels = np.array([line["label"] == "manipulated" for line in lines]).astype(int)
    drawn = source_weights(lines, labels, partners_of(lines))
    weights = within_sources(drawn, lines, labels)
    sources = np.array([source_of(line["source"]) for line in lines])
    assert weights.sum() == pytest.approx(1) and weights[labels == 1].sum() == pytest.approx(0.5)
    assert max(weights[sources == source].sum() for source in np.unique(sources)) < 1.05 * MAX_SOURCE_SHARE
    assert drawn[0:300:2] == pytest.approx(drawn[1:300:2])
