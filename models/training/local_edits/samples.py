"""Training views of edited pictures: what the encoder will see of them, with an answer for each token."""

from dataclasses import dataclass

import cv2
import numpy as np

from data.degrade import degrade, resize, shrink_to
from encoder.samples import DELIVERED, DELIVERED_LONG_PX
from encoder.tower import PATCH_PX, VIEW_PX
from encoder.features import VIEW_KINDS
from encoder.views import ViewKind
from local_edits.edits import Edited

RECOMPRESSED = 0.5
"""Of the pictures that are not delivered as a web site does it, those that are degraded at their size."""
INSIDE, OUTSIDE = 0.6, 0.05
"""A token is generated from this share of its pixels on, genuine up to that; what lies between has no answer."""
TRIES = 4
"""Places among which a native view takes the one that shows the edge of the part best."""


@dataclass(frozen=True)
class TokenView:
    """A view uint8 [224,224,3] of a kind, and the answer of each token, float32 [14,14]: 1, 0, or nan for none."""

    kind: str
    pixels: np.ndarray
    answers: np.ndarray


def answers_of(mask: np.ndarray) -> np.ndarray:
    """float32 [14,14] of a view's mask [224,224]."""
    share = cv2.resize(mask, (VIEW_PX // PATCH_PX,) * 2, interpolation=cv2.INTER_AREA)
    return np.where(share >= INSIDE, 1, np.where(share <= OUTSIDE, 0, np.nan)).astype(np.float32)


def deliver(edited: Edited, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Pixels and mask of the picture as it reaches the engine."""
    pixels = edited.pixels
    if random.random() < DELIVERED:
        pixels = degrade(shrink_to(pixels, round(float(np.exp(random.uniform(*np.log(DELIVERED_LONG_PX)))))), random)
    elif random.random() < RECOMPRESSED:
        pixels = degrade(pixels, random)
    return pixels, cv2.resize(edited.mask, pixels.shape[1::-1], interpolation=cv2.INTER_AREA)


def at_short_side(plane: np.ndarray, kind: ViewKind) -> np.ndarray:
    """Pixels or a mask at the size from which a kind's views are cut; enlarged where a side is under VIEW_PX."""
    short = min(plane.shape[:2])
    wanted = max(VIEW_PX, min(short, kind.short_side_px or short))
    if wanted == short:
        return plane
    return resize(plane, *(max(wanted, round(side * wanted / short)) for side in plane.shape[1::-1]))


def cut(pixels: np.ndarray, mask: np.ndarray, kind: ViewKind, random: np.random.Generator) -> TokenView:
    """One view at a random place; a native one, which shows a small part of the picture, where its mask is most mixed."""
    pixels, mask = at_short_side(pixels, kind), at_short_side(mask, kind)
    height, width = mask.shape
    tries = TRIES if kind.short_side_px is None else 1
    places = [(int(random.integers(0, height - VIEW_PX + 1)), int(random.integers(0, width - VIEW_PX + 1))) for _ in range(tries)]
    views = [(slice(top, top + VIEW_PX), slice(left, left + VIEW_PX)) for top, left in places]
    view = max(views, key=lambda at: -abs(float(mask[at].mean()) - 0.5))
    flip = slice(None, None, -1 if random.random() < 0.5 else 1)
    return TokenView(kind.name, np.ascontiguousarray(pixels[view][:, flip]), answers_of(np.ascontiguousarray(mask[view][:, flip])))


def token_views(edited: Edited, random: np.random.Generator) -> list[TokenView]:
    """A view of each of VIEW_KINDS."""
    pixels, mask = deliver(edited, random)
    return [cut(pixels, mask, kind, random) for kind in VIEW_KINDS]
