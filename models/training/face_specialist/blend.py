"""Swapped faces made on the fly: a face blended with a changed copy of itself, or of another aligned face.

Self-blended images after Shiraga and Yamasaki (CVPR 2022), here in the aligned frame, so that the mask needs no
landmarks: the five points already lie where the template says.
"""

import cv2
import numpy as np

from data.degrade import recompress, rescale

OUTLINES = {
    "whole": ((0.50, 0.535), (0.265, 0.345)),
    "inner": ((0.50, 0.55), (0.21, 0.25)),
    "lower": ((0.50, 0.70), (0.19, 0.15)),
    "eyes": ((0.50, 0.41), (0.24, 0.10)),
}
"""Centre and half axes of the parts that swaps replace, as shares of the stored crop's side (eyes at 0.42, mouth at
0.67 there)."""
OUTLINE_SHARES = (0.55, 0.25, 0.12, 0.08)


def face_mask(side_px: int, random: np.random.Generator) -> np.ndarray:
    """A soft, irregular mask of a part of the face: float32 [side,side,1], 0..1."""
    centre, axes = OUTLINES[random.choice(list(OUTLINES), p=OUTLINE_SHARES)]
    angles = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    # A few random waves bend the outline; the exponent makes it rounder or squarer.
    bend = 1 + sum(random.normal(0, 0.06 / k) * np.cos(k * angles + random.uniform(0, 6.3)) for k in (1, 2, 3, 4))
    power = random.uniform(0.7, 1.05)
    shape = np.stack((np.cos(angles), np.sin(angles)), axis=1)
    shape = np.sign(shape) * np.abs(shape) ** power
    outline = np.array(centre) + random.normal(0, 0.012, 2) + shape * bend[:, None] * axes * random.uniform(0.9, 1.1)
    mask = np.zeros((side_px, side_px), np.float32)
    cv2.fillPoly(mask, [(outline * side_px).round().astype(np.int32)], 1.0, cv2.LINE_AA)
    sigma = side_px * np.exp(random.uniform(np.log(0.004), np.log(0.03)))
    mask = cv2.GaussianBlur(mask, (0, 0), sigma)
    return mask[:, :, None] * random.choice((0.75, 1.0, 1.0, 1.0))


def match_colour(source: np.ndarray, target: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """`source` with the mean and deviation that `target` has under the mask, channel by channel in Lab."""
    labs = [cv2.cvtColor(image, cv2.COLOR_RGB2LAB).astype(np.float32) for image in (source, target)]
    weight = mask / max(float(mask.sum()), 1.0)
    means = [(lab * weight).sum(axis=(0, 1)) for lab in labs]
    spreads = [np.sqrt((np.square(lab - mean) * weight).sum(axis=(0, 1))) for lab, mean in zip(labs, means, strict=True)]
    gain = np.clip(spreads[1] / np.maximum(spreads[0], 1.0), 0.5, 2.0)
    moved = np.clip((labs[0] - means[0]) * gain + means[1], 0, 255).astype(np.uint8)
    return cv2.cvtColor(moved, cv2.COLOR_LAB2RGB)


def _recolour(image: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A slight shift of hue, saturation, lightness and contrast."""
    values = cv2.cvtColor(image, cv2.COLOR_RGB2HSV).astype(np.float32)
    values[..., 0] = (values[..., 0] + random.normal(0, 3)) % 180
    values[..., 1] *= random.uniform(0.8, 1.2)
    values[..., 2] = (values[..., 2] - 128) * random.uniform(0.85, 1.15) + 128 + random.normal(0, 8)
    return cv2.cvtColor(np.clip(values, 0, 255).astype(np.uint8), cv2.COLOR_HSV2RGB)


def _requality(image: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """What a swap's own pipeline does to a face: a low-resolution network output, sharpening, or compression."""
    side_px, draw = image.shape[0], random.random()
    if draw < 0.5:
        small = rescale(image, random.uniform(0.25, 0.8), random)
        return cv2.resize(small, (side_px, side_px), interpolation=int(random.choice((cv2.INTER_LINEAR, cv2.INTER_CUBIC))))
    if draw < 0.75:
        blurred = cv2.GaussianBlur(image, (0, 0), random.uniform(0.8, 2.5))
        return cv2.addWeighted(image, 1 + (amount := random.uniform(0.3, 1.2)), blurred, -amount, 0)
    return recompress(image, random)


def _nudge(image: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A shift of up to 2.5%, a scale of up to 4% each way and a turn of up to 3 degrees."""
    side_px = image.shape[0]
    matrix = cv2.getRotationMatrix2D((side_px / 2, side_px / 2), random.uniform(-3, 3), random.uniform(0.96, 1.04))
    matrix[0, :2] *= random.uniform(0.98, 1.02)
    matrix[:, 2] += random.uniform(-0.025, 0.025, 2) * side_px
    return cv2.warpAffine(image, matrix, (side_px, side_px), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def blend_faces(target: np.ndarray, source: np.ndarray | None, random: np.random.Generator) -> np.ndarray:
    """A fake: part of `target`'s face comes from `source`, or from a changed copy of itself where that is None.

    Stored crops, uint8 [288,288,3] RGB; so is the result.
    """
    mask = face_mask(target.shape[0], random)
    if source is None:
        source, changes = target, [_recolour, _requality, _nudge]
        # At least two of the changes, in random order, so that a border is really there.
        order = random.permutation(3)[: int(random.integers(2, 4))]
        if random.random() < 0.3 and 2 not in order:
            target = _requality(target, random)
        for change in order:
            source = changes[change](source, random)
    else:
        source = match_colour(_nudge(source, random), target, mask)
        if random.random() < 0.6:
            source = _requality(source, random)
        if random.random() < 0.5:
            source = _recolour(source, random)
    mixed = source.astype(np.float32) * mask + target.astype(np.float32) * (1 - mask)
    return mixed.round().astype(np.uint8)
