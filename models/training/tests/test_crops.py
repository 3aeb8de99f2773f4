"""Tests of the crops: they equal the engine's test file and have the properties that the engine needs."""

import json
from pathlib import Path

import numpy as np
import pytest

from encoder.backbone import CROP_PX
from encoder.crops import CropType, are_blank, choose_grid, choose_positions, cut_crops, pad, shrink_short_side
from encoder.golden import CASES, make_case, synthetic_image
from encoder.samples import KINDS, training_crops

GOLDEN = Path(__file__).resolve().parents[3] / "test" / "fixtures" / "views.json"


def test_golden_file_is_what_this_room_makes():
    assert json.loads(GOLDEN.read_text())["cases"] == [make_case(*case) for case in CASES]


@pytest.mark.parametrize("short_side_px", [None, 224, 320])
@pytest.mark.parametrize("width,height", [(1, 1), (64, 900), (224, 225), (333, 257), (2000, 1500), (5000, 200)])
def test_places_lie_inside_and_number_at_most_the_count(width, height, short_side_px):
    pixels = pad(shrink_short_side(synthetic_image(width, height), short_side_px))
    places = choose_positions(pixels, 5)
    assert 1 <= len(places) <= 5
    assert all(0 <= x <= pixels.shape[1] - CROP_PX and 0 <= y <= pixels.shape[0] - CROP_PX for x, y in places)


def test_grid_follows_the_aspect():
    assert choose_grid(2000, 2000, 16) == (4, 4)
    columns, rows = choose_grid(6000, 2000, 16)
    assert columns > rows


def test_the_textured_part_of_a_cell_is_taken():
    pixels = np.full((448, 448, 3), 90, np.uint8)
    pixels[224:, 224:] = np.random.default_rng(1).integers(0, 256, (224, 224, 3))
    assert choose_positions(pixels, 1) == [(224, 224)]


def test_small_images_are_padded_by_reflection():
    pixels = synthetic_image(100, 224)
    crop = cut_crops(pixels, CropType("native", None, 1))[0]
    assert np.array_equal(crop[:, 100], pixels[:, 98])


@pytest.mark.parametrize(("width", "height"), [(256, 300), (700, 500), (2600, 300)])
def test_training_crops_are_of_every_kind_and_repeat_with_their_seed(width, height):
    image = synthetic_image(width, height)
    for seed in range(6):
        crops, again = (training_crops(image, np.random.default_rng(seed)) for _ in range(2))
        assert sorted(crops) == sorted(KINDS)
        for kind, crop in crops.items():
            assert crop.shape == (CROP_PX, CROP_PX, 3) and crop.dtype == np.uint8
            assert np.array_equal(crop, again[kind])
    assert not np.array_equal(crops["native"], training_crops(image, np.random.default_rng(99))["native"])


def test_crops_of_one_colour_are_blank():
    crops = [np.full((224, 224, 3), (200, 0, 90), np.uint8) for _ in range(2)]
    assert are_blank(crops)
    crops[0][3, 4, 0], crops[1][5, 6, 0] = 203, 197
    assert are_blank(crops)
    crops[1][5, 6, 0] = 196
    assert not are_blank(crops)
