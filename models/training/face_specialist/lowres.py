"""Imitates face swaps at low resolution: a face of 128 px pasted into a larger image and sharpened by a restorer.

Input and output: crops uint8 [288,288,3]; landmarks float32 [66,2] in pixels of the crop.
"""

import cv2
import numpy as np

from data.upscalers import real_esrgan_video, waifu2x
from face_specialist.blend import aligned_to
from face_specialist.changes import match_colour, sharpen
from face_specialist.masks import hull_mask, paste, soft_mask

SIDES_PX = (96, 128, 128, 128, 160)
FACE_SHARE = 0.62
"""Share of the stored crop's side that the square of a swapping network covers."""
ENLARGED_FACES_PX = (128, 160, 192)
"""Sides in px to which genuine crops are shrunk before a network enlarges them."""


def restore(face: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Imitates a face restorer: smooth skin, crisp edges, a little grain."""
    smooth = cv2.bilateralFilter(face, 7, float(random.uniform(15, 45)), float(random.uniform(2, 5)))
    crisp = sharpen(smooth, random)
    grain = random.normal(0, random.uniform(0, 3), face.shape[:2])[:, :, None]
    return np.clip(crisp + grain, 0, 255).astype(np.uint8)


def box_mask(side_px: int, random: np.random.Generator) -> np.ndarray:
    """Returns the mask of the network's square, eroded and blurred, as swapping tools paste it without landmarks.

    float32 [side,side,1].
    """
    half = FACE_SHARE / 2 * side_px * float(random.uniform(0.8, 0.98))
    middle = side_px * np.array((0.5, 0.53))
    left, top = (middle - half).astype(int)
    right, bottom = (middle + half).astype(int)
    mask = np.zeros((side_px, side_px), np.float32)
    mask[top:bottom, left:right] = 1
    return cv2.GaussianBlur(mask, (0, 0), side_px * float(random.uniform(0.015, 0.04)))[:, :, None]


def swapped_source(
    face: np.ndarray, points: np.ndarray, other: np.ndarray, other_points: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """Imitates a swapping network's output: `face` itself, or another person with the light and shape of `face`."""
    if random.random() >= 0.5:
        return face
    source = match_colour(
        aligned_to(other, other_points, points), face, hull_mask(points, face.shape[0], "inner")[:, :, None]
    )
    return paste(face, source, np.full((1, 1, 1), random.uniform(0.5, 1.0), np.float32))


def pasted(face: np.ndarray, drawn: np.ndarray, points: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Pastes `drawn` over `face` inside the network's square or the outline of the landmarks."""
    side = face.shape[0]
    mask = box_mask(side, random) if random.random() < 0.5 else soft_mask(points, side, random, "whole")
    return paste(face, drawn, mask / mask.max())


def low_resolution(
    face: np.ndarray, points: np.ndarray, other: np.ndarray, other_points: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """Replaces the features of `face` by its own or another person's at about 128 px.

    They are sometimes restored, and pasted inside a square or the outline of the landmarks.
    """
    side_px, source = face.shape[0], swapped_source(face, points, other, other_points, random)
    network_px = round(int(random.choice(SIDES_PX)) / FACE_SHARE)
    small = cv2.resize(source, (network_px, network_px), interpolation=cv2.INTER_AREA)
    if random.random() < 0.4:
        small = cv2.GaussianBlur(small, (0, 0), float(random.uniform(0.4, 0.9)))
    large = cv2.resize(small, (side_px, side_px), interpolation=int(random.choice((cv2.INTER_LINEAR, cv2.INTER_CUBIC))))
    if random.random() < 0.6:
        large = restore(large, random)
    return pasted(face, large, points, random)


def enlarge(small: np.ndarray, side_px: int, random: np.random.Generator) -> np.ndarray:
    """Enlarges a crop uint8 [S,S,3] of even side to `side_px` by an upscaling network.

    Mixes the result with one by a kernel, because tools offer such a mix.
    """
    large = (real_esrgan_video() if random.random() < 2 / 3 else waifu2x())(small)
    size = (side_px, side_px)
    large = cv2.resize(large, size, interpolation=cv2.INTER_AREA if large.shape[0] > side_px else cv2.INTER_CUBIC)
    share = random.uniform(0.5, 1.0)
    mixed = share * large + (1 - share) * cv2.resize(small, size, interpolation=cv2.INTER_CUBIC)
    if random.random() < 0.4:
        mixed = mixed + random.normal(0, random.uniform(0, 4), size)[:, :, None]
    return np.clip(mixed, 0, 255).astype(np.uint8)


def restored_swap(
    face: np.ndarray, points: np.ndarray, other: np.ndarray, other_points: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """Imitates a swap by a tool with a face restorer.

    `face` gets its own or another person's features at a swapping network's size, which a network mostly enlarges.
    """
    side_px, source = face.shape[0], swapped_source(face, points, other, other_points, random)
    network_px = round(int(random.choice(SIDES_PX)) / FACE_SHARE) // 2 * 2
    small = cv2.resize(source, (network_px, network_px), interpolation=cv2.INTER_AREA)
    if random.random() < 0.6:
        small = cv2.GaussianBlur(small, (0, 0), float(random.uniform(0.4, 0.9)))
    by_network = random.random() < 0.7
    large = (
        enlarge(small, side_px, random)
        if by_network
        else cv2.resize(small, (side_px, side_px), interpolation=cv2.INTER_LANCZOS4)
    )
    return pasted(face, large, points, random)


def enlarged_face(face: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Shrinks the whole genuine crop and enlarges it by a network.

    Its label stays genuine, so that the heads do not learn a network's sharpness as a sign of a fake.
    """
    small_px = int(random.choice(ENLARGED_FACES_PX))
    return enlarge(cv2.resize(face, (small_px, small_px), interpolation=cv2.INTER_AREA), face.shape[0], random)
