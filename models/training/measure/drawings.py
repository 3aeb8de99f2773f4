"""Pictures drawn by a few lines of code, each kind in endless variants: nobody's photographs, and nobody's generator's."""

from collections.abc import Callable

import cv2
import numpy as np

SIDE_PX = 512


def neon(random: np.random.Generator) -> np.ndarray:
    """Glowing words on a dark wall, wet ground below."""
    sign = np.zeros((SIDE_PX, SIDE_PX, 3), np.uint8)
    for word in random.choice(["OPEN", "BAR 24h", "HOTEL", "NOODLES", "CINEMA", "JAZZ"], 3, replace=False):
        place = int(random.integers(20, 220)), int(random.integers(80, 330))
        colour = [int(value) for value in random.permutation([255, int(random.integers(0, 200)), int(random.integers(40, 120))])]
        cv2.putText(sign, str(word), place, cv2.FONT_HERSHEY_SCRIPT_SIMPLEX, float(random.uniform(1.5, 3)), colour, 5, cv2.LINE_AA)
    sign[360:] = cv2.blur(sign[360 - 152 : 360][::-1], (3, 31)) // 2
    light = sum(cv2.GaussianBlur(sign, (0, 0), sigma).astype(np.float32) * gain for sigma, gain in ((2, 0.8), (12, 1.2), (40, 1.5)))
    grain = random.normal(0, 5, sign.shape)
    return np.clip(sign + light + 14 + grain, 0, 255).astype(np.uint8)


def chart(random: np.random.Generator) -> np.ndarray:
    """Bars on white with axes and labels."""
    page = np.full((SIDE_PX, SIDE_PX, 3), 255, np.uint8)
    count = int(random.integers(4, 12))
    for index, value in enumerate(random.uniform(0.1, 1, count)):
        left = 60 + index * 420 // count
        colour = [int(level) for level in random.integers(40, 220, 3)]
        cv2.rectangle(page, (left, 450 - int(value * 380)), (left + 300 // count, 450), colour, -1)
        cv2.putText(page, f"{value * 100:.0f}", (left, 470), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (0, 0, 0), 1, cv2.LINE_AA)
    cv2.line(page, (50, 450), (490, 450), (0, 0, 0), 2)
    cv2.line(page, (50, 40), (50, 450), (0, 0, 0), 2)
    return page


def page(random: np.random.Generator) -> np.ndarray:
    """Lines of words, as a screenshot shows them."""
    sheet = np.full((SIDE_PX, SIDE_PX, 3), int(random.integers(235, 256)), np.uint8)
    for top in range(40, 500, 22):
        words = " ".join("".join(random.choice(list("aeinorstlmdu"), int(random.integers(2, 9)))) for _ in range(9))
        cv2.putText(sheet, words[:58], (20, top), cv2.FONT_HERSHEY_SIMPLEX, 0.45, (30, 30, 30), 1, cv2.LINE_AA)
    return sheet


def hills(random: np.random.Generator) -> np.ndarray:
    """Layers of hills under an evening sky, as a flat illustration shows them."""
    low, high, near = (random.uniform(60, 255, 3) for _ in range(3))
    share = np.linspace(0, 1, SIDE_PX)[:, None, None]
    picture = np.broadcast_to(high * (1 - share) + low * share, (SIDE_PX, SIDE_PX, 3)).copy()
    x = np.arange(SIDE_PX)
    for layer in range(6):
        waves = sum(random.uniform(5, 30) * np.sin(x / random.uniform(25, 120) + random.uniform(0, 6.3)) for _ in range(3))
        top = 200 + layer * 50 + waves
        depth = layer / 5
        picture[np.arange(SIDE_PX)[:, None] > top[None]] = low * (1 - depth) * 0.8 + near * depth * 0.4
    return np.clip(picture, 0, 255).astype(np.uint8)


def vase(random: np.random.Generator) -> np.ndarray:
    """A smooth vase before a plain background, softly lit, with grain: the look of a studio picture."""
    y, x = np.mgrid[:SIDE_PX, :SIDE_PX] / SIDE_PX
    picture = (random.uniform(120, 230, 3) * (1.1 - 0.6 * np.hypot(x - 0.5, y - 0.4))[..., None]).astype(np.float32)
    wave, phase = random.uniform(5, 9), random.uniform(0, 6)
    width = 0.16 + 0.07 * np.sin(y * wave + phase)
    across = (x - 0.5) / width
    inside = (np.abs(across) < 1) & (y > 0.25) & (y < 0.85)
    shade = np.sqrt(np.clip(1 - (across * 0.9 + 0.35) ** 2, 0, 1))
    picture[inside] = (random.uniform(60, 250, 3) * (0.25 + 0.75 * shade[..., None]))[inside]
    picture = cv2.GaussianBlur(picture, (0, 0), 1.2) + random.normal(0, random.uniform(1, 5), picture.shape)
    return np.clip(picture, 0, 255).astype(np.uint8)


def tree(random: np.random.Generator) -> np.ndarray:
    """A tree of dividing branches and leaves before the sky."""
    picture = np.full((SIDE_PX, SIDE_PX, 3), (170, 200, 235), np.uint8)

    def grow(x: float, y: float, angle: float, length: float, thickness: int) -> None:
        end = x + np.cos(angle) * length, y + np.sin(angle) * length
        cv2.line(picture, (int(x), int(y)), (int(end[0]), int(end[1])), (80, 60, 45), thickness, cv2.LINE_AA)
        if length < 14:
            colour = [int(value) for value in (random.integers(20, 90), random.integers(80, 170), random.integers(20, 60))]
            cv2.circle(picture, (int(end[0]), int(end[1])), int(random.integers(3, 9)), colour, -1, cv2.LINE_AA)
            return
        for turn in random.uniform(-0.6, 0.6, int(random.integers(2, 4))):
            grow(*end, angle + turn, length * random.uniform(0.65, 0.85), max(1, thickness - 2))

    grow(256, 500, -np.pi / 2, 120, 16)
    return np.clip(picture + random.normal(0, 6, picture.shape), 0, 255).astype(np.uint8)


def doll(random: np.random.Generator) -> np.ndarray:
    """The simplest face: a disc with eyes, nose and mouth on a plain ground."""
    picture = np.full((SIDE_PX, SIDE_PX, 3), [int(value) for value in random.integers(60, 240, 3)], np.uint8)
    skin = [int(value) for value in random.integers(120, 250, 3)]
    cv2.ellipse(picture, (256, 256), (150, 190), 0, 0, 360, skin, -1, cv2.LINE_AA)
    for x in (200, 312):
        cv2.ellipse(picture, (x, 220), (26, 16), 0, 0, 360, (255, 255, 255), -1, cv2.LINE_AA)
        cv2.circle(picture, (x, 220), 11, (40, 30, 30), -1, cv2.LINE_AA)
        cv2.ellipse(picture, (x, 190), (36, 12), 0, 200, 340, (50, 40, 40), 6, cv2.LINE_AA)
    cv2.ellipse(picture, (256, 280), (18, 30), 0, 20, 160, (90, 60, 60), 4, cv2.LINE_AA)
    cv2.ellipse(picture, (256, 340), (60, int(random.integers(10, 40))), 0, 0, 180, (150, 50, 60), -1, cv2.LINE_AA)
    return cv2.GaussianBlur(picture, (0, 0), 1.0)


KINDS: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    drawing.__name__: drawing for drawing in (neon, chart, page, hills, vase, tree, doll)
}
