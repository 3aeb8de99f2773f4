"""Tests of perturbations: the files can be decoded, have the right size and are equal for equal seeds."""

import numpy as np
import pytest

from data.degrade import decode
from data.perturbations import PERTURBATIONS, PHONE_PX, collage


@pytest.fixture
def image() -> np.ndarray:
    """Makes a wide image with some content."""
    rows, columns = np.mgrid[:300, :420]
    return np.stack((rows % 256, columns % 256, (rows + columns) % 256), axis=-1).astype(np.uint8)


@pytest.mark.parametrize("name", PERTURBATIONS)
def test_is_a_file_that_decodes_and_the_same_for_the_same_seed(name: str, image: np.ndarray) -> None:
    before = image.copy()
    first, second = (PERTURBATIONS[name](image, np.random.default_rng(7)) for _ in range(2))
    assert first == second
    assert min(decode(first).shape[:2]) >= 200
    assert np.array_equal(image, before)


def test_sizes(image: np.ndarray) -> None:
    size = lambda name: decode(PERTURBATIONS[name](image, np.random.default_rng(1))).shape[:2]
    assert size("cropped to 70%") == (210, 294)
    assert size("enlarged twice, Lanczos") == (600, 840)
    assert size("a phone's screenshot")[1] == PHONE_PX[0]


def test_a_collage_has_the_other_image_on_its_right(image: np.ndarray) -> None:
    white = np.full((100, 140, 3), 255, np.uint8)
    both = decode(collage(white)(image, np.random.default_rng(1)))
    assert both.shape[:2] == (300, 840)
    assert both[:, 430:].mean() > 250
    assert both[:, :410].mean() < 200


def test_a_photographed_screen_has_its_stripes(image: np.ndarray) -> None:
    flat = np.full((300, 420, 3), 180, np.uint8)
    seen = decode(PERTURBATIONS["a screen, photographed"](flat, np.random.default_rng(1)))
    assert (
        seen[200:280, 200:400].std()
        > 3 * decode(PERTURBATIONS["a warm filter"](flat, np.random.default_rng(1)))[:, :, 1].std()
    )
