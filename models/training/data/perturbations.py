"""Changes that people make to an image before they send it, one function each, the same for AI and genuine images.

Every function takes RGB uint8 [H,W,3] and a `numpy.random.Generator`, and returns the bytes of the file that a service
would receive. Each change has a fixed strength.
"""

import io
from collections.abc import Callable

import cv2
import numpy as np
from PIL import Image

from data.degrade import encode_jpeg, jpeg, sharpen, shrink_to, webp

Perturbation = Callable[[np.ndarray, np.random.Generator], bytes]
SAVED = 90
"""JPEG quality with which editors save."""
MAX_ENLARGED_PX = 1536
"""Longer side in px to which images are shrunk before being enlarged, because people enlarge only small images."""
PHONE_PX = (1080, 2340)
STATUS_BAR_PX = 96
SCREEN_PX = 1280
"""Longer side in px of an image that is shown on a screen and photographed."""
FONT = cv2.FONT_HERSHEY_SIMPLEX


def saved(image: np.ndarray) -> bytes:
    """Saves an image as JPEG like an editor."""
    return encode_jpeg(np.ascontiguousarray(image), SAVED)


def crop(image: np.ndarray, rng: np.random.Generator) -> bytes:
    """Cuts a part with 70% of the width and height at a random position."""
    height, width = (round(0.7 * side) for side in image.shape[:2])
    y, x = (int(rng.integers(0, room + 1)) for room in (image.shape[0] - height, image.shape[1] - width))
    return saved(image[y : y + height, x : x + width])


def turn(image: np.ndarray, rng: np.random.Generator) -> bytes:
    """Turns the image by 3 degrees and crops away the empty corners."""
    height, width = image.shape[:2]
    angle = 3 * float(rng.choice([-1, 1]))
    turned = cv2.warpAffine(
        image, cv2.getRotationMatrix2D((width / 2, height / 2), angle, 1), (width, height), flags=cv2.INTER_LINEAR
    )
    lost = np.tan(np.radians(3)) / 2
    dx, dy = round(height * lost), round(width * lost)
    return saved(turned[dy : height - dy, dx : width - dx])


def enlarge(kernel: Image.Resampling) -> Perturbation:
    """Returns a perturbation that doubles the image's size with the given kernel."""

    def twice(image: np.ndarray, _: np.random.Generator) -> bytes:
        small = shrink_to(image, MAX_ENLARGED_PX)
        return saved(np.asarray(Image.fromarray(small).resize((2 * small.shape[1], 2 * small.shape[0]), kernel)))

    return twice


def resized(long_side: int) -> Perturbation:
    """Returns a perturbation that resizes to a longer side of at most `long_side` px like editors, sites and sharing
    apps.

    Resizes by Lanczos, bicubic or area. Half of the images are sharpened. One in four is saved as PNG, the others as
    JPEG of quality 85 to 95.
    """

    def resize_and_save(image: np.ndarray, rng: np.random.Generator) -> bytes:
        scale = min(1.0, long_side / max(image.shape[:2]))
        size = tuple(max(1, round(side * scale)) for side in image.shape[1::-1])
        kernel = (Image.Resampling.LANCZOS, Image.Resampling.BICUBIC, Image.Resampling.BOX)[int(rng.integers(3))]
        small = np.asarray(Image.fromarray(image).resize(size, kernel))
        if rng.random() < 0.5:
            small = sharpen(small, float(rng.uniform(0.2, 1.0)), float(rng.uniform(0.5, 1.2)))
        if rng.random() < 0.75:
            return encode_jpeg(np.ascontiguousarray(small), int(rng.integers(85, 96)))
        stream = io.BytesIO()
        Image.fromarray(small).save(stream, "PNG")
        return stream.getvalue()

    return resize_and_save


def screenshot(image: np.ndarray, rng: np.random.Generator) -> bytes:
    """Makes a phone screenshot: the image at screen width under a bar with time and battery, as PNG, sent as JPEG."""
    width, height = PHONE_PX
    shown = cv2.resize(image, (width, round(image.shape[0] * width / image.shape[1])), interpolation=cv2.INTER_LINEAR)
    shown = shown[: height - STATUS_BAR_PX]
    screen = np.full((min(height, shown.shape[0] + 4 * STATUS_BAR_PX), width, 3), int(rng.choice([0, 255])), np.uint8)
    top = max(STATUS_BAR_PX, (screen.shape[0] - shown.shape[0]) // 2)
    screen[top : top + shown.shape[0]] = shown[: screen.shape[0] - top]
    ink = (255 - screen[0, 0]).tolist()
    cv2.putText(screen, f"{rng.integers(24):02d}:{rng.integers(60):02d}", (60, 64), FONT, 1.3, ink, 3, cv2.LINE_AA)
    cv2.rectangle(screen, (950, 36), (1010, 64), ink, 2)
    cv2.rectangle(screen, (954, 40), (954 + int(rng.integers(8, 52)), 60), ink, -1)
    return saved(screen)


def messenger(image: np.ndarray, _: np.random.Generator) -> bytes:
    """Sends the image through one messenger and forwards it by another: 1,600 px at quality 75, then 1,280 px at 65."""
    return encode_jpeg(shrink_to(jpeg(shrink_to(image, 1600), 75), 1280), 65)


def as_webp(image: np.ndarray, _: np.random.Generator) -> bytes:
    """Compresses the image as WebP of quality 50 and saves it as JPEG."""
    return saved(webp(np.ascontiguousarray(image), 50))


def noise(image: np.ndarray, rng: np.random.Generator) -> bytes:
    """Adds noise with a deviation of 4 grey levels."""
    return saved(np.clip(image + rng.normal(0, 4, image.shape), 0, 255).round().astype(np.uint8))


def median(image: np.ndarray, _: np.random.Generator) -> bytes:
    """Applies a median filter of 3 by 3 pixels."""
    return saved(cv2.medianBlur(np.ascontiguousarray(image), 3))


def warm_filter(image: np.ndarray, _: np.random.Generator) -> bytes:
    """Raises contrast and warmth like a photo app's filter."""
    ramp = np.arange(256) / 255
    curve = ramp + 0.12 * np.sin(2 * np.pi * (ramp - 0.5)) / 2
    table = np.stack([255 * curve * gain for gain in (1.08, 1.0, 0.88)], axis=1)
    return saved(cv2.LUT(image, np.clip(table, 0, 255).round().astype(np.uint8).reshape(256, 1, 3)))


def caption(image: np.ndarray, _: np.random.Generator) -> bytes:
    """Adds a white border and two lines of text above the image."""
    side = max(8, image.shape[1] // 40)
    top = max(64, image.shape[1] // 6)
    framed = cv2.copyMakeBorder(image, top, side, side, side, cv2.BORDER_CONSTANT, value=(255, 255, 255))
    scale = framed.shape[1] / 640
    for row, text in enumerate(("nobody:", "me when the picture is real")):
        cv2.putText(
            framed,
            text,
            (2 * side, round(top * (0.4 + 0.4 * row))),
            FONT,
            scale,
            (0, 0, 0),
            max(1, round(2 * scale)),
            cv2.LINE_AA,
        )
    return saved(framed)


def collage(other: np.ndarray) -> Perturbation:
    """Returns a perturbation that puts `other` to the right of the image, at the same height."""

    def beside(image: np.ndarray, _: np.random.Generator) -> bytes:
        left = shrink_to(image, MAX_ENLARGED_PX)
        width = max(1, round(other.shape[1] * left.shape[0] / other.shape[0]))
        right = cv2.resize(other, (width, left.shape[0]), interpolation=cv2.INTER_AREA)
        return saved(np.concatenate((left, right[:, : 2 * left.shape[1]]), axis=1))

    return beside


def photographed_screen(image: np.ndarray, rng: np.random.Generator) -> bytes:
    """Imitates a photograph of a screen taken at an angle: screen stripes, perspective, moire, gamma, blur, noise."""
    shown = shrink_to(image, SCREEN_PX)
    # With three camera pixels per screen pixel no moire would be visible. A phone has about two.
    fine = cv2.resize(shown, None, fx=3, fy=3, interpolation=cv2.INTER_NEAREST).astype(np.float32) / 255
    stripes = np.full((3, 3), 0.35, np.float32) + 0.65 * np.eye(3, dtype=np.float32)
    fine *= np.tile(stripes, (shown.shape[1], 1))[None]
    fine[::3] *= 0.75
    height, width = shown.shape[:2]
    out_width, out_height = round(1.6 * width), round(1.6 * height)
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    slant = rng.uniform(0.01, 0.05, (4, 2)).astype(np.float32) * np.where(corners > 0, np.float32(-1), np.float32(1))
    fine_size, out_size = np.float32((3 * width, 3 * height)), np.float32((out_width, out_height))
    matrix = cv2.getPerspectiveTransform(corners * fine_size, (corners + slant) * out_size)
    seen = cv2.warpPerspective(
        cv2.GaussianBlur(fine, (0, 0), 0.7), matrix, (out_width, out_height), flags=cv2.INTER_LINEAR
    )
    seen = np.clip(seen * 1.6, 0, 1) ** float(rng.uniform(0.85, 1.0))
    seen = cv2.GaussianBlur(seen, (0, 0), 0.6) + rng.normal(0, 0.012, seen.shape)
    return saved(np.clip(255 * seen, 0, 255).round().astype(np.uint8))


PERTURBATIONS: dict[str, Perturbation] = {
    "cropped to 70%": crop,
    "turned by 3 degrees": turn,
    "enlarged twice, bicubic": enlarge(Image.Resampling.BICUBIC),
    "enlarged twice, Lanczos": enlarge(Image.Resampling.LANCZOS),
    **{f"resized to {long_side} px": resized(long_side) for long_side in (1024, 1600, 2048)},
    "a phone's screenshot": screenshot,
    "two messengers": messenger,
    "WebP, quality 50": as_webp,
    "noise of 4 grey levels": noise,
    "median of 3 px": median,
    "a warm filter": warm_filter,
    "caption and border": caption,
    "a screen, photographed": photographed_screen,
}
"""Perturbations that need only one image. `collage` needs a second one."""
