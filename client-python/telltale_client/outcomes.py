"""What methods give beside the shapes of the service's document."""

from contextlib import contextmanager
from typing import Any, Generic, Iterable, Iterator, Optional, Sized, TypeVar

from .errors import TelltaleError
from .models import CheckResult

I = TypeVar("I")


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
            with tqdm(total=total, unit="picture") as bar:
                yield bar
            return
    yield _NoBar()
