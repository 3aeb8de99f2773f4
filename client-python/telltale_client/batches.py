"""Splitting images into batches."""

from typing import Iterable, List

from .images import Sendable

#: Maximum bytes of images in a batch: the limit of the service less the size of the form around them.
MOST_BATCH_BYTES = 24_000_000
MOST_BATCH_IMAGES = 8


def split_batches(images: Iterable[Sendable]) -> Iterable[List[Sendable]]:
    """Yields groups for one batch each, in order. A group has at least one image of any size."""
    group: List[Sendable] = []
    size = 0
    for image in images:
        # Base64 makes an image a third larger.
        added = len(image.data) * 4 // 3
        if group and (len(group) == MOST_BATCH_IMAGES or size + added > MOST_BATCH_BYTES):
            yield group
            group, size = [], 0
        group.append(image)
        size += added
    if group:
        yield group
