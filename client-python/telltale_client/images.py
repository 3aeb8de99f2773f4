"""Reads an image from any of the accepted forms, such as a path or bytes."""

import os
from typing import IO, NamedTuple, Optional, Union

#: An image: an http or https address that the service fetches, a path, bytes, or an open file.
Image = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, IO[bytes]]


class Sendable(NamedTuple):
    """An image ready to send: its address, or its bytes."""

    url: Optional[str]
    data: bytes


#: Message of the TypeError for unsupported types.
EXPECTED_IMAGE = "Expected an address, a path, bytes or a file opened in binary mode for an image"


def ensure_readable(image: Image) -> None:
    """Raises OSError if a path can't be opened, and TypeError for unsupported types. Does not read the image."""
    if isinstance(image, str) and is_address(image):
        return
    if isinstance(image, (str, os.PathLike)):
        with open(image, "rb"):
            pass
    elif not isinstance(image, (bytes, bytearray, memoryview)) and not hasattr(image, "read"):
        raise TypeError(EXPECTED_IMAGE)


def is_address(image: str) -> bool:
    """Returns whether the text is an http or https address instead of a path."""
    return image.lower().startswith(("http://", "https://"))


def read_image(image: Image) -> Sendable:
    """
    Reads an image. An open file that was already read to its end is read again from its beginning, if it is
    seekable. Raises OSError if a path can't be read, and TypeError for other types.
    """
    if isinstance(image, str) and is_address(image):
        return Sendable(image, b"")
    if isinstance(image, (bytes, bytearray, memoryview)):
        return Sendable(None, bytes(image))
    if isinstance(image, (str, os.PathLike)):
        with open(image, "rb") as file:
            return Sendable(None, file.read())
    data = image.read() if hasattr(image, "read") else None
    if data == b"" and image.seekable():
        image.seek(0)
        data = image.read()
    if not isinstance(data, bytes):
        raise TypeError(EXPECTED_IMAGE)
    return Sendable(None, data)
