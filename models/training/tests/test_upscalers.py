"""Tests of the upscalers: they keep the content of an image of any size."""

import io

import cv2
import numpy as np
import pytest
from PIL import Image

from data.upscalers import UPSCALED, real_esrgan, waifu2x


def image(height: int, width: int) -> np.ndarray:
    """Makes an image of shapes with edges, RGB uint8."""
    drawn = np.full((4 * height, 4 * width, 3), (200, 180, 150), np.uint8)
    for y in range(0, 4 * height, 48):
        for x in range(0, 4 * width, 48):
            cv2.circle(drawn, (x + 20, y + 24), 16, (40 + x % 200, 90, 160), -1)
    return cv2.resize(drawn, (width, height), interpolation=cv2.INTER_AREA)


@pytest.mark.parametrize("upscaler", [real_esrgan, waifu2x])
@pytest.mark.parametrize("size", [(48, 65), (49, 64)])
def test_shrunk_again_it_is_the_image(upscaler, size):
    before = image(*size)
    after = upscaler()(before)
    assert after.shape == (size[0] * upscaler().factor, size[1] * upscaler().factor, 3)
    again = cv2.resize(after, size[::-1], interpolation=cv2.INTER_AREA)
    away, shifted = (np.abs(one.astype(int) - before).mean() for one in (again, np.roll(again, 1, axis=1)))
    assert away < 6  # Real-ESRGAN removes some detail as if it were noise.
    assert shifted > 1.5 * away


def test_what_arrives_is_a_larger_file():
    for name, perturbation in UPSCALED.items():
        if "Lanczos" in name:
            arrived = Image.open(io.BytesIO(perturbation(image(600, 800), np.random.default_rng(0))))
            assert arrived.size in ((1024, 768), (1280, 960)), name
