"""Arrays of faces (scores, boxes and five points): scaling, overlap and removal of duplicate detections.

Boxes are (left, top, width, height) and points are (x, y), in pixels. Scores are 0..1.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Faces:
    """F faces of one image, in pixels of that image or of another frame that the caller chose.

    `scores` float32 [F], 0..1. `boxes` float32 [F,4]: left, top, width, height. `points` float32 [F,5,2]: x and y of
    right eye, left eye, nose, right and left mouth corner ('right' as seen by the person).
    """

    scores: np.ndarray
    boxes: np.ndarray
    points: np.ndarray

    def __len__(self) -> int:
        return len(self.scores)

    def scaled(self, factor: float) -> "Faces":
        """Returns the faces with all coordinates multiplied by `factor`."""
        return Faces(self.scores, self.boxes * factor, self.points * factor)

    def select(self, index: np.ndarray) -> "Faces":
        """Returns the faces selected by `index` (integers or a mask), in the order of `index`."""
        return Faces(self.scores[index], self.boxes[index], self.points[index])

    @staticmethod
    def concatenate(parts: list["Faces"]) -> "Faces":
        """Joins lists of faces whose coordinates refer to the same image."""
        return Faces(
            np.concatenate([part.scores for part in parts]).astype(np.float32),
            np.concatenate([part.boxes for part in parts]).astype(np.float32),
            np.concatenate([part.points for part in parts]).astype(np.float32),
        )


def overlaps(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Computes the overlap of boxes [N,4] with boxes [M,4] (left, top, width, height). Returns two float32 [N,M], 0..1.

    The first is intersection over union. The second is intersection over the smaller area.
    """
    left_top = np.maximum(one[:, None, :2], other[None, :, :2])
    right_bottom = np.minimum((one[:, :2] + one[:, 2:])[:, None], (other[:, :2] + other[:, 2:])[None])
    side = np.clip(right_bottom - left_top, 0, None)
    common = side[..., 0] * side[..., 1]
    areas, other_areas = np.prod(one[:, 2:], axis=1)[:, None], np.prod(other[:, 2:], axis=1)[None]
    union, smaller = areas + other_areas - common, np.minimum(areas, other_areas)
    return tuple((common / np.maximum(area, 1e-9)).astype(np.float32) for area in (union, smaller))


def suppress_overlaps(faces: Faces, max_iou: float, max_contained: float = 1.0) -> Faces:
    """Removes duplicate detections: keeps the best face, removes faces that overlap it too much, and repeats.

    Overlap is intersection over union, and optionally intersection over the smaller box. The result is ordered by
    score, best first. Equal scores keep their order (a stable sort), as in the engine.
    """
    faces = faces.select(np.argsort(-faces.scores, kind="stable"))
    iou, contained = overlaps(faces.boxes, faces.boxes)
    clash = (iou > max_iou) | (contained > max_contained)
    kept: list[int] = []
    for candidate in range(len(faces)):
        if not clash[candidate, kept].any():
            kept.append(candidate)
    return faces.select(np.array(kept, dtype=np.int64))
