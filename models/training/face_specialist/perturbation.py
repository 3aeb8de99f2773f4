"""Perturbs stored face crops before training, a fake and its genuine partner equally if their seeds are equal.

Input: a stored crop uint8 [288,288,3]. Output: uint8 [224,224,3].
"""

import cv2
import numpy as np

from data.degrade import degrade, resize
from encoder.backbone import CROP_PX
from face_specialist.align import MARGIN

SMALLER_SHARE, SMALLEST_SCALE = 0.5, 0.35
"""Share of crops that are shrunk first, like faces in images on the web, and the smallest factor."""
DEGRADED_SHARE = 0.8


def crop_of(crop: np.ndarray, random: np.random.Generator | None) -> np.ndarray:
    """Cuts the network's crop uint8 [224,224,3] from a stored crop of any size.

    With `random` the position is slightly wrong, as if a real face detector had found the face.
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
    """Flips, shrinks, degrades and re-aligns a stored crop [288,288,3] at random, and cuts uint8 [224,224,3] from it.

    The pixels do not affect how many random numbers are used, so equal seeds treat two crops equally.
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
