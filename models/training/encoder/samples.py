"""Training crops: random crops, rescaled and degraded in the same ways for both classes.

An image is used as it is, or delivered: shrunk and compressed as web sites do. It is then cut as the engine cuts
images: shrunk once to the crop's size, with nothing lossy after that. Native crops of the image as it is are degraded
separately.
"""

import numpy as np

from data.degrade import degrade, deliver, rescale, resize
from encoder.backbone import CROP_PX

DELIVERED = 0.6
DEGRADED = 0.55
RESCALED = 0.25
RESCALE = (0.88, 1.2)
"""Shares of native crops that are degraded and rescaled, and range of the factor. About as many crops stay as they were
sent, pixel by pixel."""
WHOLE_SHORT_PX = (224, 240)
DELIVERED_LONG_PX = (400, 1400)
"""Range of the longer side of delivered images, drawn evenly on a logarithmic scale."""
MIDDLE_SHORT_PX, TEXTURED_PX, TRIES = 320, 256, 9
WEB_LONG_PX = (448, 1024)
"""Range of the longer side to which images are shrunk before a "web" crop is cut, drawn evenly."""
KINDS = ("whole", "middle", "native", "web")
"""Kinds of training crop; a "web" crop trains the native head."""

Crops = dict[str, np.ndarray]
"""Crops uint8 [224,224,3] by kind."""


def texture(pixels: np.ndarray) -> float:
    """Computes the mean absolute difference between neighbours in the green channel."""
    green = pixels[:, :, 1].astype(np.int16)
    return float(np.abs(np.diff(green, axis=0)).mean() + np.abs(np.diff(green, axis=1)).mean())


def textured_crop(pixels: np.ndarray, rng: np.random.Generator, side_px: int = TEXTURED_PX) -> np.ndarray:
    """Cuts the most textured of TRIES random crops of `side_px`, or less if the image is smaller."""
    height, width = pixels.shape[:2]
    crops = []
    for _ in range(TRIES):
        top, left = (
            int(rng.integers(0, max(1, height - side_px + 1))),
            int(rng.integers(0, max(1, width - side_px + 1))),
        )
        crops.append(pixels[top : top + side_px, left : left + side_px])
    return max(crops, key=texture)


def shrunk(pixels: np.ndarray, scale: float) -> np.ndarray:
    """Shrinks an image by `scale`; never enlarges it."""
    height, width = pixels.shape[:2]
    return pixels if scale >= 1 else resize(pixels, max(1, round(width * scale)), max(1, round(height * scale)))


def middle_plane(pixels: np.ndarray) -> np.ndarray:
    """Shrinks an image to a shorter side of MIDDLE_SHORT_PX."""
    return shrunk(pixels, MIDDLE_SHORT_PX / min(pixels.shape[:2]))


def web_crop(pixels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Cuts a textured crop of the image at a size that web sites show."""
    height, width = pixels.shape[:2]
    return textured_crop(
        shrunk(pixels, max(float(rng.uniform(*WEB_LONG_PX)) / max(height, width), TEXTURED_PX / min(height, width))),
        rng,
    )


def random_crop(pixels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Cuts a random crop uint8 [224,224,3], mirrored every other time; smaller images are enlarged first."""
    short = min(pixels.shape[:2])
    if short < CROP_PX:
        pixels = resize(pixels, *(max(CROP_PX, round(side * CROP_PX / short)) for side in pixels.shape[1::-1]))
    height, width = pixels.shape[:2]
    top, left = int(rng.integers(0, height - CROP_PX + 1)), int(rng.integers(0, width - CROP_PX + 1))
    crop = pixels[top : top + CROP_PX, left : left + CROP_PX]
    return np.ascontiguousarray(crop[:, ::-1] if rng.random() < 0.5 else crop)


def whole_crop(pixels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Cuts a crop uint8 [224,224,3] of nearly the whole image."""
    scale = float(rng.uniform(*WHOLE_SHORT_PX)) / min(pixels.shape[:2])
    return random_crop(resize(pixels, *(max(CROP_PX, round(side * scale)) for side in pixels.shape[1::-1])), rng)


def crop_of_plane(plane: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Cuts a crop uint8 [224,224,3] of a native crop, which is sometimes rescaled or degraded."""
    if rng.random() < RESCALED:
        plane = rescale(plane, float(rng.uniform(*RESCALE)), rng)
    return random_crop(degrade(plane, rng) if rng.random() < DEGRADED else plane, rng)


def training_crops(pixels: np.ndarray, rng: np.random.Generator) -> Crops:
    """Cuts one crop of each of KINDS:

    native from the image as it is, web from the delivered image, the others from either.
    """
    crops = {"native": crop_of_plane(textured_crop(pixels, rng), rng)}
    if rng.random() < DELIVERED:
        low, high = np.log(DELIVERED_LONG_PX)
        sent = degrade(deliver(pixels, round(float(np.exp(rng.uniform(low, high)))), rng), rng)
        web = random_crop(textured_crop(sent, rng), rng)
    else:
        sent, web = pixels, crop_of_plane(web_crop(pixels, rng), rng)
    return crops | {"whole": whole_crop(sent, rng), "middle": random_crop(middle_plane(sent), rng), "web": web}
