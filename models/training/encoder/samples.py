"""Cuts random training crops, resized and degraded in the same ways for AI and genuine images.

An image is used unchanged, or first shrunk and compressed like images on web sites ("delivered"). It is then cut as the
engine cuts images: shrunk once to the size of the crop, without compression afterwards. Native crops of the unchanged
image are degraded separately.
"""

import numpy as np

from data.degrade import degrade, deliver, rescale, resize
from encoder.backbone import CROP_PX

DELIVERED = 0.6
DEGRADED = 0.55
RESCALED = 0.25
RESCALE = (0.88, 1.2)
"""Range of the factor by which some native crops are resized. About half of them stay as they were sent."""
WHOLE_SHORT_PX = (224, 240)
DELIVERED_LONG_PX = (400, 1400)
"""Range in px of the longer side of delivered images, drawn evenly on a logarithmic scale."""
MIDDLE_SHORT_PX, TEXTURED_PX, TRIES = 320, 256, 9
WEB_LONG_PX = (448, 1024)
"""Range in px of the longer side to which images are shrunk before a "web" crop is cut, drawn evenly."""
KINDS = ("whole", "middle", "native", "web")
"""Kinds of training crop. A "web" crop trains the same head as a native crop."""

Crops = dict[str, np.ndarray]
"""Training crops uint8 [224,224,3] by kind."""


def texture(pixels: np.ndarray) -> float:
    """Returns the mean absolute difference between neighbouring pixels of the green channel."""
    green = pixels[:, :, 1].astype(np.int16)
    return float(np.abs(np.diff(green, axis=0)).mean() + np.abs(np.diff(green, axis=1)).mean())


def textured_crop(pixels: np.ndarray, rng: np.random.Generator, side_px: int = TEXTURED_PX) -> np.ndarray:
    """Cuts TRIES random crops of `side_px` px, or less for smaller images, and returns the most textured one."""
    height, width = pixels.shape[:2]
    crops = []
    for _ in range(TRIES):
        top, left = (int(rng.integers(0, max(1, length - side_px + 1))) for length in (height, width))
        crops.append(pixels[top : top + side_px, left : left + side_px])
    return max(crops, key=texture)


def shrunk(pixels: np.ndarray, scale: float) -> np.ndarray:
    """Shrinks an image by the factor `scale`. Never enlarges."""
    height, width = pixels.shape[:2]
    return pixels if scale >= 1 else resize(pixels, max(1, round(width * scale)), max(1, round(height * scale)))


def middle_plane(pixels: np.ndarray) -> np.ndarray:
    """Shrinks an image to a shorter side of MIDDLE_SHORT_PX."""
    return shrunk(pixels, MIDDLE_SHORT_PX / min(pixels.shape[:2]))


def web_crop(pixels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Cuts a crop with much texture from the image at a size in which web sites show it."""
    height, width = pixels.shape[:2]
    return textured_crop(
        shrunk(pixels, max(float(rng.uniform(*WEB_LONG_PX)) / max(height, width), TEXTURED_PX / min(height, width))),
        rng,
    )


def random_crop(pixels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Cuts a random crop uint8 [224,224,3], and mirrors half of the crops. Smaller images are enlarged first."""
    short = min(pixels.shape[:2])
    if short < CROP_PX:
        pixels = resize(pixels, *(max(CROP_PX, round(side * CROP_PX / short)) for side in pixels.shape[1::-1]))
    height, width = pixels.shape[:2]
    top, left = int(rng.integers(0, height - CROP_PX + 1)), int(rng.integers(0, width - CROP_PX + 1))
    crop = pixels[top : top + CROP_PX, left : left + CROP_PX]
    return np.ascontiguousarray(crop[:, ::-1] if rng.random() < 0.5 else crop)


def whole_crop(pixels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Cuts a crop uint8 [224,224,3] that shows nearly the whole image."""
    scale = float(rng.uniform(*WHOLE_SHORT_PX)) / min(pixels.shape[:2])
    return random_crop(resize(pixels, *(max(CROP_PX, round(side * scale)) for side in pixels.shape[1::-1])), rng)


def crop_of_plane(plane: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Cuts a native training crop uint8 [224,224,3] from the image `plane`. Some crops are resized or degraded."""
    if rng.random() < RESCALED:
        plane = rescale(plane, float(rng.uniform(*RESCALE)), rng)
    return random_crop(degrade(plane, rng) if rng.random() < DEGRADED else plane, rng)


def training_crops(pixels: np.ndarray, rng: np.random.Generator) -> Crops:
    """Cuts one training crop of each of KINDS from an image.

    The native crop comes from the unchanged image, the web crop from the delivered image, and the others from either.
    """
    crops = {"native": crop_of_plane(textured_crop(pixels, rng), rng)}
    if rng.random() < DELIVERED:
        low, high = np.log(DELIVERED_LONG_PX)
        sent = degrade(deliver(pixels, round(float(np.exp(rng.uniform(low, high)))), rng), rng)
        web = random_crop(textured_crop(sent, rng), rng)
    else:
        sent, web = pixels, crop_of_plane(web_crop(pixels, rng), rng)
    return crops | {"whole": whole_crop(sent, rng), "middle": random_crop(middle_plane(sent), rng), "web": web}
