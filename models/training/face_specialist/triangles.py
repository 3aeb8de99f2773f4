"""Two classical ways to make fakes by warping triangles between landmarks: a face swap and another's expression.

They are used only for validation and test, so that the face specialist is measured on fakes of unseen kinds.

Input: images uint8 [H,W,3] with landmarks float32 [66,2] in their pixels. Output: uint8 of the target's size.
"""

import cv2
import numpy as np
from scipy.spatial import Delaunay

from face_specialist.landmarks import BROWS, EYES, INNER_LIPS, JAW, OUTER_LIPS

MOVING = (*BROWS, *EYES[0], *EYES[1], *OUTER_LIPS, *INNER_LIPS)
"""Landmarks that an expression moves. The jaw moves half as far."""


def triangle_map(points: np.ndarray, moved: np.ndarray, width: int, height: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns for each pixel its position before the landmarks were moved from `points` to `moved`.

    The positions are float32 [height,width,2], linear in each triangle. The second result, bool [height,width], is true
    inside the hull of the landmarks.
    """
    mesh = Delaunay(moved)
    y, x = np.mgrid[:height, :width]
    pixels = np.stack((x.ravel(), y.ravel()), axis=1).astype(np.float64)
    triangle = mesh.find_simplex(pixels)
    inside = triangle >= 0
    transform = mesh.transform[triangle[inside]]
    weights = np.einsum("nij,nj->ni", transform[:, :2], pixels[inside] - transform[:, 2])
    weights = np.hstack((weights, 1 - weights.sum(axis=1, keepdims=True)))
    places = np.full((height * width, 2), -1, np.float32)
    places[inside] = np.einsum("ni,nij->nj", weights, points[mesh.simplices[triangle[inside]]])
    return places.reshape(height, width, 2), inside.reshape(height, width)


def with_forehead(points: np.ndarray) -> np.ndarray:
    """Adds copies of the brows to 66 landmarks, moved up by a quarter of the face's height, to include the forehead."""
    lifted = points[list(BROWS)].copy()
    lifted += 0.25 * (lifted.mean(axis=0) - points[8])
    return np.vstack((points, lifted))


def size_of(points: np.ndarray) -> float:
    """Returns the root mean square distance in px of landmarks from their centre."""
    return float(np.sqrt(((points - points.mean(axis=0)) ** 2).sum(axis=1).mean()))


def swap_face(target: np.ndarray, points: np.ndarray, source: np.ndarray, source_points: np.ndarray) -> np.ndarray:
    """Gives `target` uint8 [H,W,3] (landmarks `points`) the face of `source`, by triangles with a Poisson seam."""
    scale = size_of(points) / size_of(source_points)
    if scale < 0.8:  # remap without blur would cause aliasing
        size = [max(1, round(side * scale)) for side in source.shape[1::-1]]
        source, source_points = cv2.resize(source, size, interpolation=cv2.INTER_AREA), source_points * scale
    places, inside = triangle_map(with_forehead(source_points), with_forehead(points), target.shape[1], target.shape[0])
    warped = cv2.remap(source, places[..., 0], places[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    mask = cv2.erode(inside.astype(np.uint8) * 255, np.ones((5, 5), np.uint8), borderValue=0)
    mask[:2], mask[-2:], mask[:, :2], mask[:, -2:] = 0, 0, 0, 0
    left, top, width, height = cv2.boundingRect(mask)
    filled = np.where(inside[..., None], warped, target)
    return cv2.seamlessClone(filled, target, mask, (left + width // 2, top + height // 2), cv2.NORMAL_CLONE)


def reenact_face(target: np.ndarray, points: np.ndarray, driver: np.ndarray, driver_points: np.ndarray) -> np.ndarray:
    """Gives `target` the expression of `driver` by moving landmarks over triangles and pasting the driver's mouth."""
    height, width = target.shape[:2]
    homogeneous = np.hstack((driver_points, np.ones((len(driver_points), 1))))
    laid = homogeneous @ np.linalg.lstsq(homogeneous, points, rcond=None)[0]
    moved = points.astype(np.float64).copy()
    moved[list(MOVING)] = laid[list(MOVING)]
    moved[list(JAW)] += 0.5 * (laid[list(JAW)] - moved[list(JAW)])
    edge = np.array(
        [
            (x, y)
            for x in (0, width / 2, width - 1)
            for y in (0, height / 2, height - 1)
            if (x, y) != (width / 2, height / 2)
        ]
    )
    places, _ = triangle_map(np.vstack((points, edge)), np.vstack((moved, edge)), width, height)
    made = cv2.remap(target, places[..., 0], places[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    lips = [*OUTER_LIPS, *INNER_LIPS]
    places, _ = triangle_map(driver_points[lips].astype(np.float64), moved[lips], width, height)
    mouth = cv2.remap(driver, places[..., 0], places[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    mask = np.zeros((height, width), np.float32)
    cv2.fillPoly(mask, [moved[list(INNER_LIPS)].round().astype(np.int32)], 1.0)
    mask = cv2.GaussianBlur(mask, (0, 0), max(0.6, size_of(points) / 60))[:, :, None]
    return np.clip(mouth * mask + made * (1 - mask) + 0.5, 0, 255).astype(np.uint8)
