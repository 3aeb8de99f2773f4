"""Views: the golden file, and the properties that the engine and the heat map count on."""
import json
from pathlib import Path

import numpy as np
import pytest

from encoder.golden import CASES, describe, synthetic_picture
from encoder.samples import KINDS, training_views
from encoder.tower import VIEW_PX
from encoder.views import ViewKind, are_blank, choose_grid, choose_places, cut_views, pad, shrink_short_side

GOLDEN = Path(__file__).resolve().parents[3] / "test" / "fixtures" / "views.json"


def test_golden_file_is_what_this_room_makes():
    assert json.loads(GOLDEN.read_text())["cases"] == [describe(*case) for case in CASES]


@pytest.mark.parametrize("short_side_px", [None, 224, 320])
@pytest.mark.parametrize("width,height", [(1, 1), (64, 900), (224, 225), (333, 257), (2000, 1500), (5000, 200)])
def test_places_lie_inside_and_number_at_most_the_count(width, height, short_side_px):
    pixels = pad(shrink_short_side(synthetic_picture(width, height), short_side_px))
    places = choose_places(pixels, 5)
    assert 1 <= len(places) <= 5
    assert all(0 <= x <= pixels.shape[1] - VIEW_PX and 0 <= y <= pixels.shape[0] - VIEW_PX for x, y in places)


def test_grid_follows_the_aspect():
    assert choose_grid(2000, 2000, 16) == (4, 4)
    columns, rows = choose_grid(6000, 2000, 16)
    assert columns > rows


def test_the_textured_part_of_a_cell_is_taken():
    pixels = np.full((448, 448, 3), 90, np.uint8)
    pixels[224:, 224:] = np.random.default_rng(1).integers(0, 256, (224, 224, 3))
    assert choose_places(pixels, 1) == [(224, 224)]


def test_small_pictures_are_padded_by_reflection():
    pixels = synthetic_picture(100, 224)
    view = cut_views(pixels, ViewKind("native", None, 1))[0]
    assert np.array_equal(view[:, 100], pixels[:, 98])


@pytest.mark.parametrize(("width", "height"), [(256, 300), (700, 500), (2600, 300)])
def test_training_views_are_of_every_kind_and_repeat_with_their_seed(width, height):
    picture = synthetic_picture(width, height)
    for seed in range(6):
        views, again = (training_views(picture, np.random.default_rng(seed)) for _ in range(2))
        assert sorted(views) == sorted(KINDS)
        for kind, view in views.items():
            assert view.shape == (VIEW_PX, VIEW_PX, 3) and view.dtype == np.uint8
            assert np.array_equal(view, again[kind])
    assert not np.array_equal(views["native"], training_views(picture, np.random.default_rng(99))["native"])


def test_views_of_one_colour_are_blank():
    views = [np.full((224, 224, 3), (200, 0, 90), np.uint8) for _ in range(2)]
    assert are_blank(views)
    views[0][3, 4, 0], views[1][5, 6, 0] = 203, 197
    assert are_blank(views)
    views[1][5, 6, 0] = 196
    assert not are_blank(views)
