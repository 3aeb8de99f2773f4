"""Assigns faces to cells, which are the positions at which the face detector can report a face.

The result is what the network should output for a training crop. Input: faces in pixels of the crop. Output: float
arrays, one row for each cell.
"""

from dataclasses import dataclass

import numpy as np

from face_detector.boxes import Faces
from face_detector.labels import SURE_SCORE

STRIDES = (8, 16, 32)
SIZE_RANGES_PX = ((0.0, 40.0), (28.0, 112.0), (80.0, 1e9))
"""Range of face sizes (root of the area, in input pixels) for which the cells of each stride are responsible. The
ranges overlap, so that no size is missed."""
CENTRE_SHARE = 0.25
"""Share of a face's width and height around its centre. A cell whose centre is inside is responsible for the face."""
SMALLEST_FACE_PX = 8.0
"""Size in px below which a face is ignored in training, because it is too small for the teacher and the student."""


@dataclass(frozen=True)
class Targets:
    """Training targets of A cells (strides 8, 16 and 32, row by row).

    `score` float32 [A] is the teacher's score if the cell is responsible for a face, otherwise 0. `counted` float32 [A]
    is 0 if the score of the cell is ignored in training. `weight` float32 [A] is the weight of boxes and points in
    training, 0 without a face. `boxes` float32 [A,4] and `points` float32 [A,10] are in input pixels.
    """

    score: np.ndarray
    counted: np.ndarray
    weight: np.ndarray
    boxes: np.ndarray
    points: np.ndarray


def cells(side_px: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns the centres [A,2], strides [A] and stride numbers [A] of the cells of a square input."""
    centres, strides, levels = [], [], []
    for level, stride in enumerate(STRIDES):
        axis = (np.arange(side_px // stride, dtype=np.float32) + 0.5) * stride
        y, x = np.meshgrid(axis, axis, indexing="ij")
        centres.append(np.stack((x.ravel(), y.ravel()), axis=1))
        strides.append(np.full(axis.size**2, stride, np.float32))
        levels.append(np.full(axis.size**2, level))
    return np.concatenate(centres), np.concatenate(strides), np.concatenate(levels)


def assign(faces: Faces, visible: np.ndarray, side_px: int) -> Targets:
    """Returns the training targets of a square crop.

    `visible` [F] is the share of each face inside the crop. Faces with less than half inside are ignored.
    """
    centres, strides, levels = cells(side_px)
    count = len(centres)
    score, counted, weight = np.zeros(count, np.float32), np.ones(count, np.float32), np.zeros(count, np.float32)
    boxes, points = np.zeros((count, 4), np.float32), np.zeros((count, 10), np.float32)
    ranges = np.array(SIZE_RANGES_PX, np.float32)[levels]
    sizes = np.sqrt(np.prod(faces.boxes[:, 2:], axis=1))
    for face in np.argsort(-sizes):  # smaller faces last: they get the cells that two faces cover
        left, top, width, height = faces.boxes[face]
        offset = np.abs(centres - (left + width / 2, top + height / 2))
        inside = (offset[:, 0] < width / 2) & (offset[:, 1] < height / 2)
        near = np.hypot(offset[:, 0] / width, offset[:, 1] / height) < CENTRE_SHARE
        near |= offset.max(axis=1) < 0.55 * strides
        usable = faces.scores[face] >= SURE_SCORE and sizes[face] >= SMALLEST_FACE_PX and visible[face] >= 0.5
        if not usable:
            counted[inside | near] = 0
            continue
        own = (sizes[face] >= ranges[:, 0]) & (sizes[face] <= ranges[:, 1])
        close = (sizes[face] >= ranges[:, 0] / 1.3) & (sizes[face] <= ranges[:, 1] * 1.3)
        counted[(inside | near) & close] = 0
        answers = near & own
        counted[answers] = 1
        score[answers] = faces.scores[face]
        weight[answers] = 1 / np.sqrt(max(1, answers.sum()))
        boxes[answers] = faces.boxes[face]
        points[answers] = faces.points[face].ravel()
    return Targets(score, counted, weight, boxes, points)
