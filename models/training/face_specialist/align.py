"""Cuts face crops in which eyes, nose and mouth are always at the same position.

Input: RGB uint8 [H,W,3] and five points float [5,2] in its pixels. Output: uint8 [side,side,3].
"""

import cv2
import numpy as np

TEMPLATE = np.array(((0.35, 0.40), (0.65, 0.40), (0.50, 0.565), (0.385, 0.71), (0.615, 0.71)), np.float64)
"""Positions of the five points in the crop, as shares of the crop's side (x, y): right eye, left eye, nose, right and
left mouth corner, from left to right in the image. The side of the crop is 3.3 times the distance of the eyes.
Forehead, chin and ears are therefore inside, because the border of a swapped face runs across them."""


def similarity(points: np.ndarray, side_px: float, template: np.ndarray = TEMPLATE) -> np.ndarray:
    """Fits the 2x3 matrix from image pixels to crop pixels: rotation, uniform scale and shift, by least squares.

    `points` [5,2] are in image pixels. The crop is a square of `side_px`. Umeyama (1991) without reflection minimises
    the sum of squared distances between the moved points and `template * side_px`. Points that coincide give scale 0.
    """
    points, wanted = np.asarray(points, np.float64), template * side_px
    middle, wanted_middle = points.mean(axis=0), wanted.mean(axis=0)
    centred, wanted_centred = points - middle, wanted - wanted_middle
    spread = (centred**2).sum()
    # In two dimensions the optimum has a closed form: a is the sum of dot products and b of cross products, over the
    # spread.
    a = (centred * wanted_centred).sum() / max(spread, 1e-12)
    b = (centred[:, 0] * wanted_centred[:, 1] - centred[:, 1] * wanted_centred[:, 0]).sum() / max(spread, 1e-12)
    turn = np.array(((a, -b), (b, a)))
    return np.hstack((turn, (wanted_middle - turn @ middle)[:, None]))


def crop_face(image: np.ndarray, matrix: np.ndarray, side_px: int) -> np.ndarray:
    """Cuts the aligned crop: uint8 [side,side,3] from uint8 [H,W,3]. Beyond the image, border pixels are repeated.

    If the face is larger than the crop, the region is first shrunk with INTER_AREA by the scale of the transform,
    because bilinear sampling would cause aliasing. Then it is warped with INTER_LINEAR.
    """
    scale = float(np.hypot(matrix[0, 0], matrix[1, 0]))
    if scale < 1.0:
        height, width = image.shape[:2]
        inverse = cv2.invertAffineTransform(matrix)
        corners = np.array(((0, 0), (side_px, 0), (0, side_px), (side_px, side_px)), np.float64)
        seen = corners @ inverse[:, :2].T + inverse[:, 2]
        margin = 2.0 / scale
        left, top = np.floor(seen.min(axis=0) - margin).astype(int)
        right, bottom = np.ceil(seen.max(axis=0) + margin).astype(int)
        left, right = np.clip((left, right), 0, width)
        top, bottom = np.clip((top, bottom), 0, height)
        if right - left < 1 or bottom - top < 1:  # the crop lies completely outside the image
            left, right = (0, 1) if right < 1 else (width - 1, width)
            top, bottom = (0, 1) if bottom < 1 else (height - 1, height)
        region = image[top:bottom, left:right]
        size = (max(1, round((right - left) * scale)), max(1, round((bottom - top) * scale)))
        image = cv2.resize(region, size, interpolation=cv2.INTER_AREA)
        back_x, back_y = (right - left) / size[0], (bottom - top) / size[1]
        # Centre of a pixel: x in the shrunk image is image x = left + (x + 0.5) * back_x - 0.5.
        to_image = np.array(((back_x, 0, left + 0.5 * back_x - 0.5), (0, back_y, top + 0.5 * back_y - 0.5), (0, 0, 1)))
        matrix = np.vstack((matrix, (0, 0, 1)))[:2] @ to_image
    return cv2.warpAffine(
        np.ascontiguousarray(image), matrix, (side_px, side_px), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )


SIDE_PX = 288
"""Side in px of a stored crop."""
MARGIN = 1.25
"""Ratio of the sides of a stored crop and of the network's crop, so that training can shift, turn and scale faces."""
SMALLEST_FACE_PX = 64
MAX_FACES = 6
LOWEST_SCORE = 0.8
"""Minimum detector's score of training faces, higher than the engine's: a crop without a face has a wrong label."""


def margin_template() -> np.ndarray:
    """Returns the positions of the five points in a stored crop: TEMPLATE, smaller by MARGIN around the middle."""
    return (TEMPLATE - 0.5) / MARGIN + 0.5
