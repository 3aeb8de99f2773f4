"""The newest views of one process, in memory-mapped files: it writes them round and round, and the training loop draws from them."""

from pathlib import Path

import numpy as np

from encoder.package import TUNED
from encoder.tower import VIEW_PX

VIEW_SHAPE = (VIEW_PX, VIEW_PX, 3)


class Ring:
    """`slots` views (two at least) with their targets, files `NAME.views`, `NAME.targets` and `NAME.made` of a folder.

    One process puts, any number draw. A target is float32 [5], an answer (0 or 1) for each of TUNED, nan where the view trains no head.
    """

    def __init__(self, folder: Path, name: str, slots: int, new: bool = False):
        def map_file(part: str, kind: type, *shape: int) -> np.memmap:
            return np.memmap(folder / f"{name}.{part}", kind, "w+" if new else "r+", shape=shape)

        folder.mkdir(parents=True, exist_ok=True)
        self.slots = slots
        self._views = map_file("views", np.uint8, slots, *VIEW_SHAPE)
        self._targets = map_file("targets", np.float32, slots, len(TUNED))
        self._made = map_file("made", np.int64, 1)

    @property
    def made(self) -> int:
        """Views that were put so far."""
        return int(self._made[0])

    @property
    def filled(self) -> int:
        """Views that it holds."""
        return min(self.made, self.slots)

    def put(self, view: np.ndarray, target: np.ndarray) -> None:
        """Writes a view over the oldest one."""
        slot = self.made % self.slots
        self._views[slot], self._targets[slot] = view, target
        # Last, so that no view is counted before it is whole.
        self._made[0] += 1

    def draw(self, count: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Views uint8 [count,224,224,3] and targets [count,5], drawn with repetition. Raises ValueError where it is empty."""
        views, targets = np.empty((count, *VIEW_SHAPE), np.uint8), np.empty((count, len(TUNED)), np.float32)
        wanted = np.arange(count)
        while len(wanted):
            before = self.made
            slots = np.sort(random.integers(0, min(before, self.slots), len(wanted)))
            views[wanted], targets[wanted] = self._views[slots], self._targets[slots]
            # The slots from `before` to what is made now may have been written while they were read: those are drawn again.
            wanted = wanted[(slots - before) % self.slots <= self.made - before]
        return views, targets
