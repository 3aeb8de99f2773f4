"""How many images go into one request."""

from typing import Iterable, List

from .images import Sendable

#: What the service takes in one batch, less room for the form around the images.
MOST_BATCH_BYTES = 24_000_000
MOST_BATCH_IMAGES = 8


def split_batches(images: Iterable[Sendable]) -> Iterable[List[Sendable]]:
    """Groups that one batch each takes, in order; a group holds one image at least, whatever its size."""
    group: List[Sendable] = []
    size = 0
    for image in images:
        # As base64 an image grows by a third.
        added = len(image.data) * 4 // 3
        if group and (len(group) == MOST_BATCH_IMAGES or size + added > MOST_BATCH_BYTES):
            yield group
            group, size = [], 0
        group.append(image)
        size += added
    if group:
        yield group
