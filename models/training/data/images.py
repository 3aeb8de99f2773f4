"""Decodes images as the engine does: upright (EXIF applied), RGB uint8, transparent pixels over white.

Input: a path. Output: RGB uint8 [H,W,3].
"""

import struct
from pathlib import Path

import numpy as np
import pillow_avif  # noqa: F401  registers AVIF
from PIL import Image, ImageFile, ImageOps

Image.MAX_IMAGE_PIXELS = None
ImageFile.LOAD_TRUNCATED_IMAGES = False


def read_image(path: Path) -> np.ndarray:
    """Reads an image file as upright RGB uint8 [H,W,3], transparent over white. Raises OSError if it is damaged."""
    with Image.open(path) as image:
        image = _turn_upright(image)
        if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
            image = image.convert("RGBA")
            image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
        return np.asarray(image.convert("RGB"))


def _turn_upright(image: Image.Image) -> Image.Image:
    """Applies the EXIF orientation. Like the engine, ignores EXIF data that can't be read."""
    try:
        return ImageOps.exif_transpose(image)
    except (SyntaxError, ValueError, struct.error):
        return image
