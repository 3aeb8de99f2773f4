"""Makes soft masks of the parts of a face that fakes replace, from landmarks with random distortion.

Input: landmarks float32 [66,2] in pixels. Output: float32 [side,side,1], 0..1.
"""

import cv2
import numpy as np

from face_specialist.landmarks import BROWS, EYES, INNER_LIPS, JAW, NOSE, OUTER_LIPS

_EYES = (*EYES[0], *EYES[1])
REGIONS = {
    "whole": (*JAW, *BROWS),
    "inner": (*BROWS, *NOSE, *OUTER_LIPS, *_EYES),
    "lower": (*range(3, 14), *range(31, 36), *OUTER_LIPS),
    "cheeks": (*range(2, 15), *NOSE),
    "eyes": (*BROWS, *_EYES, 27, 28),
    "mouth": (*OUTER_LIPS, *INNER_LIPS, 6, 10, 33),
    "nose and mouth": (*NOSE, *OUTER_LIPS),
}
"""Landmarks around each region. The region is their convex hull."""
REGION_SHARES = {
    "whole": 0.45,
    "inner": 0.2,
    "lower": 0.09,
    "cheeks": 0.06,
    "eyes": 0.07,
    "mouth": 0.08,
    "nose and mouth": 0.05,
}
STRENGTHS = (0.5, 0.75, 1.0, 1.0, 1.0)
"""Maximum values of a mask, one of which is drawn. A fake that is blended faintly is still a fake."""


def draw_region(random: np.random.Generator) -> str:
    """Returns a random region, with the shares of REGION_SHARES."""
    return str(random.choice(list(REGION_SHARES), p=list(REGION_SHARES.values())))


def bend(mask: np.ndarray, random: np.random.Generator, most_px: float) -> np.ndarray:
    """Distorts `mask` by a smooth random field of up to about `most_px` px."""
    side_px = mask.shape[0]
    coarse = random.normal(0, most_px / 2, (int(random.integers(4, 9)),) * 2 + (2,)).astype(np.float32)
    field = cv2.resize(coarse, (side_px, side_px), interpolation=cv2.INTER_CUBIC)
    y, x = np.mgrid[:side_px, :side_px].astype(np.float32)
    return cv2.remap(mask, x + field[..., 0], y + field[..., 1], cv2.INTER_LINEAR)


def hull_mask(points: np.ndarray, side_px: int, region: str, forehead: float = 0.0) -> np.ndarray:
    """Returns a mask float32 [side,side] that is 1 in the convex hull of a region.

    `forehead` moves the brows up by this share of the distance from brows to chin.
    """
    points = points.copy()
    points[list(BROWS), 1] -= forehead * (points[8, 1] - points[list(BROWS), 1].mean())
    hull = cv2.convexHull(points[list(REGIONS[region])].round().astype(np.int32))
    mask = np.zeros((side_px, side_px), np.float32)
    cv2.fillConvexPoly(mask, hull, 1.0, cv2.LINE_AA)
    return mask


def soft_mask(points: np.ndarray, side_px: int, random: np.random.Generator, region: str | None = None) -> np.ndarray:
    """Returns a random soft mask of a region, or of a random region: float32 [side,side,1], 0..1.

    Its soft border is up to 8% of the side wide.
    """
    region = region or draw_region(random)
    mask = hull_mask(points, side_px, region, float(random.uniform(-0.05, 0.3)))
    if random.random() < 0.7:
        mask = bend(mask, random, side_px * float(random.uniform(0.005, 0.035)))
    grown = round(side_px * float(random.uniform(-0.03, 0.02 if region == "whole" else 0.04)))
    if grown:
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * abs(grown) + 1,) * 2)
        mask = cv2.dilate(mask, kernel) if grown > 0 else cv2.erode(mask, kernel, borderValue=0)
    mask = cv2.GaussianBlur(mask, (0, 0), side_px * float(np.exp(random.uniform(np.log(0.003), np.log(0.035)))))
    if mask.max() < 0.5:  # nothing is left after erosion
        return soft_mask(points, side_px, random, "whole")
    return (mask * random.choice(STRENGTHS))[:, :, None].astype(np.float32)


def paste(target: np.ndarray, source: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Pastes `source` over `target` where `mask` (0..1, [H,W,1]) is above 0. Returns uint8."""
    mixed = source.astype(np.float32) * mask + target.astype(np.float32) * (1 - mask)
    return np.clip(mixed + 0.5, 0, 255).astype(np.uint8)
