"""Makes training crops: images at a random scale, turned, mirrored, placed next to others, and degraded.

Input: labelled images. Output: square crops uint8 [S,S,3] and their faces in pixels of the crop.
"""

from collections import deque
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from data.degrade import recompress, soften
from face_detector.boxes import Faces
from face_detector.labels import SURE_SCORE, LabelledImage


def augment(crop: np.ndarray, faces: Faces, random: np.random.Generator) -> np.ndarray:
    """Degrades a training crop uint8 [H,W,3] RGB without moving its faces. Equal random states give equal results."""
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
    """Covers up to a third of a face with a plain patch or a piece of the same crop."""
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
    """Changes gain, offset and gamma of each channel, mostly equally for all three."""
    levels = np.arange(256) / 255.0
    shared = (random.uniform(0.65, 1.35), random.uniform(-0.1, 0.1), np.exp(random.uniform(-0.5, 0.5)))
    tables = []
    for _ in range(3):
        gain, offset = shared[0] * random.uniform(0.9, 1.1), shared[1] + random.uniform(-0.04, 0.04)
        tables.append(np.clip(levels ** shared[2] * gain + offset, 0, 1) * 255)
    return cv2.LUT(crop, np.stack(tables, axis=1).round().astype(np.uint8)[:, None])


@dataclass(frozen=True)
class SceneSettings:
    """Settings of training crops: probabilities 0..1, and sizes in input pixels."""

    with_face: float = 0.65
    portraits: float = 0.3
    mosaic: float = 0.45
    turned: float = 0.2
    max_turn_degrees: float = 30.0
    smallest_face_px: float = 9.0
    largest_face_share: float = 0.95
    max_enlargement: float = 2.0
    background: float = 0.7


class Scenes:
    """Draws random training crops from labelled images. Portraits are images of collections of single faces."""

    def __init__(self, scenes: list[LabelledImage], portraits: list[LabelledImage], settings: SceneSettings):
        self._faces = [image for image in scenes if (image.faces.scores >= SURE_SCORE).any()]
        self._others = [image for image in scenes if not (image.faces.scores >= SURE_SCORE).any()]
        self._portraits = portraits
        self._settings = settings
        self._backgrounds: deque[np.ndarray] = deque(maxlen=64)

    def draw(self, random: np.random.Generator, side_px: int) -> tuple[np.ndarray, Faces, np.ndarray]:
        """Returns a random crop uint8 [side,side,3], its faces in pixels of the crop, and each face's visible share."""
        if random.random() < self._settings.mosaic:
            half = side_px // 2
            crop = np.zeros((side_px, side_px, 3), np.uint8)
            parts, shares = [], []
            for top, left in ((0, 0), (0, half), (half, 0), (half, half)):
                tile, faces, visible = self._one(random, half)
                crop[top : top + half, left : left + half] = tile
                boxes = faces.boxes + np.array((left, top, 0, 0), np.float32)
                parts.append(Faces(faces.scores, boxes, faces.points + np.array((left, top), np.float32)))
                shares.append(visible)
            faces, visible = Faces.concatenate(parts), np.concatenate(shares)
        else:
            crop, faces, visible = self._one(random, side_px)
        return augment(crop, faces, random), faces, visible

    def _pick(self, random: np.random.Generator) -> LabelledImage:
        kind = random.random()
        if kind > self._settings.with_face:
            pool = self._others
        else:
            pool = self._portraits if random.random() < self._settings.portraits else self._faces
        return pool[random.integers(len(pool))]

    def _one(self, random: np.random.Generator, side_px: int) -> tuple[np.ndarray, Faces, np.ndarray]:
        image = self._pick(random)
        shape = (round(image.height * image.copy_scale), round(image.width * image.copy_scale))
        faces = image.faces.scaled(image.copy_scale)
        scale, focus = self._aim(shape, faces, random, side_px)
        size = [max(2, round(side * scale)) for side in shape[::-1]]
        pixels = _read(image.copy, scale)
        shrinks = pixels.shape[1] > size[0]
        pixels = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)
        turn = 0.0
        if random.random() < self._settings.turned:
            turn = random.uniform(-self._settings.max_turn_degrees, self._settings.max_turn_degrees)
        matrix = cv2.getRotationMatrix2D((float(focus[0] * scale), float(focus[1] * scale)), turn, 1.0)
        matrix[:, 2] += random.uniform(0.15, 0.85, 2) * side_px - focus * scale
        matrix = _kept_in_crop(matrix, size, side_px)
        mirrored = random.random() < 0.5
        if mirrored:
            matrix = np.array(((-1.0, 0, side_px - 1.0), (0, 1, 0))) @ np.vstack((matrix, (0, 0, 1)))
        crop = self._on_background(pixels, matrix, random, side_px)
        if not len(faces) and min(size) >= side_px:
            self._backgrounds.append(crop)
        return crop, *_moved(faces.scaled(scale), matrix, mirrored, side_px)

    def _on_background(self, pixels: np.ndarray, matrix: np.ndarray, random: np.random.Generator, side_px: int):
        """Returns the moved image on black, with which the engine also fills, or on an earlier crop without faces."""
        shape = (side_px, side_px)
        fits = [crop for crop in self._backgrounds if crop.shape[0] >= side_px]
        if not fits or random.random() > self._settings.background:
            return cv2.warpAffine(pixels, matrix, shape, flags=cv2.INTER_LINEAR)
        under = fits[random.integers(len(fits))][:side_px, :side_px].copy()
        return cv2.warpAffine(pixels, matrix, shape, under, cv2.INTER_LINEAR, cv2.BORDER_TRANSPARENT)

    def _aim(self, shape: tuple[int, int], faces: Faces, random: np.random.Generator, side_px: int):
        """Chooses the scale from small copy to crop, and the point of the copy that the crop shows."""
        sure = np.flatnonzero(faces.scores >= SURE_SCORE)
        if not sure.size:
            longest = max(shape)
            scale = np.exp(random.uniform(np.log(0.5 * side_px), np.log(max(1024.0, longest)))) / longest
            return min(scale, 1.5), random.random(2) * (shape[1], shape[0])
        left, top, width, height = faces.boxes[random.choice(sure)]
        largest = self._settings.largest_face_share * side_px
        wanted = np.exp(random.uniform(np.log(self._settings.smallest_face_px), np.log(largest)))
        scale = min(wanted / np.sqrt(width * height), self._settings.max_enlargement)
        return scale, np.array((left + width / 2, top + height / 2))


def _read(path: Path, scale: float) -> np.ndarray:
    """Reads the small copy as RGB, decoded at half or quarter size if `scale` needs no more detail."""
    flag = cv2.IMREAD_COLOR
    for factor, reduced in ((2, cv2.IMREAD_REDUCED_COLOR_2), (4, cv2.IMREAD_REDUCED_COLOR_4)):
        flag = reduced if scale * factor <= 1.0 else flag
    return cv2.cvtColor(cv2.imread(str(path), flag), cv2.COLOR_BGR2RGB)


def _kept_in_crop(matrix: np.ndarray, size: list[int], side_px: int) -> np.ndarray:
    """Moves an image that is larger than the crop, so that the crop has no avoidable empty border."""
    for axis in range(2):
        free = side_px - size[axis]
        low, high = min(0, free), max(0, free)
        corner = matrix[axis, 2] if abs(matrix[0, 1]) < 1e-6 else None
        if corner is not None:
            matrix[axis, 2] = float(np.clip(corner, low, high))
    return matrix


def _moved(faces: Faces, matrix: np.ndarray, mirrored: bool, side_px: int) -> tuple[Faces, np.ndarray]:
    """Returns the faces after an affine transform (centre moved, same size), and each box's share inside the crop."""
    centres = faces.boxes[:, :2] + faces.boxes[:, 2:] / 2
    centres = centres @ matrix[:, :2].T + matrix[:, 2]
    boxes = np.concatenate((centres - faces.boxes[:, 2:] / 2, faces.boxes[:, 2:]), axis=1).astype(np.float32)
    points = faces.points @ matrix[:, :2].T + matrix[:, 2]
    if mirrored:
        points = points[:, (1, 0, 2, 4, 3)]
    inner = np.clip(np.minimum(boxes[:, :2] + boxes[:, 2:], side_px) - np.maximum(boxes[:, :2], 0), 0, None)
    visible = np.prod(inner, axis=1) / np.prod(boxes[:, 2:], axis=1)
    seen = visible > 0.02
    return Faces(faces.scores[seen], boxes[seen], points[seen].astype(np.float32)), visible[seen]
