"""Finds 66 landmarks of a face in its aligned crop by OpenSeeFace's model.

The points follow the 300-W scheme without the two inner corners of the lips: jaw 0-16, brows 17-26, nose 27-35, eyes
36-47, outer lips 48-59, inner lips 60-65.
"""

from pathlib import Path

import cv2
import numpy as np

from export.session import open_session

POINTS, GRID, CROP_PX = 66, 28, 224
MEAN, DEVIATION = np.array((0.485, 0.456, 0.406), np.float32), np.array((0.229, 0.224, 0.225), np.float32)
OFFSET_SHARPNESS = 16.0
"""Steepness of the logistic function in which the network outputs offsets of landmarks."""
JAW, BROWS, NOSE = range(0, 17), range(17, 27), range(27, 36)
EYES, OUTER_LIPS, INNER_LIPS = (range(36, 42), range(42, 48)), range(48, 60), range(60, 66)
MIDDLE, WIDTH = (0.5, 0.565), 0.74
"""Centre and side of the model's input, as shares of a crop cut by TEMPLATE: from brows to chin with a tenth around."""
MIN_CONFIDENCE = 0.65
"""Minimum confidence (mean height of the heat maps' peaks). Below it, no fake can be made from the crop."""


class LandmarkDetector:
    """Runs the landmark model in ONNX Runtime with one thread."""

    def __init__(self, path: Path):
        self._session = open_session(path)

    def detect(self, crop: np.ndarray, margin: float) -> tuple[np.ndarray, float]:
        """Finds the landmarks float32 [66,2] in pixels of `crop`, and their confidence."""
        side = WIDTH / margin * crop.shape[0]
        left, top = ((np.array(MIDDLE) - 0.5) / margin + 0.5) * crop.shape[0] - side / 2
        scale = CROP_PX / side
        matrix = np.array(((scale, 0, -left * scale), (0, scale, -top * scale)))
        square = cv2.warpAffine(
            crop, matrix, (CROP_PX, CROP_PX), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        values = ((square.astype(np.float32) / 255 - MEAN) / DEVIATION).transpose(2, 0, 1)[None]
        maps = self._session.run(None, {"input": np.ascontiguousarray(values)})[0][0].reshape(3, POINTS, GRID * GRID)
        peaks = maps[0].argmax(axis=1)
        rows = np.arange(POINTS)
        offsets = np.clip(maps[1:, rows, peaks].astype(np.float64), 1e-7, 1 - 1e-7)
        offsets = np.log(offsets / (1 - offsets)) / OFFSET_SHARPNESS
        # The first offset is vertical, the second horizontal.
        positions = np.stack((peaks % GRID / (GRID - 1) + offsets[1], peaks // GRID / (GRID - 1) + offsets[0]), axis=1)
        points = positions * (CROP_PX - 1) / scale + (left, top)
        return points.astype(np.float32), float(maps[0, rows, peaks].mean())
