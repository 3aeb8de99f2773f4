"""The teacher of the face detector: YuNet runs at several scales, and its faces are merged into one list.

Input: RGB uint8 [H,W,3]. Output: `Faces` in pixels of that image.
"""

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from export.session import open_session
from face_detector.boxes import Faces, suppress_overlaps

STRIDES = (8, 16, 32)
MULTIPLE = 32


@dataclass(frozen=True)
class TeacherSettings:
    """Settings of the teacher.

    `long_sides_px`: longer sides to which the image is shrunk, one run each. Sides larger than the image's are skipped,
    and the image's own size is used once. YuNet was trained on faces of about 10 to 300 px, so a close-up needs a small
    run and a crowd a large one. `score_threshold`: minimum score of a face (0..1). `merge_iou`, `merge_contained`:
    overlaps above which detections of different runs are the same face. In a close-up, a run at the wrong scale finds
    only a part of the face, so the smaller box may lie within the larger one.
    """

    long_sides_px: tuple[int, ...] = (160, 320, 640, 1280, 2048)
    score_threshold: float = 0.2
    merge_iou: float = 0.4
    merge_contained: float = 0.6


class Teacher:
    """Runs YuNet (libfacedetection.train) in ONNX Runtime with one thread."""

    def __init__(self, model_path: Path):
        self._session = open_session(model_path)
        self._input = self._session.get_inputs()[0].name
        self._outputs = [output.name for output in self._session.get_outputs()]

    def run_once(self, image: np.ndarray, long_side_px: int, score_threshold: float) -> Faces:
        """Finds the faces of `image` (uint8 [H,W,3], RGB) at one scale, in pixels of the image, best first.

        The image is shrunk (INTER_AREA) to a longer side of at most `long_side_px` and extended with zeros.
        """
        height, width = image.shape[:2]
        scale = min(1.0, long_side_px / max(height, width))
        if scale < 1.0:
            size = (max(1, round(width * scale)), max(1, round(height * scale)))
            image = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
        rows, columns = (-(-side // MULTIPLE) * MULTIPLE for side in image.shape[:2])
        padded = np.zeros((rows, columns, 3), np.float32)
        padded[: image.shape[0], : image.shape[1]] = image[:, :, ::-1]
        values = self._session.run(None, {self._input: padded.transpose(2, 0, 1)[None]})
        maps = dict(zip(self._outputs, (value[0] for value in values), strict=True))
        return _decode(maps, rows, columns, score_threshold).scaled(1.0 / scale)

    def detect(self, image: np.ndarray, settings: TeacherSettings) -> Faces:
        """Finds the faces of `image` (uint8 [H,W,3], RGB) at all scales, merged, in pixels of the image, best first."""
        longest = max(image.shape[:2])
        sides = sorted({min(side, longest) for side in settings.long_sides_px})
        runs = [self.run_once(image, side, settings.score_threshold) for side in sides]
        return suppress_overlaps(Faces.concatenate(runs), settings.merge_iou, settings.merge_contained)


def _decode(maps: dict[str, np.ndarray], rows: int, columns: int, score_threshold: float) -> Faces:
    """Decodes YuNet's maps to faces in input pixels. The score is sqrt(cls*obj); boxes and points are in strides."""
    scores, boxes, points = [], [], []
    for stride in STRIDES:
        score = np.sqrt(maps[f"cls_{stride}"][:, 0].clip(0, 1) * maps[f"obj_{stride}"][:, 0].clip(0, 1))
        keep = np.flatnonzero(score >= score_threshold)
        cell = np.stack((keep % (columns // stride), keep // (columns // stride)), axis=1).astype(np.float32)
        box = maps[f"bbox_{stride}"][keep]
        size = np.exp(box[:, 2:]) * stride
        boxes.append(np.concatenate(((cell + box[:, :2]) * stride - size / 2, size), axis=1))
        points.append((maps[f"kps_{stride}"][keep].reshape(-1, 5, 2) + cell[:, None]) * stride)
        scores.append(score[keep])
    found = Faces(np.concatenate(scores), np.concatenate(boxes), np.concatenate(points))
    return suppress_overlaps(found, 0.3)
