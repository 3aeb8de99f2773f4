"""
Cutting an image's crops, which the encoder network sees, by the rules in models/training/SPECIFICATION.md, "Crops".
"""
import numpy as np
from PIL import Image


def shrink_short_side(image: Image.Image, short_side: int | None) -> Image.Image:
    """Shrinks the image's shorter side to at most `short_side` pixels."""
    shorter = min(image.size)
    if short_side is None or shorter <= short_side:
        return image
    return image.resize(tuple(round(side * short_side / shorter) for side in image.size), Image.Resampling.BOX)


def pad_to_size(pixels: np.ndarray, size: int) -> np.ndarray:
    """Pads an image by reflection until both sides have at least `size` pixels."""
    height, width = pixels.shape[:2]
    if height >= size and width >= size:
        return pixels
    return np.pad(pixels, ((0, max(0, size - height)), (0, max(0, size - width)), (0, 0)), mode="reflect")


def choose_grid(width: int, height: int, size: int, most: int) -> tuple[int, int]:
    """
    Returns the numbers of columns and rows of the grid in which crops are chosen. Prefers the most cells, then the
    image's aspect ratio, then the fewest columns.
    """
    grids = [(columns, rows)
             for columns in range(1, -(-width // size) + 1)
             for rows in range(1, -(-height // size) + 1) if columns * rows <= most]
    return min(grids, key=lambda grid: (-grid[0] * grid[1], abs(grid[0] * height - grid[1] * width), grid[0]))


def candidates(index: int, cells: int, length: int, size: int) -> list[int]:
    """Returns the positions along one axis at which a crop is tried in one cell of the grid."""
    start = index * length // cells
    room = (index + 1) * length // cells - start - size
    if room >= 0:
        return [start, start + room // 2, start + room]
    if cells == 1:
        return [(length - size) // 2]
    return [index * (length - size) // (cells - 1)]


def texture(green: np.ndarray) -> int:
    """Returns how much texture a crop has: the sum of differences between neighbouring pixels."""
    return int(np.abs(np.diff(green, axis=0)).sum()) + int(np.abs(np.diff(green, axis=1)).sum())


def cut_views(image: Image.Image, short_side: int | None, most: int, size: int) -> list[np.ndarray]:
    """Cuts at most `most` crops of one kind, row by row."""
    padded = pad_to_size(np.asarray(shrink_short_side(image, short_side)), size)
    height, width = padded.shape[:2]
    green = padded[:, :, 1].astype(np.int16)
    columns, rows = choose_grid(width, height, size, most)
    views = []
    for row in range(rows):
        for column in range(columns):
            places = [(x, y) for y in candidates(row, rows, height, size)
                      for x in candidates(column, columns, width, size)]
            if len(places) > 1:
                places.sort(key=lambda place: -texture(green[place[1]:place[1] + size, place[0]:place[0] + size]))
            x, y = places[0]
            views.append(padded[y:y + size, x:x + size])
    return views
