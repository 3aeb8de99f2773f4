"""Tests of the heat map: equal to the file that the engine is tested with, and made of the right tokens."""

import json
from pathlib import Path

import numpy as np

from local_edits.golden import SIZES, make_case
from local_edits.heat_map import SIDE, PlacedCrop, grid_of, heat_map

GOLDEN = Path(__file__).resolve().parents[3] / "test" / "fixtures" / "heat_map.json"


def test_golden_file_is_what_this_room_makes():
    assert json.loads(GOLDEN.read_text())["cases"] == [make_case(*size) for size in SIZES]


def test_cells_are_of_a_tokens_size_at_least():
    assert grid_of(90, 70) == (5, 4)
    assert grid_of(1, 1) == (1, 1)
    assert grid_of(4000, 3000) == (26, 20)


def test_a_cell_is_the_mean_of_the_crops_that_show_it():
    crops = [PlacedCrop(np.zeros(0), x, 0, 448, 224) for x in (0, 112)]
    logits = np.stack([np.full(SIDE * SIDE, 1.0), np.full(SIDE * SIDE, 3.0)])
    cells = heat_map(crops, logits, 448, 224)
    assert cells.shape == (14, 28)
    np.testing.assert_allclose(cells[:, :7], 1)
    np.testing.assert_allclose(cells[:, 7:14], 2)
    np.testing.assert_allclose(cells[:, 14:21], 3)
    assert np.isnan(cells[:, 21:]).all()
