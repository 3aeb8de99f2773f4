"""Blended faces: a face over a changed copy of itself (after Shiraga and Yamasaki, CVPR 2022) or over another face.

Input and output: faces uint8 [S,S,3], landmarks float32 [66,2] in pixels of the crop.
"""

import cv2
import numpy as np

from face_specialist.changes import match_colour, nudge, recolour, resharpen
from face_specialist.masks import hull_mask, paste, soft_mask

POISSON_SHARE = 0.2


def self_blended(face: np.ndarray, points: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Replaces a region of `face` uint8 [S,S,3] by its copy with another colour, sharpness or position."""
    changes = (recolour, resharpen, nudge)
    # At least two of the three changes, so that a border is visible. Either the region or its surroundings are changed.
    chosen = [changes[index] for index in random.permutation(3)[: int(random.integers(2, 4))]]
    inside, outside = face, face
    for change in chosen:
        if change is nudge or random.random() < 0.65:
            inside = change(inside, random)
        else:
            outside = change(outside, random)
    return paste(outside, inside, soft_mask(points, face.shape[0], random))


def aligned_to(other: np.ndarray, other_points: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Moves the face `other` so that its landmarks lie on `points`, as well as an affine transform can."""
    homogeneous = np.hstack((other_points, np.ones((len(other_points), 1), np.float32)))
    matrix = np.linalg.lstsq(homogeneous, points, rcond=None)[0].T
    size = (other.shape[1], other.shape[0])
    return cv2.warpAffine(other, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101)


def poisson_paste(target: np.ndarray, source: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Pastes the gradients of `source` where `mask` > 0.5, and takes the colours at the border from `target`.

    A mask that reaches the edge of the crop is cut by 2 px.
    """
    binary = (mask[:, :, 0] > 0.5).astype(np.uint8) * 255
    binary[:2], binary[-2:], binary[:, :2], binary[:, -2:] = 0, 0, 0, 0
    left, top, width, height = cv2.boundingRect(binary)
    if min(width, height) < 8:
        return target
    return cv2.seamlessClone(source, target, binary, (left + width // 2, top + height // 2), cv2.NORMAL_CLONE)


def cross_blended(
    face: np.ndarray, points: np.ndarray, other: np.ndarray, other_points: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """Replaces a region of `face` by another person's, with adapted colours and sometimes a Poisson seam."""
    source = aligned_to(other, other_points, points)
    inner = hull_mask(points, face.shape[0], "inner")[:, :, None]
    if random.random() < 0.85:
        source = match_colour(source, face, inner)
    if random.random() < 0.5:
        source = resharpen(source, random)
    if random.random() < 0.25:
        source = recolour(source, random)
    mask = soft_mask(
        points, face.shape[0], random, None if random.random() < 0.3 else str(random.choice(("whole", "inner")))
    )
    if random.random() < POISSON_SHARE:
        return poisson_paste(face, source, np.minimum(mask / mask.max(), 1))
    return paste(face, source, mask if random.random() < 0.25 else mask / mask.max())
