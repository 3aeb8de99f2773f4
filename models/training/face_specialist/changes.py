"""Changes that a face-swapping program makes to a face before pasting it: colour, sharpness, position, compression.

Input and output: uint8 [S,S,3]. The same random state gives the same change.
"""

import cv2
import numpy as np

from data.degrade import recompress, rescale


def recolour(face: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Shifts hue, saturation, lightness and contrast slightly, or the channels against each other."""
    if random.random() < 0.3:
        gain, shift = random.uniform(0.9, 1.1, 3), random.uniform(-14, 14, 3)
        return np.clip(face * gain + shift, 0, 255).astype(np.uint8)
    values = cv2.cvtColor(face, cv2.COLOR_RGB2HSV).astype(np.float32)
    values[..., 0] = (values[..., 0] + random.normal(0, 3)) % 180
    values[..., 1] *= random.uniform(0.75, 1.25)
    values[..., 2] = (values[..., 2] - 128) * random.uniform(0.85, 1.15) + 128 + random.normal(0, 9)
    return cv2.cvtColor(np.clip(values, 0, 255).astype(np.uint8), cv2.COLOR_HSV2RGB)


def sharpen(face: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Sharpens by an unsharp mask."""
    blurred = cv2.GaussianBlur(face, (0, 0), random.uniform(0.7, 2.5))
    amount = float(random.uniform(0.3, 1.3))
    return cv2.addWeighted(face, 1 + amount, blurred, -amount, 0)


def resharpen(face: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Changes the sharpness: by a network's low resolution, blur, sharpening, or compression of the face only."""
    draw = random.random()
    if draw < 0.45:
        small = rescale(face, float(random.uniform(0.25, 0.8)), random)
        return cv2.resize(small, face.shape[:2], interpolation=int(random.choice((cv2.INTER_LINEAR, cv2.INTER_CUBIC))))
    if draw < 0.55:
        return cv2.GaussianBlur(face, (0, 0), float(random.uniform(0.6, 2.0)))
    return sharpen(face, random) if draw < 0.8 else recompress(face, random)


def nudge(face: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Shifts by up to 2.5%, scales by up to 4% on each axis and turns by up to 3 degrees."""
    side_px = face.shape[0]
    matrix = cv2.getRotationMatrix2D((side_px / 2, side_px / 2), random.uniform(-3, 3), random.uniform(0.96, 1.04))
    matrix[0, :2] *= random.uniform(0.98, 1.02)
    matrix[:, 2] += random.uniform(-0.025, 0.025, 2) * side_px
    return cv2.warpAffine(face, matrix, (side_px, side_px), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101)


def match_colour(source: np.ndarray, target: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Gives `source` the mean and deviation of `target` inside `mask` ([H,W,1]), for each channel in Lab colours."""
    labs = [cv2.cvtColor(image, cv2.COLOR_RGB2LAB).astype(np.float32) for image in (source, target)]
    weight = mask / max(float(mask.sum()), 1.0)
    means = [(lab * weight).sum(axis=(0, 1)) for lab in labs]
    spreads = [np.sqrt((np.square(lab - mean) * weight).sum((0, 1))) for lab, mean in zip(labs, means, strict=True)]
    gain = np.clip(spreads[1] / np.maximum(spreads[0], 1.0), 0.5, 2.0)
    moved = np.clip((labs[0] - means[0]) * gain + means[1], 0, 255).astype(np.uint8)
    return cv2.cvtColor(moved, cv2.COLOR_LAB2RGB)
