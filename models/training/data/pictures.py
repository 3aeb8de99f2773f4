"""Decodes pictures as the engine does: upright (EXIF applied) RGB uint8, alpha over white."""
from pathlib import Path

import numpy as np
import pillow_avif  # noqa: F401  registers AVIF
from PIL import Image, ImageFile, ImageOps

Image.MAX_IMAGE_PIXELS = None
ImageFile.LOAD_TRUNCATED_IMAGES = False


def read_picture(path: Path) -> np.ndarray:
    """RGB uint8 [H,W,3] of a file, upright, alpha over white. Raises OSError where the file is damaged."""
    with Image.open(path) as picture:
        picture = ImageOps.exif_transpose(picture)
        if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
            picture = picture.convert("RGBA")
            picture = Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture)
        return np.asarray(picture.convert("RGB"))
