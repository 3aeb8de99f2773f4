"""Degradations of images on their way, the same for both classes: rescaling, JPEG, WebP, blur, upscaling, colour.

Every function takes and returns RGB uint8 [H,W,3]. Random choices come from the `numpy.random.Generator` passed in.
"""

import io

import cv2
import numpy as np
from PIL import Image

INTERPOLATIONS = (cv2.INTER_AREA, cv2.INTER_LINEAR, cv2.INTER_CUBIC, cv2.INTER_LANCZOS4)
SUBSAMPLINGS = (cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444)
KERNELS = (Image.Resampling.LANCZOS, Image.Resampling.BICUBIC)
KERNEL_SHARE, SHARPENED = 0.4, 0.2
"""Shares of deliveries that shrink by one of KERNELS, and that sharpen afterwards."""
LEVELS = {"clean": None, "web": (768, 60), "hard": (512, 40)}
"""Degradation levels: longest side in px and JPEG quality (4:2:0). None leaves the image as it is."""
LEVEL_NAMES = {"clean": "none", "web": "web", "hard": "heavy"}
"""Names of the levels in documents and printed tables; score files and `bands.json` keep the keys of LEVELS."""


def resize(image: np.ndarray, width: int, height: int) -> np.ndarray:
    """Resamples as the engine does: INTER_AREA when shrinking, INTER_LINEAR when enlarging."""
    shrinks = width < image.shape[1] or height < image.shape[0]
    return cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)


def shrink_to(image: np.ndarray, long_side: int) -> np.ndarray:
    """Shrinks to a longest side of at most `long_side` px; never enlarges."""
    height, width = image.shape[:2]
    scale = long_side / max(height, width)
    if scale >= 1:
        return image
    return resize(image, max(1, round(width * scale)), max(1, round(height * scale)))


def sharpen(image: np.ndarray, amount: float, sigma: float) -> np.ndarray:
    """Sharpens by an unsharp mask: adds `amount` of what a Gaussian of `sigma` px removes."""
    return cv2.addWeighted(image, 1 + amount, cv2.GaussianBlur(image, (0, 0), sigma), -amount, 0)


def deliver(image: np.ndarray, long_side: int, rng: np.random.Generator) -> np.ndarray:
    """Shrinks to at most `long_side` as different programs do:

    by area, or by an antialiasing cubic or Lanczos kernel; sometimes sharpens.
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
    return (
        sharpen(image, float(rng.uniform(0.2, 1.0)), float(rng.uniform(0.5, 1.2)))
        if rng.random() < SHARPENED
        else image
    )


def encode_jpeg(image: np.ndarray, quality: int, subsampling: int = SUBSAMPLINGS[0]) -> bytes:
    """Encodes a JPEG file with the standard tables at `quality` 1..100."""
    options = [cv2.IMWRITE_JPEG_QUALITY, quality, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, subsampling]
    return cv2.imencode(".jpg", image[:, :, ::-1], options)[1].tobytes()


def decode(content: bytes) -> np.ndarray:
    """Decodes what this module encoded."""
    return cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)[:, :, ::-1]


def jpeg(image: np.ndarray, quality: int, subsampling: int = SUBSAMPLINGS[0]) -> np.ndarray:
    """Compresses once as JPEG with the standard tables."""
    return decode(encode_jpeg(image, quality, subsampling))


def jpeg_other_tables(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Compresses once as JPEG with nearly flat random tables, as cameras and phones use them."""
    row, column = np.mgrid[:8, :8]
    base, slope = rng.uniform(1, 8), rng.uniform(0.2, 4)
    luma = np.clip(base + slope * (row + column) ** rng.uniform(0.8, 1.3), 1, 255)
    tables = [table.astype(int).flatten().tolist() for table in (luma, np.clip(luma * rng.uniform(1, 2), 1, 255))]
    stream = io.BytesIO()
    Image.fromarray(image).save(stream, "JPEG", qtables=tables, subsampling=int(rng.choice([0, 2])))
    return decode(stream.getvalue())


def webp(image: np.ndarray, quality: int) -> np.ndarray:
    """Compresses once as lossy WebP at `quality` 1..100."""
    return decode(cv2.imencode(".webp", image[:, :, ::-1], [cv2.IMWRITE_WEBP_QUALITY, quality])[1].tobytes())


def recompress(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Compresses once at random: mostly standard JPEG of quality 30 to 95, otherwise other tables or WebP."""
    draw = rng.random()
    if draw < 0.72:
        return jpeg(image, int(rng.integers(30, 96)), SUBSAMPLINGS[int(rng.random() < 0.3)])
    if draw < 0.85:
        return jpeg_other_tables(image, rng)
    return webp(image, int(rng.integers(40, 96)))


def rescale(image: np.ndarray, scale: float, rng: np.random.Generator) -> np.ndarray:
    """Rescales by `scale` with a random kernel (an antialiasing one below a scale of 0.75)."""
    kernel = int(rng.choice(INTERPOLATIONS[:1] if scale < 0.75 else INTERPOLATIONS))
    size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
    return cv2.resize(image, size, interpolation=kernel)


def soften(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Blurs, or shrinks and enlarges as enlarged thumbnails show."""
    if rng.random() < 0.5:
        return cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.4, 1.2)))
    height, width = image.shape[:2]
    small = rescale(image, float(rng.uniform(0.45, 0.9)), rng)
    return cv2.resize(small, (width, height), interpolation=int(rng.choice(INTERPOLATIONS[1:])))


def regrade(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Changes colours as another camera or editor would: gain and gamma by channel, sometimes grey or noise."""
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
    """Regrades (50%), softens (15%), then compresses 0, 1 or 2 times with these probabilities, with a slight rescale
    between.
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
                image = (
                    cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA) if rng.random() < 0.3 else image
                )
        image = recompress(image, rng)
    return image


def to_level(image: np.ndarray, level: str) -> np.ndarray:
    """Delivers an image at a level: "clean", "web" (768 px, q60) or "hard" (512 px, q40)."""
    setting = LEVELS[level]
    if setting is None:
        return image
    return jpeg(shrink_to(image, setting[0]), setting[1])
