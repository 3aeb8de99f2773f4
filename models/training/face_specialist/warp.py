"""Moves mouth or eyes of a face by a smooth distortion, as programs for expressions and lip-sync do.

Input and output: faces uint8 [S,S,3], landmarks float32 [66,2] in pixels.
"""

import cv2
import numpy as np

from face_specialist.changes import recolour, resharpen
from face_specialist.landmarks import BROWS, EYES, INNER_LIPS, JAW, OUTER_LIPS
from face_specialist.masks import paste, soft_mask

REACH = 0.045
"""Distance over which a moved landmark pulls its surroundings, as a share of the crop's side."""
GRID_PX = 4
"""Pixel distance at which the distortion is computed. Between these points it is interpolated."""
LOWER_LIP = (*range(54, 60), *range(63, 66))
CHIN = range(5, 12)


def warp(face: np.ndarray, points: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """Moves the landmarks of `face` from `points` to `moved` [66,2]. Those that stay hold their surroundings."""
    side_px = face.shape[0]
    centres = np.arange(0, side_px, GRID_PX, dtype=np.float32) + (GRID_PX - 1) / 2
    x, y = np.meshgrid(centres, centres)
    distance = (x[..., None] - moved[:, 0]) ** 2 + (y[..., None] - moved[:, 1]) ** 2
    pull = np.exp(-distance / (2 * (REACH * side_px) ** 2))
    field = (pull @ (points - moved) / (pull.sum(axis=-1, keepdims=True) + 0.15)).astype(np.float32)
    field = cv2.resize(field, (side_px, side_px), interpolation=cv2.INTER_CUBIC)
    y, x = np.mgrid[:side_px, :side_px].astype(np.float32)
    return cv2.remap(face, x + field[..., 0], y + field[..., 1], cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT_101)


def move_mouth(points: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Returns the landmarks of the same face with the mouth saying something else."""
    moved, lips = points.copy(), [*OUTER_LIPS, *INNER_LIPS]
    width = float(np.linalg.norm(points[54] - points[48]))
    middle = points[lips].mean(axis=0)
    moved[lips] = middle + (points[lips] - middle) * (random.uniform(0.78, 1.2), random.uniform(0.75, 1.35))
    opened = width * random.choice((-0.12, 1.0)) * random.uniform(0.05, 0.28)
    moved[list(LOWER_LIP), 1] += opened
    moved[list(CHIN), 1] += 0.6 * opened
    for corner in (48, 54):
        moved[corner, 1] += width * random.normal(0, 0.07)
    moved[lips, 0] += width * random.normal(0, 0.05)
    return moved


def move_eyes(points: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Returns the landmarks of the same face with other lids and brows."""
    moved = points.copy()
    opened = random.choice((random.uniform(0.15, 0.7), random.uniform(1.25, 1.7)))
    span = float(np.linalg.norm(points[45] - points[36]))
    for eye in EYES:
        middle = points[list(eye)].mean(axis=0)
        moved[list(eye)] = middle + (points[list(eye)] - middle) * (random.uniform(0.95, 1.06), opened)
    moved[list(BROWS), 1] += span * random.normal(0, 0.045)
    return moved


def turn_head(points: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Moves the inner landmarks against the outline, like a slight turn or nod of the head."""
    moved = points.copy()
    inner = [index for index in range(len(points)) if index not in JAW]
    moved[inner] += random.normal(0, 0.035, 2) * float(np.linalg.norm(points[45] - points[36]))
    return moved


def reenacted(face: np.ndarray, points: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Moves mouth, eyes or head and changes the sharpness of the region inside a soft mask, or leaves it."""
    which = random.random()
    moved = move_mouth(points, random) if which < 0.7 else points
    if which > 0.5:
        moved = move_eyes(moved, random)
    if random.random() < 0.3:
        moved = turn_head(moved, random)
    region = "lower" if which < 0.5 and random.random() < 0.6 else "whole"
    warped = warp(face, points, moved)
    if random.random() < 0.75:
        warped = resharpen(warped, random)
    if random.random() < 0.3:
        warped = recolour(warped, random)
    mask = soft_mask(moved, face.shape[0], random, region)
    return paste(face, warped, mask / mask.max())
