"""Faces of a swapping network's 128 px pasted back into a larger picture, then made sharp as face restorers do."""

import cv2
import numpy as np

from face_specialist.blend import laid_over
from face_specialist.changes import match_colour, sharpen
from face_specialist.masks import hull_mask, paste, soft_mask

SIDES_PX = (96, 128, 128, 128, 160)
FACE_SHARE = 0.62
"""Share of the stored crop's side that the swapping network's square covers."""


def restore(face: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A restorer's look: smooth skin, crisp edges, a little grain."""
    smooth = cv2.bilateralFilter(face, 7, float(random.uniform(15, 45)), float(random.uniform(2, 5)))
    crisp = sharpen(smooth, random)
    grain = random.normal(0, random.uniform(0, 3), face.shape[:2])[:, :, None]
    return np.clip(crisp + grain, 0, 255).astype(np.uint8)


def box_mask(side_px: int, random: np.random.Generator) -> np.ndarray:
    """The network's square, eroded and blurred: how swapping tools paste it without landmarks. float32 [side,side,1]."""
    half = FACE_SHARE / 2 * side_px * float(random.uniform(0.8, 0.98))
    middle = side_px * np.array((0.5, 0.53))
    left, top = (middle - half).astype(int)
    right, bottom = (middle + half).astype(int)
    mask = np.zeros((side_px, side_px), np.float32)
    mask[top:bottom, left:right] = 1
    return cv2.GaussianBlur(mask, (0, 0), side_px * float(random.uniform(0.015, 0.04)))[:, :, None]


def low_resolution(face: np.ndarray, points: np.ndarray, other: np.ndarray, other_points: np.ndarray,
                   random: np.random.Generator) -> np.ndarray:
    """`face` with its own or another's features at about 128 px, restored or not, inside a square or a hull."""
    side_px, source = face.shape[0], face
    if random.random() < 0.5:
        source = match_colour(laid_over(other, other_points, points), face, hull_mask(points, side_px, "inner")[:, :, None])
        # A swapping network keeps the light and the shape of what it replaces: the two are mixed.
        source = paste(face, source, np.full((1, 1, 1), random.uniform(0.5, 1.0), np.float32))
    network_px = round(int(random.choice(SIDES_PX)) / FACE_SHARE)
    small = cv2.resize(source, (network_px, network_px), interpolation=cv2.INTER_AREA)
    if random.random() < 0.4:
        small = cv2.GaussianBlur(small, (0, 0), float(random.uniform(0.4, 0.9)))
    large = cv2.resize(small, (side_px, side_px), interpolation=int(random.choice((cv2.INTER_LINEAR, cv2.INTER_CUBIC))))
    if random.random() < 0.6:
        large = restore(large, random)
    mask = box_mask(side_px, random) if random.random() < 0.5 else soft_mask(points, side_px, random, "whole")
    return paste(face, large, mask / mask.max())
