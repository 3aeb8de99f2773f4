"""Splits images into batches."""

from typing import Iterable, List

from .images import Sendable

#: Maximum number of bytes of images in a batch: the service's limit minus the size of the surrounding form.
MAX_BATCH_BYTES = 24_000_000
MAX_BATCH_IMAGES = 8


def split_batches(images: Iterable[Sendable]) -> Iterable[List[Sendable]]:
    """Yields groups of images in order, one group for each batch. An image of any size fits an empty group."""
    group: List[Sendable] = []
    size = 0
    for image in images:
        # Base64 makes an image larger by a third.
        added = len(image.data) * 4 // 3
        if group and (len(group) == MAX_BATCH_IMAGES or size + added > MAX_BATCH_BYTES):
            yield group
            group, size = [], 0
        group.append(image)
        size += added
    if group:
        yield group
