"""Runs the calls of `check_many` concurrently and returns their results in order."""

import asyncio
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from typing import (
    Any,
    AsyncIterator,
    Awaitable,
    Callable,
    Deque,
    Generic,
    Iterable,
    Iterator,
    Optional,
    Sized,
    TypeVar,
)

from .errors import ImageError, TelltaleError
from .models import CheckResult

I = TypeVar("I")
O = TypeVar("O")


class Checked(Generic[I]):
    """Result or error of one image in `check_many`, with the image as the caller passed it."""

    def __init__(self, image: I, result: Optional[CheckResult], error: Optional[TelltaleError]) -> None:
        self.image = image
        self.result = result
        self.error = error


def unreadable(fault: OSError) -> TelltaleError:
    """Returns a TelltaleError for an image file that can't be read."""
    error = ImageError("image_unreadable", f"The image can't be read: {fault}")
    error.__cause__ = fault
    return error


class _NoBar:
    def update(self, _: int) -> None:
        """Does nothing, because no progress bar is wanted."""


@contextmanager
def progress_bar(images: Iterable[object], is_wanted: bool) -> Iterator[Any]:
    """
    Yields a progress bar if `is_wanted` is true and tqdm is installed; otherwise an object that draws nothing.
    """
    if is_wanted:
        try:
            from tqdm import tqdm
        except ImportError:
            pass
        else:
            total = len(images) if isinstance(images, Sized) else None
            with tqdm(total=total, unit="image") as bar:
                yield bar
            return
    yield _NoBar()


def map_in_order(
    work: Callable[[I], O], items: Iterable[I], concurrency: int, progress: bool
) -> Iterator[O]:
    """Runs `work` in threads and yields the results in the order of `items`. Takes items only as needed."""
    rest = iter(items)
    with ThreadPoolExecutor(concurrency) as pool, progress_bar(items, progress) as bar:
        running: "Deque[Future[O]]" = deque(pool.submit(work, item) for item in islice(rest, concurrency))
        try:
            while running:
                outcome = running.popleft().result()
                bar.update(1)
                yield outcome
                running.extend(pool.submit(work, item) for item in islice(rest, 1))
        finally:
            for future in running:
                future.cancel()


async def async_map_in_order(
    work: Callable[[I], Awaitable[O]], items: Iterable[I], concurrency: int, progress: bool
) -> AsyncIterator[O]:
    """Does the same as `map_in_order` with asyncio tasks."""
    rest = iter(items)
    with progress_bar(items, progress) as bar:
        running = deque(asyncio.ensure_future(work(item)) for item in islice(rest, concurrency))
        try:
            while running:
                outcome = await running.popleft()
                bar.update(1)
                yield outcome
                running.extend(asyncio.ensure_future(work(item)) for item in islice(rest, 1))
        finally:
            for task in running:
                task.cancel()
