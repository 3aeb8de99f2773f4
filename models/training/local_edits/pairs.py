"""Real pairs: a genuine picture and what a tool made of a part of it, as a repository shows both, with a mask of what was changed.

    python -m local_edits.pairs --part validation --pictures PICTURES --sources CSV [--sheet SHEET.png]

Prints the pairs of a part of the split by repository; the sheet shows original, edit and mask beside each other, for a look.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from data.degrade import resize, shrink_to
from data.split import Picture, load_pictures
from encoder.features import open_picture
from local_edits.edits import LONGEST_SIDE_PX, Edited

EDIT_KINDS = frozenset({"edited", "edited-local", "edited-face", "edited-whole", "try-on"})
"""Kinds of AI pictures that may be edits of another picture of their repository; pixels tell whether they are."""
THUMB_PX, ALIKE_LEVELS, LEAST_ALIKE, MOST_ASPECT = 64, 8, 0.4, 0.02
"""Pictures are compared at THUMB_PX by THUMB_PX: a pixel is alike within ALIKE_LEVELS of 255; a pair has LEAST_ALIKE of them, and aspects as near as MOST_ASPECT."""
CHANGED_LEVELS, UNSURE_LEVELS = 16, 7
"""A pixel was changed from so many levels on, beyond how far the tool moved the rest of the picture, and was not below the lower number."""
MOST_MOVED_LEVELS = 12
"""How far a tool may have moved half of the picture: with more, it is another picture, or the same one moved aside."""
AREA_SHARES = (0.004, 0.6)
"""Of the picture that may have been changed."""
MOST_SPECKLED = 0.35
"""Of the pixels beyond UNSURE_LEVELS, those that may lie apart from the changed parts: with more, the two are not laid over each other."""
LEAST_TEXTURE, LEAST_COLOUR = 10, 4
"""Levels by which the unchanged rest varies, and channels of the original differ in the mean: a person anew on plain white and a coloured grey picture are no local edits."""
UNSURE = 0.3
"""Mask of a pixel of which it isn't known whether it was changed: its token gets no answer."""


@dataclass(frozen=True)
class Pair:
    """A genuine picture and its edit."""

    original: Picture
    edit: Picture


def difference(original: np.ndarray, edited: np.ndarray) -> np.ndarray:
    """How far each pixel was moved, float32 [H,W] in levels of 255: less the colours' common shift, smoothed over a two hundredth of the picture."""
    moved = edited.astype(np.float32) - original
    moved -= np.median(moved, axis=(0, 1))
    sigma = max(1.0, max(edited.shape[:2]) / 200)
    return cv2.GaussianBlur(np.abs(cv2.GaussianBlur(moved, (0, 0), sigma / 2)).max(axis=2), (0, 0), sigma)


def change_mask(original: np.ndarray, edited: np.ndarray) -> np.ndarray | None:
    """float32 [H,W] of two pictures of one size: 1 where the edit changed it, UNSURE beside that, 0 elsewhere. None where they do not lie over each other,
    nothing or nearly all was changed, or the original says nothing of the change (LEAST_TEXTURE, LEAST_COLOUR)."""
    levels = difference(original, edited)
    moved = np.median(levels)
    levels -= moved
    radius = max(2, max(levels.shape) // 100)
    round_shape = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1,) * 2)
    changed = cv2.morphologyEx((levels >= CHANGED_LEVELS).astype(np.uint8), cv2.MORPH_OPEN, round_shape)
    changed = cv2.morphologyEx(changed, cv2.MORPH_CLOSE, round_shape, iterations=2)
    near = cv2.dilate(changed, round_shape, iterations=2) > 0
    unsure = levels >= UNSURE_LEVELS
    if moved > MOST_MOVED_LEVELS or not AREA_SHARES[0] <= changed.mean() <= AREA_SHARES[1] or (unsure & ~near).sum() > MOST_SPECKLED * unsure.sum():
        return None
    if near.all() or original[~near].std() < LEAST_TEXTURE or np.ptp(original, axis=2).mean() < LEAST_COLOUR:
        return None
    mask = np.where(near | unsure, np.float32(UNSURE), np.float32(0))
    mask[changed > 0] = 1
    return mask


def edited_of(pair: Pair) -> tuple[np.ndarray, Edited] | None:
    """The original, uint8 [H,W,3], and the edit with its mask, both at the smaller one's size and at most LONGEST_SIDE_PX; None where no mask tells them apart."""
    original, edited = open_picture(pair.original), open_picture(pair.edit)
    if original is None or edited is None:
        return None
    width, height = min((picture.shape[1::-1] for picture in (original, edited)), key=max)
    longest = min(LONGEST_SIDE_PX, max(width, height))
    edited = np.ascontiguousarray(shrink_to(edited, longest))
    original = resize(original, *edited.shape[1::-1])
    mask = change_mask(original, edited)
    return None if mask is None else (original, Edited(edited, mask, "real"))


@cache
def thumb(picture: Picture) -> np.ndarray | None:
    """float32 [THUMB_PX,THUMB_PX,3] of a picture; None where it can't be read."""
    pixels = open_picture(picture)
    return None if pixels is None else cv2.resize(pixels, (THUMB_PX,) * 2, interpolation=cv2.INTER_AREA).astype(np.float32)


def alike(one: Picture, other: Picture) -> float:
    """Share of pixels that two pictures have alike, 0 where their aspects differ."""
    if abs(one.width / one.height - other.width / other.height) > MOST_ASPECT:
        return 0.0
    first, second = thumb(one), thumb(other)
    return 0.0 if first is None or second is None else float((np.abs(first - second).mean(axis=2) < ALIKE_LEVELS).mean())


def find_pairs(pictures: list[Picture]) -> Iterator[Pair]:
    """Each edit of these pictures with the genuine one of its repository that it is most like, where it is like one."""
    genuine = defaultdict(list)
    for picture in pictures:
        if not picture.is_ai:
            genuine[picture.source].append(picture)
    for picture in pictures:
        if picture.is_ai and picture.kind in EDIT_KINDS and genuine[picture.source]:
            share, original = max(((alike(picture, other), other) for other in genuine[picture.source]), key=lambda each: each[0])
            if share >= LEAST_ALIKE:
                yield Pair(original, picture)


def pictures_of(pictures: list[Picture], way: str, done: set[str]) -> Iterator[tuple[Picture, Edited]]:
    """The originals and edits of the pairs among `pictures` whose change can be told, less what is `done`: an original, of way `way` and without a mask, once."""
    told = set(done)
    for pair in find_pairs(pictures):
        if (seen := edited_of(pair)) is None:
            continue
        original, edited = seen
        for picture, made in ((pair.original, Edited(original, np.zeros(original.shape[:2], np.float32), way)), (pair.edit, edited)):
            if picture.sha256 not in told:
                told.add(picture.sha256)
                yield picture, made


def row_of(original: np.ndarray, edited: Edited, side_px: int = 240) -> np.ndarray:
    """Original, edit and mask beside each other, uint8 [side,3 side,3]."""
    mask = np.repeat((edited.mask * 255).astype(np.uint8)[..., None], 3, axis=2)
    return np.hstack([cv2.resize(plane, (side_px,) * 2, interpolation=cv2.INTER_AREA) for plane in (original, edited.pixels, mask)])


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=("train", "validation", "test"), required=True)
    for name in ("pictures", "sources"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--sheet", type=Path)
    arguments = parser.parse_args()
    pictures = [picture for picture in load_pictures(arguments.pictures, arguments.sources) if picture.part == arguments.part]
    found, left_out, rows = Counter(), Counter(), []
    for pair in find_pairs(pictures):
        seen = edited_of(pair)
        (left_out if seen is None else found)[pair.edit.source, pair.edit.kind] += 1
        if seen is not None:
            rows.append(row_of(*seen))
    for (source, kind), count in found.most_common():
        print(f"{source} {kind}: {count}")
    print(f"{found.total()} pairs of {len({source for source, _ in found})} repositories, {left_out.total()} whose change could not be told")
    if arguments.sheet and rows:
        rows += [np.zeros_like(rows[0])] * (-len(rows) % 3)
        sheet = np.vstack([np.hstack(rows[start:start + 3]) for start in range(0, len(rows), 3)])
        cv2.imwrite(str(arguments.sheet), sheet[..., ::-1])


if __name__ == "__main__":
    main()
