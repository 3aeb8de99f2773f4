"""Faces that say something else, as lip-sync makes them: a mouth drawn anew at low resolution, with another's teeth, in the lower face."""

import cv2
import numpy as np

from face_specialist.changes import match_colour
from face_specialist.landmarks import INNER_LIPS, OUTER_LIPS
from face_specialist.masks import paste, soft_mask
from face_specialist.warp import move_mouth, warp

SIDES_PX = (96, 96, 128, 192, 256)
"""Of the face that the network draws, which covers FACE_SHARE of the stored crop."""
FACE_SHARE = 0.62
LEAST_OPENING = 0.02
"""Height of the other mouth's inside as a share of the crop's side, below which there are no teeth to take."""


def teeth_of(other: np.ndarray, other_points: np.ndarray, moved: np.ndarray, face: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """`face` with the other's mouth laid over its own, whose lips lie at `moved`."""
    lips = [*OUTER_LIPS, *INNER_LIPS]
    homogeneous = np.hstack((other_points[lips], np.ones((len(lips), 1), np.float32)))
    matrix = np.linalg.lstsq(homogeneous, moved[lips], rcond=None)[0].T
    laid = cv2.warpAffine(other, matrix, face.shape[1::-1], flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101)
    part = OUTER_LIPS if random.random() < 0.6 else INNER_LIPS
    mask = np.zeros(face.shape[:2], np.float32)
    cv2.fillConvexPoly(mask, cv2.convexHull(moved[list(part)].round().astype(np.int32)), 1.0, cv2.LINE_AA)
    mask = cv2.GaussianBlur(mask, (0, 0), face.shape[0] * float(random.uniform(0.003, 0.012)))[:, :, None]
    if mask.sum() > 50 and random.random() < 0.8:
        laid = match_colour(laid, face, mask)
    return paste(face, laid, mask)


def lip_synced(face: np.ndarray, points: np.ndarray, other: np.ndarray, other_points: np.ndarray,
               random: np.random.Generator) -> np.ndarray:
    """`face` (uint8 [S,S,3]) with its mouth moved, another's put in now and then, and the lower face redrawn at low resolution."""
    side_px, moved = face.shape[0], move_mouth(points, random)
    drawn = warp(face, points, moved)
    opening = float(np.ptp(other_points[list(INNER_LIPS), 1]))
    if opening > LEAST_OPENING * side_px and random.random() < 0.6:
        drawn = teeth_of(other, other_points, moved, drawn, random)
    if random.random() < 0.7:
        network_px = min(side_px, round(int(random.choice(SIDES_PX)) / FACE_SHARE))
        small = cv2.resize(drawn, (network_px, network_px), interpolation=cv2.INTER_AREA)
        drawn = cv2.resize(small, (side_px, side_px), interpolation=int(random.choice((cv2.INTER_LINEAR, cv2.INTER_CUBIC))))
    mask = soft_mask(moved, side_px, random, str(random.choice(("lower", "mouth", "nose and mouth"))))
    return paste(face, drawn, mask / mask.max())
