"""Degrades images as web sites and apps do, in the same way for both classes: resizing, JPEG, WebP, blur, colour.

The classes are AI images and genuine images. Every function takes and returns RGB uint8 [H,W,3]. Random choices come
from the given `numpy.random.Generator`.
"""

import io

import cv2
import numpy as np
from PIL import Image

INTERPOLATIONS = (cv2.INTER_AREA, cv2.INTER_LINEAR, cv2.INTER_CUBIC, cv2.INTER_LANCZOS4)
SUBSAMPLINGS = (cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444)
KERNELS = (Image.Resampling.LANCZOS, Image.Resampling.BICUBIC)
KERNEL_SHARE, SHARPENED = 0.4, 0.2
"""Shares of images in `deliver` that are shrunk by one of KERNELS, and that are sharpened afterwards."""
LEVELS = {"clean": None, "web": (768, 60), "hard": (512, 40)}
"""Degradation levels: longest side in px and JPEG quality (4:2:0). None leaves the image unchanged."""
LEVEL_NAMES = {"clean": "none", "web": "web", "hard": "heavy"}
"""Names of the levels in documents and printed tables. Score files and `bands.json` use the keys of LEVELS."""


def resize(image: np.ndarray, width: int, height: int) -> np.ndarray:
    """Resizes like the engine: INTER_AREA to shrink, INTER_LINEAR to enlarge."""
    shrinks = width < image.shape[1] or height < image.shape[0]
    return cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)


def shrink_to(image: np.ndarray, long_side: int) -> np.ndarray:
    """Shrinks an image to a longer side of at most `long_side` px. Never enlarges."""
    height, width = image.shape[:2]
    scale = long_side / max(height, width)
    if scale >= 1:
        return image
    return resize(image, max(1, round(width * scale)), max(1, round(height * scale)))


def sharpen(image: np.ndarray, amount: float, sigma: float) -> np.ndarray:
    """Sharpens by an unsharp mask: adds `amount` times the detail that a Gaussian blur of `sigma` px removes."""
    return cv2.addWeighted(image, 1 + amount, cv2.GaussianBlur(image, (0, 0), sigma), -amount, 0)


def deliver(image: np.ndarray, long_side: int, rng: np.random.Generator) -> np.ndarray:
    """Shrinks an image to a longer side of at most `long_side` px, as different programs do.

    Shrinks by area, or by an antialiasing cubic or Lanczos kernel, and sometimes sharpens afterwards.
    """
    height, width = image.shape[:2]
    scale = long_side / max(height, width)
    if scale >= 1:
        return image
    if rng.random() < KERNEL_SHARE:
        size = max(1, round(width * scale)), max(1, round(height * scale))
        image = np.asarray(Image.fromarray(image).resize(size, Image.Resampling(int(rng.choice(KERNELS)))))
    else:
        image = shrink_to(image, long_side)
    if rng.random() >= SHARPENED:
        return image
    return sharpen(image, float(rng.uniform(0.2, 1.0)), float(rng.uniform(0.5, 1.2)))


def encode_jpeg(image: np.ndarray, quality: int, subsampling: int = SUBSAMPLINGS[0]) -> bytes:
    """Encodes a JPEG file with the standard tables at `quality` 1..100."""
    options = [cv2.IMWRITE_JPEG_QUALITY, quality, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, subsampling]
    return cv2.imencode(".jpg", image[:, :, ::-1], options)[1].tobytes()


def decode(content: bytes) -> np.ndarray:
    """Decodes an image file that this module encoded."""
    return cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)[:, :, ::-1]


def jpeg(image: np.ndarray, quality: int, subsampling: int = SUBSAMPLINGS[0]) -> np.ndarray:
    """Compresses an image once as JPEG with the standard quantisation tables, and decodes it."""
    return decode(encode_jpeg(image, quality, subsampling))


def jpeg_other_tables(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Compresses an image once as JPEG with nearly flat random quantisation tables, as cameras and phones use them."""
    row, column = np.mgrid[:8, :8]
    base, slope = rng.uniform(1, 8), rng.uniform(0.2, 4)
    luma = np.clip(base + slope * (row + column) ** rng.uniform(0.8, 1.3), 1, 255)
    tables = [table.astype(int).flatten().tolist() for table in (luma, np.clip(luma * rng.uniform(1, 2), 1, 255))]
    stream = io.BytesIO()
    Image.fromarray(image).save(stream, "JPEG", qtables=tables, subsampling=int(rng.choice([0, 2])))
    return decode(stream.getvalue())


def webp(image: np.ndarray, quality: int) -> np.ndarray:
    """Compresses an image once as lossy WebP at `quality` 1..100, and decodes it."""
    return decode(cv2.imencode(".webp", image[:, :, ::-1], [cv2.IMWRITE_WEBP_QUALITY, quality])[1].tobytes())


def recompress(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Compresses an image once: mostly as standard JPEG of quality 30 to 95, otherwise with other tables or as WebP."""
    draw = rng.random()
    if draw < 0.72:
        return jpeg(image, int(rng.integers(30, 96)), SUBSAMPLINGS[int(rng.random() < 0.3)])
    if draw < 0.85:
        return jpeg_other_tables(image, rng)
    return webp(image, int(rng.integers(40, 96)))


def rescale(image: np.ndarray, scale: float, rng: np.random.Generator) -> np.ndarray:
    """Resizes an image by the factor `scale` with a random kernel (an antialiasing one for factors below 0.75)."""
    kernel = int(rng.choice(INTERPOLATIONS[:1] if scale < 0.75 else INTERPOLATIONS))
    size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
    return cv2.resize(image, size, interpolation=kernel)


def soften(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Blurs an image, or shrinks and enlarges it, so that it looks like an enlarged thumbnail."""
    if rng.random() < 0.5:
        return cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.4, 1.2)))
    height, width = image.shape[:2]
    small = rescale(image, float(rng.uniform(0.45, 0.9)), rng)
    return cv2.resize(small, (width, height), interpolation=int(rng.choice(INTERPOLATIONS[1:])))


def regrade(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Changes colours as another camera or editor would: gain and gamma per channel, sometimes grey or noise."""
    ramp = np.arange(256) / 255
    gamma, gain = np.exp(rng.normal(0, 0.2)), rng.uniform(0.85, 1.15)
    table = np.stack([255 * gain * rng.uniform(0.92, 1.08) * ramp**gamma for _ in range(3)], 1)
    image = cv2.LUT(image, np.clip(table, 0, 255).astype(np.uint8).reshape(256, 1, 3))
    draw = rng.random()
    if draw < 0.08:
        image = cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
    elif draw < 0.25:
        noise = rng.normal(0, rng.uniform(1, 6), image.shape)
        image = np.clip(image + noise, 0, 255).astype(np.uint8)
    return image


def degrade(
    image: np.ndarray, rng: np.random.Generator, passes: tuple[float, float, float] = (0.15, 0.5, 0.35)
) -> np.ndarray:
    """Degrades an image at random: changes colours (50%) and softens (15%), then compresses once, twice or not at all.

    `rounds` has the probabilities of 0, 1 and 2 compressions. Between two compressions the image is slightly resized.
    """
    if rng.random() < 0.5:
        image = regrade(image, rng)
    if rng.random() < 0.15:
        image = soften(image, rng)
    for index in range(int(rng.choice(3, p=passes))):
        if index:
            height, width = image.shape[:2]
            if rng.random() < 0.5:
                image = rescale(image, float(rng.uniform(0.75, 1.15)), rng)
                if rng.random() < 0.3:
                    image = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA)
        image = recompress(image, rng)
    return image


def to_level(image: np.ndarray, level: str) -> np.ndarray:
    """Degrades an image to a level: "clean" (unchanged), "web" (768 px, quality 60) or "hard" (512 px, quality 40)."""
    setting = LEVELS[level]
    if setting is None:
        return image
    return jpeg(shrink_to(image, setting[0]), setting[1])
