"""Runs an exported face detector on an image, step by step as the engine does.

Input: RGB uint8 [H,W,3]. Output: `Faces` in pixels of that image.
"""

import json
from pathlib import Path

import cv2
import numpy as np

from data.degrade import resize
from export.session import open_session
from face_detector.boxes import Faces, suppress_overlaps


class FaceDetector:
    """Runs the ONNX file of a face detector in ONNX Runtime with one thread, with the numbers in its manifest."""

    def __init__(self, folder: Path):
        manifest = json.loads((folder / "manifest.json").read_text())
        self._session = open_session(folder / manifest["file"])
        self._settings = manifest["detect"]
        self.long_side_px = manifest["input"]["long_side_px"]
        self._multiple = manifest["input"]["multiple"]

    def detect(self, image: np.ndarray, score_threshold: float | None = None) -> Faces:
        """Finds the faces of `image` (uint8 [H,W,3] RGB, upright), best first, in pixels of the image.

        `score_threshold` replaces the threshold in the manifest. The image is shrunk (INTER_AREA, never enlarged) to
        the manifest's longer side and extended with zeros at the right and lower edge. Boxes are scaled back.
        """
        height, width = image.shape[:2]
        scale = min(1.0, self.long_side_px / max(height, width))
        if scale < 1.0:
            image = resize(image, max(1, round(width * scale)), max(1, round(height * scale)))
        rows, columns = (-(-side // self._multiple) * self._multiple for side in image.shape[:2])
        padded = cv2.copyMakeBorder(
            np.ascontiguousarray(image),
            0,
            rows - image.shape[0],
            0,
            columns - image.shape[1],
            cv2.BORDER_CONSTANT,
            value=(0, 0, 0),
        )
        scores, boxes, points = self._session.run(["scores", "boxes", "points"], {"pixels": padded[None]})
        keep = scores[0] >= (self._settings["score_threshold"] if score_threshold is None else score_threshold)
        found = Faces(scores[0][keep], boxes[0][keep], points[0][keep].reshape(-1, 5, 2))
        return suppress_overlaps(found, self._settings["nms_iou"]).scaled(1.0 / scale)
