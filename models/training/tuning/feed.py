"""The newest views of each producer, in memory-mapped files that it writes round and round, and the batches that the training loop draws from them a few steps ahead."""

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch

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


SHARES = {"pictures": 0.7, "faces": 0.2, "pairs": 0.1}
"""Of a batch, by the kind of producer: those of the run that ships."""
AHEAD, THREADS = 6, 4

Batch = tuple[torch.Tensor, torch.Tensor]
"""Views uint8 [N,224,224,3] and targets float32 [N,5], nan where a head is not trained."""


class Feed:
    """Batches of `batch` views from `rings` by their kind; each kind must hold a view before the first is asked for."""

    def __init__(self, rings: dict[str, list[Ring]], batch: int, seed: list[int], device: str):
        self._rings, self._seed, self._device = rings, seed, device
        self._counts = {kind: round(batch * share) for kind, share in SHARES.items()}
        self._counts["pictures"] += batch - sum(self._counts.values())
        self._pool, self._ahead, self._asked = ThreadPoolExecutor(THREADS), deque[Future](), 0

    def holds(self, views: int) -> bool:
        """Whether the rings of each kind hold its share of `views`, or are full."""
        return all(sum(ring.filled for ring in self._rings[kind]) >= min(views * share, sum(ring.slots for ring in self._rings[kind]))
                   for kind, share in SHARES.items())

    def made(self) -> dict[str, int]:
        """Views made so far, by kind."""
        return {kind: sum(ring.made for ring in rings) for kind, rings in self._rings.items()}

    def draw(self, number: int) -> Batch:
        """Batch `number` on the host; the fuller of two rings of a kind gives more."""
        random, parts = np.random.default_rng([*self._seed, number]), []
        for kind, count in self._counts.items():
            filled = np.array([ring.filled for ring in self._rings[kind]])
            counts = random.multinomial(count, filled / filled.sum())
            parts += [ring.draw(wanted, random) for ring, wanted in zip(self._rings[kind], counts, strict=True) if wanted]
        views, targets = (torch.from_numpy(np.concatenate(part)) for part in zip(*parts))
        return (views.pin_memory(), targets.pin_memory()) if self._device == "cuda" else (views, targets)

    def next(self) -> Batch:
        """The next batch on the device."""
        while len(self._ahead) < AHEAD:
            self._ahead.append(self._pool.submit(self.draw, self._asked))
            self._asked += 1
        return tuple(part.to(self._device, non_blocking=True) for part in self._ahead.popleft().result())
