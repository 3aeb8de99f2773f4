"""Patch selection: the golden file, and the properties that the engine and the heat map count on."""
import json
from pathlib import Path

import numpy as np
import pytest

from full_image.golden import synthetic_picture
from full_image.patches import choose_grid, cut_patches, select_patches, views_of

GOLDEN = Path(__file__).resolve().parents[3] / "test" / "fixtures" / "patch_selection.json"


@pytest.mark.parametrize("case", json.loads(GOLDEN.read_text())["cases"], ids=lambda case: f"{case['width']}x{case['height']}")
def test_golden_places(case):
    pixels = synthetic_picture(case["width"], case["height"])
    assert [list(place) for place in select_patches(pixels, case["size_px"], case["max_patches"])] == case["patches"]


@pytest.mark.parametrize("width,height", [(1, 1), (64, 900), (128, 129), (333, 257), (2000, 1500), (5000, 200)])
def test_places_lie_inside_and_number_at_most_what_the_manifest_says(width, height):
    pixels = synthetic_picture(width, height)
    places = select_patches(pixels, 128, 16)
    assert 1 <= len(places) <= 16
    assert all(0 <= x <= max(0, width - 128) and 0 <= y <= max(0, height - 128) for x, y in places)
    assert views_of(pixels, 128, 16).shape == (len(places) + 1, 128, 128, 3)


def test_grid_follows_the_aspect():
    assert choose_grid(1000, 1000, 128, 16) == (4, 4)
    columns, rows = choose_grid(3000, 1000, 128, 16)
    assert columns > rows


def test_the_textured_part_of_a_cell_is_taken():
    pixels = np.full((256, 256, 3), 90, np.uint8)
    pixels[128:, 128:] = np.random.default_rng(1).integers(0, 256, (128, 128, 3))
    assert select_patches(pixels, 128, 1) == [(128, 128)]


def test_small_pictures_are_padded_by_reflection():
    pixels = synthetic_picture(100, 128)
    patch = cut_patches(pixels, 128, [(0, 0)])[0]
    assert np.array_equal(patch[:, 100], pixels[:, 98])
