"""What the student sees and the teacher did not: occlusion, light, colour, noise, blur and compression."""

import cv2
import numpy as np

from data.degrade import recompress, soften
from face_detector.boxes import Faces


def augment(crop: np.ndarray, faces: Faces, random: np.random.Generator) -> np.ndarray:
    """A worse copy of a training crop: uint8 [H,W,3] RGB in and out; geometry stays. Deterministic in `random`."""
    crop = np.ascontiguousarray(crop)
    if len(faces) and random.random() < 0.25:
        crop = _occlude(crop, faces.boxes[random.integers(len(faces))], random)
    if random.random() < 0.7:
        crop = _relight(crop, random)
    if random.random() < 0.12:
        crop = np.repeat(cv2.cvtColor(crop, cv2.COLOR_RGB2GRAY)[:, :, None], 3, axis=2)
    if random.random() < 0.25:
        crop = soften(crop, random)
    if random.random() < 0.15:
        noise = random.normal(0, random.uniform(2, 14), crop.shape)
        crop = np.clip(crop + noise, 0, 255).astype(np.uint8)
    if random.random() < 0.6:
        crop = recompress(crop, random)
    return np.ascontiguousarray(crop)


def _occlude(crop: np.ndarray, box: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Cover up to a third of a face: a plain patch or a piece of the same crop."""
    size = np.maximum(2, box[2:] * random.uniform(0.2, 0.55, 2)).astype(int)
    corner = (box[:2] + random.random(2) * (box[2:] - size)).astype(int)
    height, width = crop.shape[:2]
    left, top = np.clip(corner, 0, (width - 2, height - 2))
    right, bottom = min(width, left + size[0]), min(height, top + size[1])
    if random.random() < 0.5:
        crop[top:bottom, left:right] = random.integers(0, 256, 3)
    else:
        y, x = random.integers(0, height - (bottom - top) + 1), random.integers(0, width - (right - left) + 1)
        crop[top:bottom, left:right] = crop[y : y + bottom - top, x : x + right - left].copy()
    return crop


def _relight(crop: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Gain, offset and gamma for each channel, mostly shared by the three."""
    levels = np.arange(256) / 255.0
    shared = (random.uniform(0.65, 1.35), random.uniform(-0.1, 0.1), np.exp(random.uniform(-0.5, 0.5)))
    tables = []
    for _ in range(3):
        gain, offset = shared[0] * random.uniform(0.9, 1.1), shared[1] + random.uniform(-0.04, 0.04)
        tables.append(np.clip(levels ** shared[2] * gain + offset, 0, 1) * 255)
    return cv2.LUT(crop, np.stack(tables, axis=1).round().astype(np.uint8)[:, None])
