"""Chooses the views of a picture: native patches by the rule `texture_grid`, and the global view.

The engine implements the same rule from README.md, "Patch selection"; test/fixtures/patch_selection.json holds both to it.
"""
import cv2
import numpy as np

from data.degrade import resize

STEPS = 3
"""Candidate positions on each axis of a cell: its start, middle and end."""


def pad_to(pixels: np.ndarray, px: int) -> np.ndarray:
    """Pads right and bottom by reflection (edge pixel not repeated) so that both sides are at least `px`."""
    height, width = pixels.shape[:2]
    if height >= px and width >= px:
        return pixels
    return cv2.copyMakeBorder(pixels, 0, max(0, px - height), 0, max(0, px - width), cv2.BORDER_REFLECT_101)


def choose_grid(width: int, height: int, px: int, max_patches: int) -> tuple[int, int]:
    """Columns and rows: the most cells up to `max_patches`, no more on an axis than cover it, nearest to the aspect."""
    best = None
    for columns in range(1, min(max_patches, -(-width // px)) + 1):
        for rows in range(1, min(max_patches // columns, -(-height // px)) + 1):
            key = (-columns * rows, abs(columns * height - rows * width), columns)
            if best is None or key < best[0]:
                best = (key, columns, rows)
    return best[1], best[2]


def axis_candidates(length: int, px: int, cells: int) -> list[list[int]]:
    """For each cell of an axis its candidate offsets: three inside a cell that holds a patch, else one, evenly spread."""
    candidates = []
    for index in range(cells):
        start, end = index * length // cells, (index + 1) * length // cells
        room = end - start - px
        if room >= 0:
            candidates.append([start + room * step // (STEPS - 1) for step in range(STEPS)])
        elif cells == 1:
            candidates.append([(length - px) // 2])
        else:
            candidates.append([index * (length - px) // (cells - 1)])
    return candidates


def texture_energy(patch: np.ndarray) -> int:
    """Sum of absolute differences between neighbours, across and down, in the green channel."""
    green = patch[:, :, 1].astype(np.int16)
    return int(np.abs(np.diff(green, axis=0)).sum(dtype=np.int64) + np.abs(np.diff(green, axis=1)).sum(dtype=np.int64))


def select_patches(pixels: np.ndarray, px: int, max_patches: int) -> list[tuple[int, int]]:
    """(x, y) of the patches in the padded picture, row by row; in each cell the candidate of the highest texture energy."""
    pixels = pad_to(pixels, px)
    height, width = pixels.shape[:2]
    columns, rows = choose_grid(width, height, px, max_patches)
    across, down = axis_candidates(width, px, columns), axis_candidates(height, px, rows)
    chosen = []
    for ys in down:
        for xs in across:
            places = [(x, y) for y in ys for x in xs]
            energies = [texture_energy(pixels[y:y + px, x:x + px]) for x, y in places] if len(places) > 1 else [0]
            chosen.append(places[int(np.argmax(energies))])
    return chosen


def cut_patches(pixels: np.ndarray, px: int, places: list[tuple[int, int]]) -> np.ndarray:
    """uint8 [n,px,px,3] at those places of the padded picture."""
    pixels = pad_to(pixels, px)
    return np.stack([pixels[y:y + px, x:x + px] for x, y in places])


def global_view(pixels: np.ndarray, px: int) -> np.ndarray:
    """uint8 [px,px,3]: the whole picture squeezed to a square (INTER_AREA where a side shrinks, else INTER_LINEAR)."""
    return resize(pixels, px, px)


def views_of(pixels: np.ndarray, px: int, max_patches: int) -> np.ndarray:
    """uint8 [n+1,px,px,3]: the patches, then the global view."""
    patches = cut_patches(pixels, px, select_patches(pixels, px, max_patches))
    return np.concatenate([patches, global_view(pixels, px)[None]])
