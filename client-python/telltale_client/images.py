"""Pictures in any of the forms that programs hold one in, and the requests that carry them."""

import base64
import os
from typing import IO, Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

#: An http or https address (the service fetches it), a path, bytes, or an open file.
Image = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, IO[bytes]]

#: What the service takes in one batch, less room for the form around the pictures.
MOST_BATCH_BYTES = 24_000_000
MOST_BATCH_IMAGES = 8


class Sendable(NamedTuple):
    """A picture, read: its address or its bytes."""

    url: Optional[str]
    data: bytes


def read_image(image: Image) -> Sendable:
    """Reads what has to be read here. Raises OSError for a path, TypeError for what is no picture."""
    if isinstance(image, str) and image.lower().startswith(("http://", "https://")):
        return Sendable(image, b"")
    if isinstance(image, (bytes, bytearray, memoryview)):
        return Sendable(None, bytes(image))
    if isinstance(image, (str, os.PathLike)):
        with open(image, "rb") as file:
            return Sendable(None, file.read())
    data = image.read() if hasattr(image, "read") else None
    if not isinstance(data, bytes):
        raise TypeError("Expected an address, a path, bytes or a file opened in binary mode for an image")
    return Sendable(None, data)


def check_body(image: Sendable, fields: Mapping[str, str]) -> Dict[str, Any]:
    """Arguments of httpx for one check."""
    if image.url is not None:
        return {"json": {"image_url": image.url, **fields}}
    return {"files": {"file": ("image", image.data)}, "data": dict(fields)}


def batch_body(
    images: Sequence[Sendable], fields: Mapping[str, str], refs: Optional[Sequence[str]]
) -> Dict[str, Any]:
    """Arguments of httpx for a batch; addresses among files make it JSON."""
    if images and all(image.url is None for image in images):
        data: Dict[str, Any] = dict(fields)
        if refs is not None:
            data["ref"] = list(refs)
        return {"files": [("files", ("image", image.data)) for image in images], "data": data}
    items: List[Dict[str, str]] = []
    for at, image in enumerate(images):
        item = (
            {"image_url": image.url}
            if image.url is not None
            else {"image_b64": base64.b64encode(image.data).decode("ascii")}
        )
        if refs is not None:
            item["ref"] = refs[at]
        items.append(item)
    return {"json": {"images": items, **fields}}


def split_batches(images: Iterable[Sendable]) -> Iterable[List[Sendable]]:
    """Groups that one batch each takes, in order; a group holds one picture at least, whatever its size."""
    group: List[Sendable] = []
    size = 0
    for image in images:
        # As base64 a picture grows by a third.
        added = len(image.data) * 4 // 3
        if group and (len(group) == MOST_BATCH_IMAGES or size + added > MOST_BATCH_BYTES):
            yield group
            group, size = [], 0
        group.append(image)
        size += added
    if group:
        yield group


def option_fields(
    *,
    store: Optional[bool] = None,
    profile: Optional[str] = None,
    include: Optional[Sequence[str]] = None,
    ref: Optional[str] = None,
) -> Dict[str, str]:
    """Options as form fields and JSON members take them, without those that are not given."""
    given: List[Tuple[str, Optional[str]]] = [
        ("store", None if store is None else str(store).lower()),
        ("profile", profile),
        ("include", ",".join(include) if include else None),
        ("ref", ref),
    ]
    return {name: value for name, value in given if value is not None}
