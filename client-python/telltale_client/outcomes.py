"""What methods give beside the shapes of the service's document."""

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

from .errors import TelltaleError
from .models import CheckResult

I = TypeVar("I")
O = TypeVar("O")


class Checked(Generic[I]):
    """One outcome of `check_many`: the image as it was given, and either its result or its error."""

    def __init__(self, image: I, result: Optional[CheckResult], error: Optional[TelltaleError]) -> None:
        self.image = image
        self.result = result
        self.error = error


class _NoBar:
    def update(self, _: int) -> None:
        """Draws nothing."""


@contextmanager
def progress_bar(images: Iterable[object], is_wanted: bool) -> Iterator[Any]:
    """A bar of tqdm, if it is wanted and installed."""
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
    """The outcomes of `work`, done in threads, in the order of `items`; none is begun that nobody asks for."""
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
    """The same by tasks of asyncio."""
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
