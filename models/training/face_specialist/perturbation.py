"""Perturbs stored crops before the network sees them: a fake and its genuine partner alike, if the seeds are equal.

In: a stored crop uint8 [288,288,3]. Out: uint8 [224,224,3].
"""

import cv2
import numpy as np

from data.degrade import degrade, resize
from encoder.backbone import CROP_PX
from face_specialist.align import MARGIN

SMALLER_SHARE, SMALLEST_SCALE = 0.5, 0.35
"""Share of crops that are shrunk first, like faces in images of the web, and smallest factor."""
DEGRADED_SHARE = 0.8


def crop_of(crop: np.ndarray, random: np.random.Generator | None) -> np.ndarray:
    """Cuts the network's crop uint8 [224,224,3] from a stored crop of any size; with `random`, as an inexact face
    detector would.
    """
    stored_px = crop.shape[0]
    scale, turn, shift = MARGIN * CROP_PX / stored_px, 0.0, np.zeros(2)
    if random is not None:
        scale *= np.exp(random.uniform(-0.1, 0.1))
        turn, shift = random.normal(0, 3), random.normal(0, 0.015, 2) * CROP_PX
    centre = (stored_px - 1) / 2
    matrix = cv2.getRotationMatrix2D((centre, centre), turn, scale)
    matrix[:, 2] += (CROP_PX - 1) / 2 - centre + shift
    return cv2.warpAffine(crop, matrix, (CROP_PX, CROP_PX), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def perturb(crop: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Cuts a crop uint8 [224,224,3] of a stored crop [288,288,3]: flipped, shrunk, degraded, re-aligned, each at random.

    The count of numbers drawn from `random` does not depend on the pixels.
    """
    if random.random() < 0.5:
        crop = crop[:, ::-1]
    crop = np.ascontiguousarray(crop)
    if random.random() < SMALLER_SHARE:
        side_px = round(crop.shape[0] * float(np.exp(random.uniform(np.log(SMALLEST_SCALE), 0))))
        crop = resize(crop, side_px, side_px)
    if random.random() < DEGRADED_SHARE:
        crop = degrade(crop, random)
    return crop_of(np.ascontiguousarray(crop), random)
