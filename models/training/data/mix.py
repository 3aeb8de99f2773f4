"""Weights by which training images are drawn, and a summary of what they draw.

    python -m data.mix --images IMAGES --sources sources.csv

prints, for each class, the effective number of repositories and sources (1 / the sum of squared shares) and the shares
by content, shape, size and format.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from data.split import ListedImage, load_images

MOST_COUNTED = 30
"""Maximum images of a source that add to its weight. With 100, 103 AI repositories are effective instead of 120."""
ONE_CLASS = 0.5
"""Weight of sources with only one class: the source's look may give the class away."""
EDITED = 0.5
"""Weight of AI images that are a genuine image restyled, restored or edited: they are a tenth of the list."""
MOST_DRAWN = 5.0
"""Maximum weight of an image, in means of its class."""
MATCHED = (0.25, 4.0)
"""Range of the factors of `match_classes`."""


class Described(Protocol):
    """Columns of an image or of a line of features."""

    source: str
    generator: str
    kind: str
    is_ai: bool


def source_of(repository: str) -> str:
    """Returns the owner of a repository."""
    return repository.split("/")[0]


def within_classes(weights: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Gives both classes the same total and no row more than MOST_DRAWN means of its class. Sum 1."""
    weights = weights.copy()
    for label in np.unique(labels):
        rows = labels == label
        for _ in range(20):
            weights[rows] = np.minimum(weights[rows], MOST_DRAWN * weights[rows].mean())
        weights[rows] /= weights[rows].sum()
    return weights / weights.sum()


def draw_weights(images: Sequence[Described]) -> np.ndarray:
    """Computes how often each image is drawn, float64 [R], sum 1:

    sources by the root of their images, their generators likewise, classes alike.
    """
    sources = [(source_of(image.source), image.is_ai) for image in images]
    cells = [(*source, image.generator) for source, image in zip(sources, images, strict=True)]
    sizes, in_cell = Counter(sources), Counter(cells)
    roots: dict[tuple, float] = defaultdict(float)
    for cell, count in in_cell.items():
        roots[cell[:2]] += np.sqrt(count)
    weights = np.empty(len(images))
    for row, (source, cell) in enumerate(zip(sources, cells, strict=True)):
        share = np.sqrt(in_cell[cell]) / roots[source] / in_cell[cell]
        has_both = (source[0], not source[1]) in sizes
        edited = images[row].is_ai and not images[row].kind.startswith("generated")
        weights[row] = (
            np.sqrt(min(sizes[source], MOST_COUNTED))
            * share
            * (1 if has_both else ONE_CLASS)
            * (EDITED if edited else 1)
        )
    return within_classes(weights, np.array([image.is_ai for image in images]))


def match_classes(weights: np.ndarray, labels: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    """Makes the classes alike in content:

    in each cluster, int [R], the weights of both move towards the mean of their shares.
    """
    matched = weights.copy()
    for cluster in np.unique(clusters):
        rows = [(clusters == cluster) & (labels == label) for label in (0, 1)]
        shares = np.array([weights[mine].sum() for mine in rows])
        factors = np.clip(shares.mean() / np.maximum(shares, 1e-12), *MATCHED)
        for mine, factor in zip(rows, factors, strict=True):
            matched[mine] *= factor
    return within_classes(matched, labels)


def effective_number(names: Sequence[str], weights: np.ndarray) -> float:
    """Computes how many names of equal share would be drawn as evenly."""
    shares: dict[str, float] = defaultdict(float)
    for name, weight in zip(names, weights, strict=True):
        shares[name] += weight
    values = np.array(list(shares.values())) / weights.sum()
    return float(1 / (values**2).sum())


def shape_of(image: ListedImage) -> str:
    """Returns square, upright or wide, within a tenth."""
    ratio = image.width / image.height
    return "square" if 0.9 < ratio < 1.1 else "upright" if ratio < 1 else "wide"


def size_of(image: ListedImage) -> str:
    """Returns the range of the shorter side."""
    short = min(image.width, image.height)
    return (
        next((f"under {bound} px" for bound in (512, 1024, 2048) if short < bound), "2048 px and over")
        if short != 1024
        else "1024 px"
    )


def shares_of(names: Sequence[str], weights: np.ndarray, most: int = 8) -> str:
    """Formats the largest shares in percent."""
    found: Counter = Counter()
    for name, weight in zip(names, weights, strict=True):
        found[name] += weight
    return ", ".join(
        f"{name or 'unknown'} {100 * share / weights.sum():.0f}%" for name, share in found.most_common(most)
    )


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--images", type=Path, required=True)
    parser.add_argument("--sources", type=Path, required=True, help="sources.csv")
    arguments = parser.parse_args()
    images = [image for image in load_images(arguments.images, arguments.sources) if image.split == "train"]
    weights = draw_weights(images)
    for is_ai in (True, False):
        rows = [row for row, image in enumerate(images) if image.is_ai == is_ai]
        mine, drawn = [images[row] for row in rows], weights[rows]
        repositories = [image.source for image in mine]
        sources = [source_of(repository) for repository in repositories]
        print(
            f"{'AI' if is_ai else 'genuine'}: {len(mine)} images; {effective_number(repositories, drawn):.0f} repositories of {len(set(repositories))}, "
            f"{effective_number(sources, drawn):.0f} sources of {len(set(sources))} (effective number)"
        )
        for name, describe in (
            ("repository", lambda p: p.source),
            ("content", lambda p: p.content),
            ("kind", lambda p: p.kind),
            ("shape", shape_of),
            ("size", size_of),
            ("format", lambda p: p.path.suffix.lstrip(".")),
        ):
            print(f"  {name:10s} {shares_of([describe(image) for image in mine], drawn)}")


if __name__ == "__main__":
    main()
