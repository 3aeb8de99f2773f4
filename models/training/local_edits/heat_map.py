"""Joins the token logits of a picture's views into one map, as the engine does (SPECIFICATION.md, "Heat map")."""

from dataclasses import dataclass

import numpy as np

from encoder.tower import PATCH_PX, VIEW_PX
from encoder.views import ViewKind, choose_places, pad, shrink_short_side

SIDE = VIEW_PX // PATCH_PX
SHORT_SIDE_CELLS = 20
"""Cells on the shorter side of a picture, one for PATCH_PX at least."""
LEAST_COVER = 0.5
"""Of a cell's area that tokens must cover for it to have a value."""


@dataclass(frozen=True)
class PlacedView:
    """A view uint8 [224,224,3], cut at (x, y) of the picture shrunk to width x height."""

    pixels: np.ndarray
    x: int
    y: int
    width: int
    height: int


def placed_views(pixels: np.ndarray, kinds: tuple[ViewKind, ...]) -> list[PlacedView]:
    """All views of a picture uint8 [H,W,3], kind by kind."""
    views = []
    for kind in kinds:
        shrunk = shrink_short_side(pixels, kind.short_side_px)
        padded = pad(shrunk)
        views += [PlacedView(padded[y:y + VIEW_PX, x:x + VIEW_PX], x, y, shrunk.shape[1], shrunk.shape[0])
                  for x, y in choose_places(padded, kind.count)]
    return views


def grid_of(width: int, height: int) -> tuple[int, int]:
    """Columns and rows of the map of a picture of so many pixels."""
    short = min(width, height)
    cells = max(1, min(SHORT_SIDE_CELLS, short // PATCH_PX))
    return max(1, width * cells // short), max(1, height * cells // short)


def overlaps(start: int, length: int, cells: int) -> np.ndarray:
    """How much of each cell of an axis of `length` px each of a view's SIDE tokens from `start` on covers: float64 [cells, SIDE], 1 for all of a cell."""
    tokens = (start + PATCH_PX * np.arange(SIDE + 1)) * (cells / length)
    edges = np.arange(cells + 1.0)
    return np.clip(np.minimum(edges[1:, None], tokens[None, 1:]) - np.maximum(edges[:-1, None], tokens[None, :-1]), 0, None)


def heat_map(views: list[PlacedView], logits: np.ndarray, width: int, height: int) -> np.ndarray:
    """float64 [rows, columns] of a picture of width x height px: the mean logit of all tokens over a cell, by area; nan where there are none.

    `logits` float [views, 196], the tokens of each view row by row.
    """
    columns, rows = grid_of(width, height)
    total, cover = np.zeros((rows, columns)), np.zeros((rows, columns))
    for view, tokens in zip(views, logits, strict=True):
        down, across = overlaps(view.y, view.height, rows), overlaps(view.x, view.width, columns)
        total += down @ tokens.reshape(SIDE, SIDE) @ across.T
        cover += down.sum(1)[:, None] * across.sum(1)[None]
    return np.where(cover >= LEAST_COVER, total / np.maximum(cover, 1e-9), np.nan)
