"""Runs an exported face finder on a picture, step by step as the engine does."""

import json
from pathlib import Path

import cv2
import numpy as np

from data.degrade import resize
from export.session import open_session
from face_detector.boxes import Faces, suppress_overlaps


class FaceFinder:
    """The ONNX file and the numbers of its manifest, in ONNX Runtime with one thread."""

    def __init__(self, folder: Path):
        manifest = json.loads((folder / "manifest.json").read_text())
        self._session = open_session(folder / manifest["file"])
        self.detect = manifest["detect"]
        self.long_side_px = manifest["input"]["long_side_px"]
        self._multiple = manifest["input"]["multiple"]

    def find(self, picture: np.ndarray, score_threshold: float | None = None) -> Faces:
        """Faces of `picture` (uint8 [H,W,3] RGB, upright), best first, in its own pixels.

        `score_threshold` takes the place of the manifest's. The picture is shrunk (INTER_AREA, never enlarged) to the
        manifest's longer side, padded with zeros on the right and below, and the boxes are scaled back.
        """
        height, width = picture.shape[:2]
        scale = min(1.0, self.long_side_px / max(height, width))
        if scale < 1.0:
            picture = resize(picture, max(1, round(width * scale)), max(1, round(height * scale)))
        rows, columns = (-(-side // self._multiple) * self._multiple for side in picture.shape[:2])
        padded = cv2.copyMakeBorder(
            np.ascontiguousarray(picture), 0, rows - picture.shape[0], 0, columns - picture.shape[1],
            cv2.BORDER_CONSTANT, value=(0, 0, 0),
        )
        scores, boxes, points = self._session.run(["scores", "boxes", "points"], {"pixels": padded[None]})
        keep = scores[0] >= (self.detect["score_threshold"] if score_threshold is None else score_threshold)
        found = Faces(scores[0][keep], boxes[0][keep], points[0][keep].reshape(-1, 5, 2))
        return suppress_overlaps(found, self.detect["nms_iou"]).scaled(1.0 / scale)
