"""The upscalers keep what a picture shows, at any size."""
import io

import cv2
import numpy as np
import pytest
from PIL import Image

from data.upscalers import UPSCALED, real_esrgan, waifu2x


def picture(height: int, width: int) -> np.ndarray:
    """Shapes with edges, RGB uint8."""
    drawn = np.full((height, width, 3), (200, 180, 150), np.uint8)
    cv2.circle(drawn, (width // 2, height // 2), min(height, width) // 3, (40, 90, 160), -1, cv2.LINE_AA)
    return cv2.GaussianBlur(drawn, (0, 0), 1)


@pytest.mark.parametrize("upscaler", [real_esrgan, waifu2x])
@pytest.mark.parametrize("size", [(24, 33), (25, 32)])
def test_shrunk_again_it_is_the_picture(upscaler, size):
    before = picture(*size)
    after = upscaler()(before)
    assert after.shape == (size[0] * upscaler().factor, size[1] * upscaler().factor, 3)
    again = cv2.resize(after, size[::-1], interpolation=cv2.INTER_AREA)
    away, shifted = (np.abs(one.astype(int) - before).mean() for one in (again, np.roll(again, 1, axis=1)))
    assert away < 6  # Real-ESRGAN smooths what it takes for noise.
    assert shifted > 1.5 * away


def test_what_arrives_is_a_larger_file():
    for name, treatment in UPSCALED.items():
        if "Lanczos" in name:
            arrived = Image.open(io.BytesIO(treatment(picture(600, 800), np.random.default_rng(0))))
            assert arrived.size in ((1024, 768), (1280, 960)), name
