"""Finding faces and cutting them out, rotated and scaled by five landmarks such as eyes and nose."""
import math

import numpy as np
from PIL import Image

from models import DETECTOR, FACE

MIN_FACE_PX = 64
MAX_FINDS = 24


def find_faces(image: Image.Image) -> list[np.ndarray]:
    """Returns the five landmarks of each detected face that is large enough to be scored, largest face first."""
    settings, detect = DETECTOR.manifest["input"], DETECTOR.manifest["detect"]
    scale = min(1.0, settings["long_side_px"] / max(image.size))
    width, height = (max(1, round(side * scale)) for side in image.size)
    multiple = settings["multiple"]
    pixels = np.zeros((1, -(-height // multiple) * multiple, -(-width // multiple) * multiple, 3), np.uint8)
    pixels[0, :height, :width] = image.resize((width, height), Image.Resampling.BOX)
    outputs = DETECTOR.run(pixels)
    names = DETECTOR.manifest["outputs"]
    scores, boxes, points = (outputs[names[name]][0] for name in ("scores", "boxes", "points"))
    likely = scores >= detect["score_threshold"]
    kept = suppress(scores[likely], boxes[likely], detect["nms_iou"], detect["max_faces"])
    boxes, points = boxes[likely][kept] / scale, points[likely][kept] / scale
    corners = np.concatenate([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]], axis=1)
    corners = np.clip(corners, 0, np.tile(image.size, 2)).round()
    sides = corners[:, 2:] - corners[:, :2]
    order = np.argsort(-sides.prod(axis=1), kind="stable")
    return [points[i].reshape(5, 2) for i in order if sides[i].min() >= MIN_FACE_PX][:MAX_FINDS]


def suppress(scores: np.ndarray, boxes: np.ndarray, iou: float, most: int) -> list[int]:
    """
    Keeps the boxes with the highest scores and drops boxes that overlap them too much (non-maximum suppression).
    """
    kept: list[int] = []
    for i in np.argsort(-scores, kind="stable"):
        if len(kept) >= most:
            break
        if all(overlap(boxes[i], boxes[j]) <= iou for j in kept):
            kept.append(int(i))
    return kept


def overlap(a: np.ndarray, b: np.ndarray) -> float:
    """Returns how much two boxes (x, y, w, h) overlap: intersection over union."""
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    return width * height / (a[2] * a[3] + b[2] * b[3] - width * height)


def fit_similarity(points: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """
    Returns the 2x3 matrix of rotation, scale and shift that maps `points` nearest to `wanted`, by least squares.
    """
    p, q = points - points.mean(0), wanted - wanted.mean(0)
    spread = (p * p).sum()
    a = (p * q).sum() / spread if spread > 0 else 1.0
    b = (p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0]).sum() / spread if spread > 0 else 0.0
    turn = np.array([[a, -b], [b, a]])
    return np.column_stack([turn, wanted.mean(0) - turn @ points.mean(0)])


def crop_face(image: Image.Image, points: np.ndarray) -> np.ndarray:
    """
    Cuts the aligned crop of a face. Shrinks the visible part by area first. Outside the image, repeats its
    outermost pixels.
    """
    size = FACE["size_px"]
    matrix = fit_similarity(points, np.array(FACE["crop"]["template"]) * size)
    scale = math.hypot(matrix[0, 0], matrix[1, 0])
    inverse = np.linalg.inv(np.vstack([matrix, [0, 0, 1]]))
    if scale < 1:
        corners = inverse[:2] @ np.array([[0, size, 0, size], [0, 0, size, size], [1, 1, 1, 1]])
        low = np.clip(np.floor(corners.min(1) - 2 / scale), 0, np.array(image.size) - 1)
        high = np.clip(np.ceil(corners.max(1) + 2 / scale), low + 1, image.size)
        target = tuple(max(1, round(side * scale)) for side in high - low)
        image = image.resize(target, Image.Resampling.BOX, box=(*low, *high))
        k = (high - low) / target
        to_part = np.array([[1 / k[0], 0, (0.5 - low[0]) / k[0] - 0.5], [0, 1 / k[1], (0.5 - low[1]) / k[1] - 0.5],
                            [0, 0, 1]])
        inverse = to_part @ inverse
    return warp(np.asarray(image), inverse, size)


def warp(pixels: np.ndarray, inverse: np.ndarray, size: int) -> np.ndarray:
    """
    Samples bilinearly. Repeats the outermost pixels outside the image, where Pillow's own transform leaves black.
    """
    height, width = pixels.shape[:2]
    v, u = np.mgrid[0:size, 0:size]
    x = inverse[0, 0] * u + inverse[0, 1] * v + inverse[0, 2]
    y = inverse[1, 0] * u + inverse[1, 1] * v + inverse[1, 2]
    left, top = np.floor(x).astype(int), np.floor(y).astype(int)
    fx, fy = (x - left)[..., None], (y - top)[..., None]
    x0, x1 = np.clip(left, 0, width - 1), np.clip(left + 1, 0, width - 1)
    y0, y1 = np.clip(top, 0, height - 1), np.clip(top + 1, 0, height - 1)
    upper = pixels[y0, x0] * (1 - fx) + pixels[y0, x1] * fx
    lower = pixels[y1, x0] * (1 - fx) + pixels[y1, x1] * fx
    return (upper * (1 - fy) + lower * fy).round().astype(np.uint8)
