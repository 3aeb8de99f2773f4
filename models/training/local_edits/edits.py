"""Makes images of which a part comes from a generator, out of genuine images, with a mask of the part.

There are three methods. The part is passed through an image generator's autoencoder (`rebuilt`), or first filled from
its surroundings, as if an object were removed (`removed`), or taken from an AI image (`spliced`). A collage of two
genuine images (`collage`) has a visible border but no generated part, so its mask is empty.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from data.autoencoders import Autoencoder

METHODS = {"rebuilt": 0.4, "removed": 0.1, "spliced": 0.5}
"""Share of each method among edited images."""
AREA_SHARES = (0.05, 0.4)
"""Range of the share of the image that the outline of the region covers, drawn evenly on a logarithmic scale."""
LONGEST_SIDE_PX = 1280
"""Maximum longer side in px of an edited image. Larger ones are shrunk, because generators work at about this size."""
SMALLEST_PART_PX = 32
HARD_EDGE_SHARE = 0.3
INPAINT_RADIUS_PX = 5
COLOUR_SHARE = 0.7
"""Share of spliced parts whose colours are moved towards the colours of the covered region."""


@dataclass(frozen=True)
class Edited:
    """An edited image: `pixels` uint8 [H,W,3], `mask` float32 [H,W] (1 inside), `method` of METHODS or "collage"."""

    pixels: np.ndarray
    mask: np.ndarray
    method: str


def outline(height: int, width: int, random: np.random.Generator) -> np.ndarray:
    """Draws a filled ellipse, box or blob at a random position: float32 [H,W] of 0 and 1."""
    share = float(np.exp(random.uniform(*np.log(AREA_SHARES))))
    aspect = float(np.exp(random.normal(0, 0.35)))
    part_width = int(np.clip(np.sqrt(share * aspect) * width, SMALLEST_PART_PX, width))
    part_height = int(np.clip(share * width * height / part_width, SMALLEST_PART_PX, height))
    left, top = int(random.integers(0, width - part_width + 1)), int(random.integers(0, height - part_height + 1))
    mask, shape = np.zeros((height, width), np.float32), random.choice(["ellipse", "box", "blob"])
    if shape == "box":
        mask[top : top + part_height, left : left + part_width] = 1
        return mask
    angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    reach = np.ones(24) if shape == "ellipse" else np.clip(1 + random.normal(0, 0.25, 24), 0.4, 1.3)
    x = left + part_width / 2 * (1 + 1.1 * reach * np.cos(angles))
    y = top + part_height / 2 * (1 + 1.1 * reach * np.sin(angles))
    cv2.fillPoly(mask, [np.stack([x, y], 1).round().astype(np.int32)], 1.0)
    return mask


def soften_edge(mask: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Softens the edge of most masks, as tools that fill regions do."""
    if random.random() < HARD_EDGE_SHARE:
        return mask
    return np.minimum(cv2.GaussianBlur(mask, (0, 0), float(random.uniform(1, 8))), 1)


def bounds_of(mask: np.ndarray, margin: int = 16) -> tuple[slice, slice]:
    """Returns the rows and columns around the mask with a margin.

    Lengths are multiples of 8, and at least 32 if the image is large enough.
    """
    found = []
    for axis, length in ((1, mask.shape[0]), (0, mask.shape[1])):
        covered = np.flatnonzero(mask.any(axis=axis))
        start, end = max(0, int(covered[0]) - margin), min(length, int(covered[-1]) + 1 + margin)
        start -= max(0, 32 - (end - start)) if end == length else 0
        start = max(0, start)
        wanted = min(length, max(32, end - start)) // 8 * 8
        found.append(slice(start, start + wanted))
    return found[0], found[1]


def move_colours(part: np.ndarray, like: np.ndarray, amount: float) -> np.ndarray:
    """Moves mean and deviation of each channel of `part` by the share `amount` (0..1) towards `like`."""
    part, like = part.astype(np.float32), like.astype(np.float32)
    mean, deviation = part.mean((0, 1)), part.std((0, 1)) + 1
    moved = (part - mean) / deviation * (like.std((0, 1)) + 1) + like.mean((0, 1))
    return np.clip(part + amount * (moved - part), 0, 255).astype(np.uint8)


def part_of(other: np.ndarray, height: int, width: int, random: np.random.Generator) -> np.ndarray:
    """Cuts a random region uint8 [height,width,3] of another image. The image is enlarged only if it is too small."""
    scale = max(height / other.shape[0], width / other.shape[1])
    if scale > 1:
        other = cv2.resize(
            other, (max(width, round(other.shape[1] * scale)), max(height, round(other.shape[0] * scale)))
        )
    top, left = (int(random.integers(0, room + 1)) for room in (other.shape[0] - height, other.shape[1] - width))
    return other[top : top + height, left : left + width]


def blend_in(pixels: np.ndarray, part: np.ndarray, mask: np.ndarray, rows: slice, columns: slice) -> np.ndarray:
    """Blends `part` into `pixels` at the given rows and columns, by `mask`."""
    weight = mask[rows, columns, None]
    changed = pixels.copy()
    changed[rows, columns] = np.rint(pixels[rows, columns] * (1 - weight) + part * weight).astype(np.uint8)
    return changed


def edit(pixels: np.ndarray, generated: np.ndarray, autoencoder: Autoencoder, random: np.random.Generator) -> Edited:
    """Edits a region of a genuine image by one of METHODS. `generated` is an AI image from which parts may be taken."""
    shape = outline(*pixels.shape[:2], random)
    rows, columns = bounds_of(shape)
    method = str(random.choice(list(METHODS), p=list(METHODS.values())))
    part = np.ascontiguousarray(pixels[rows, columns])
    if method == "spliced":
        part = part_of(generated, *part.shape[:2], random)
        if random.random() < COLOUR_SHARE:
            part = move_colours(part, pixels[rows, columns], float(random.uniform(0.3, 1)))
    else:
        if method == "removed":
            part = cv2.inpaint(part, np.uint8(shape[rows, columns] * 255), INPAINT_RADIUS_PX, cv2.INPAINT_TELEA)
        part = autoencoder.reconstruct(part)
    # Where the mask reaches beyond the rows and columns that were edited, the image stays unchanged.
    mask = np.zeros_like(shape)
    mask[rows, columns] = soften_edge(shape, random)[rows, columns]
    return Edited(blend_in(pixels, part, mask, rows, columns), mask, method)


def collage(pixels: np.ndarray, other: np.ndarray, random: np.random.Generator) -> Edited:
    """Pastes a region of another genuine image into a genuine image."""
    shape = outline(*pixels.shape[:2], random)
    rows, columns = bounds_of(shape)
    part = part_of(other, rows.stop - rows.start, columns.stop - columns.start, random)
    if random.random() < COLOUR_SHARE:
        part = move_colours(part, pixels[rows, columns], float(random.uniform(0.3, 1)))
    mask = np.zeros_like(shape)
    mask[rows, columns] = soften_edge(shape, random)[rows, columns]
    return Edited(blend_in(pixels, part, mask, rows, columns), np.zeros_like(mask), "collage")
