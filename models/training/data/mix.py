"""How often each training picture is drawn, and what such a draw is made of.

    python -m data.mix --pictures PICTURES --sources sources.csv

prints, for each class, the effective number of repositories and owners (1 / the sum of squared shares) and the shares by content, shape, size and format.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from data.split import Picture, load_pictures

MOST_COUNTED = 30
"""Pictures of an owner that add to its weight: with 100 of them the effective number of AI repositories is 103, not 120."""
ONE_CLASS = 0.5
"""Weight of an owner that has one class alone: what tells its pictures from others may be its look."""
EDITED = 0.5
"""Weight of AI pictures that are a genuine one in another style, restored or edited: they are a tenth of the list."""
MOST_DRAWN = 5.0
"""Times the mean of its class that any picture is drawn."""
MATCHED = (0.25, 4.0)
"""Bounds of what `match_classes` multiplies by."""


class Described(Protocol):
    """What a picture or a line of features tells."""

    source: str
    generator: str
    kind: str
    is_ai: bool


def owner_of(source: str) -> str:
    """Whose repository it is."""
    return source.split("/")[0]


def within_classes(weights: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The classes alike, no row over MOST_DRAWN times the mean of its class. Sum 1."""
    weights = weights.copy()
    for label in np.unique(labels):
        rows = labels == label
        for _ in range(20):
            weights[rows] = np.minimum(weights[rows], MOST_DRAWN * weights[rows].mean())
        weights[rows] /= weights[rows].sum()
    return weights / weights.sum()


def draw_weights(pictures: Sequence[Described]) -> np.ndarray:
    """How often each is drawn, float64 [R], sum 1: an owner by the root of its pictures, in it the generators by theirs, the classes alike."""
    owners = [(owner_of(picture.source), picture.is_ai) for picture in pictures]
    cells = [(*owner, picture.generator) for owner, picture in zip(owners, pictures, strict=True)]
    sizes, in_cell = Counter(owners), Counter(cells)
    roots: dict[tuple, float] = defaultdict(float)
    for cell, count in in_cell.items():
        roots[cell[:2]] += np.sqrt(count)
    weights = np.empty(len(pictures))
    for row, (owner, cell) in enumerate(zip(owners, cells, strict=True)):
        share = np.sqrt(in_cell[cell]) / roots[owner] / in_cell[cell]
        has_both = (owner[0], not owner[1]) in sizes
        edited = pictures[row].is_ai and not pictures[row].kind.startswith("generated")
        weights[row] = np.sqrt(min(sizes[owner], MOST_COUNTED)) * share * (1 if has_both else ONE_CLASS) * (EDITED if edited else 1)
    return within_classes(weights, np.array([picture.is_ai for picture in pictures]))


def match_classes(weights: np.ndarray, labels: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    """Weights with which the classes are alike in content too: in each cluster, int [R], both move towards the mean of their shares."""
    matched = weights.copy()
    for cluster in np.unique(clusters):
        rows = [(clusters == cluster) & (labels == label) for label in (0, 1)]
        shares = np.array([weights[mine].sum() for mine in rows])
        factors = np.clip(shares.mean() / np.maximum(shares, 1e-12), *MATCHED)
        for mine, factor in zip(rows, factors, strict=True):
            matched[mine] *= factor
    return within_classes(matched, labels)


def effective_number(names: Sequence[str], weights: np.ndarray) -> float:
    """How many of equal share would draw as evenly."""
    shares: dict[str, float] = defaultdict(float)
    for name, weight in zip(names, weights, strict=True):
        shares[name] += weight
    values = np.array(list(shares.values())) / weights.sum()
    return float(1 / (values ** 2).sum())


def shape_of(picture: Picture) -> str:
    """Square, upright or wide, within a tenth."""
    ratio = picture.width / picture.height
    return "square" if 0.9 < ratio < 1.1 else "upright" if ratio < 1 else "wide"


def size_of(picture: Picture) -> str:
    """By the shorter side."""
    short = min(picture.width, picture.height)
    return next((f"under {bound} px" for bound in (512, 1024, 2048) if short < bound), "2048 px and over") if short != 1024 else "1024 px"


def shares_of(names: Sequence[str], weights: np.ndarray, most: int = 8) -> str:
    """The largest shares in per cent."""
    found: Counter = Counter()
    for name, weight in zip(names, weights, strict=True):
        found[name] += weight
    return ", ".join(f"{name or 'unknown'} {100 * share / weights.sum():.0f}%" for name, share in found.most_common(most))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=Path, required=True)
    parser.add_argument("--sources", type=Path, required=True, help="sources.csv")
    arguments = parser.parse_args()
    pictures = [picture for picture in load_pictures(arguments.pictures, arguments.sources) if picture.part == "train"]
    weights = draw_weights(pictures)
    for is_ai in (True, False):
        rows = [row for row, picture in enumerate(pictures) if picture.is_ai == is_ai]
        mine, drawn = [pictures[row] for row in rows], weights[rows]
        sources = [picture.source for picture in mine]
        owners = [owner_of(source) for source in sources]
        print(f"{'AI' if is_ai else 'genuine'}: {len(mine)} pictures; {effective_number(sources, drawn):.0f} repositories of {len(set(sources))}, "
              f"{effective_number(owners, drawn):.0f} owners of {len(set(owners))} (effective number)")
        for name, tell in (("repository", lambda p: p.source), ("content", lambda p: p.content), ("kind", lambda p: p.kind), ("shape", shape_of),
                           ("size", size_of), ("format", lambda p: p.path.suffix.lstrip("."))):
            print(f"  {name:10s} {shares_of([tell(picture) for picture in mine], drawn)}")


if __name__ == "__main__":
    main()
