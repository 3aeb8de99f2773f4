"""Computes how often each training image is drawn, and summarises what a run will see.

    python -m data.mix --images IMAGES --sources sources.csv

For each class (AI or genuine) it prints the effective number of repositories and of sources, which is 1 / the sum of
squared shares, and the shares by content, shape, size and format.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from data.split import ListedImage, load_images
from export.command import command_parser

MAX_COUNTED_IMAGES = 30
"""Maximum images of a source that add to its weight. With 100, the AI repositories count as 103 instead of 120."""
ONE_CLASS = 0.5
"""Weight of sources that have only AI images or only genuine ones. A network could learn the look of such a source
instead of the difference between the classes."""
EDITED = 0.5
"""Weight of AI images made from a genuine one by restyling, restoring or editing. They are a tenth of the list."""
MAX_RELATIVE_WEIGHT = 5.0
"""Maximum weight of one image, as a multiple of the mean weight in its class."""
MATCHED = (0.25, 4.0)
"""Smallest and largest factor by which `match_classes` changes a weight."""


class Described(Protocol):
    """Properties that the weights depend on. Rows of an image list and rows of a feature file have them."""

    source: str
    generator: str
    kind: str
    is_ai: bool


def source_of(repository: str) -> str:
    """Returns the source of a repository: its owner."""
    return repository.split("/")[0]


def within_classes(weights: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Limits each weight to MAX_RELATIVE_WEIGHT times the mean of its class. Both classes get the same total; the sum is 1."""
    weights = weights.copy()
    for label in np.unique(labels):
        rows = labels == label
        for _ in range(20):
            weights[rows] = np.minimum(weights[rows], MAX_RELATIVE_WEIGHT * weights[rows].mean())
        weights[rows] /= weights[rows].sum()
    return weights / weights.sum()


def draw_weights(images: Sequence[Described]) -> np.ndarray:
    """Returns the probability with which each image is drawn, float64 [R] with sum 1.

    A source is drawn in proportion to the square root of its number of images, and so is a generator within a source.
    AI and genuine images are drawn equally often.
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
            np.sqrt(min(sizes[source], MAX_COUNTED_IMAGES))
            * share
            * (1 if has_both else ONE_CLASS)
            * (EDITED if edited else 1)
        )
    return within_classes(weights, np.array([image.is_ai for image in images]))


def match_classes(weights: np.ndarray, labels: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    """Makes the classes more similar in content. `clusters` int [R] has the content group of each row.

    In each cluster, the weights of AI and genuine images move towards the mean of their shares.
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
    """Returns the number of equally frequent names that would be as varied as `names` with these weights."""
    shares: dict[str, float] = defaultdict(float)
    for name, weight in zip(names, weights, strict=True):
        shares[name] += weight
    values = np.array(list(shares.values())) / weights.sum()
    return float(1 / (values**2).sum())


def shape_of(image: ListedImage) -> str:
    """Returns "square", "upright" or "wide". Sides that differ by less than a tenth count as square."""
    ratio = image.width / image.height
    return "square" if 0.9 < ratio < 1.1 else "upright" if ratio < 1 else "wide"


def size_of(image: ListedImage) -> str:
    """Returns the size class of the shorter side, such as "under 512 px"."""
    short = min(image.width, image.height)
    return (
        next((f"under {bound} px" for bound in (512, 1024, 2048) if short < bound), "2048 px and over")
        if short != 1024
        else "1024 px"
    )


def shares_of(names: Sequence[str], weights: np.ndarray, most: int = 8) -> str:
    """Formats the names with the largest shares, in percent."""
    found: Counter = Counter()
    for name, weight in zip(names, weights, strict=True):
        found[name] += weight
    return ", ".join(f"{name or 'unknown'} {share / weights.sum():.0%}" for name, share in found.most_common(most))


def main() -> None:
    args = command_parser(__doc__, "images", "sources").parse_args()
    images = [image for image in load_images(args.images, args.sources) if image.split == "train"]
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
