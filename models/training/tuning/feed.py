"""Memory-mapped buffers of the newest training crops, which other processes fill, and batches drawn from them.

Input: crops uint8 [224,224,3] with targets float32 [5] (nan: not trained). Output: batches of both as tensors.
"""

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch

from encoder.backbone import CROP_PX
from encoder.package import TUNED

CROP_SHAPE = (CROP_PX, CROP_PX, 3)


class Ring:
    """A ring buffer of the newest `slots` crops (at least two) with their targets, in the files NAME.crops,
    NAME.targets and NAME.made.

    One process writes, and any number of processes draw. A target is float32 [5]: a label 0 or 1 for each head of
    TUNED, or nan if the crop does not train that head.
    """

    def __init__(self, folder: Path, name: str, slots: int, new: bool = False):
        def map_file(part: str, kind: type, *shape: int) -> np.memmap:
            return np.memmap(folder / f"{name}.{part}", kind, "w+" if new else "r+", shape=shape)

        folder.mkdir(parents=True, exist_ok=True)
        self.slots = slots
        self._crops = map_file("crops", np.uint8, slots, *CROP_SHAPE)
        self._targets = map_file("targets", np.float32, slots, len(TUNED))
        self._made = map_file("made", np.int64, 1)

    @property
    def made(self) -> int:
        """Returns the number of crops written so far."""
        return int(self._made[0])

    @property
    def filled(self) -> int:
        """Returns the number of crops that the ring holds."""
        return min(self.made, self.slots)

    def put(self, crop: np.ndarray, target: np.ndarray) -> None:
        """Writes a crop over the oldest one."""
        slot = self.made % self.slots
        self._crops[slot], self._targets[slot] = crop, target
        # Increased last, so that a crop counts only when it is completely written.
        self._made[0] += 1

    def draw(self, count: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draws crops uint8 [count,224,224,3] and targets [count,5]. A crop may be drawn twice.

        Raises ValueError if the ring is empty.
        """
        crops, targets = np.empty((count, *CROP_SHAPE), np.uint8), np.empty((count, len(TUNED)), np.float32)
        wanted = np.arange(count)
        while len(wanted):
            before = self.made
            slots = np.sort(random.integers(0, min(before, self.slots), len(wanted)))
            crops[wanted], targets[wanted] = self._crops[slots], self._targets[slots]
            # Crops in the slots from `before` to the present number may have been overwritten while they were read.
            # They are drawn again.
            wanted = wanted[(slots - before) % self.slots <= self.made - before]
        return crops, targets


SHARES = {"images": 0.7, "faces": 0.2, "pairs": 0.1}
"""Shares of a batch by the kind of process that made the crops, as in the run of the released encoder."""
AHEAD, THREADS = 6, 4

Batch = tuple[torch.Tensor, torch.Tensor]
"""Crops uint8 [N,224,224,3] and targets float32 [N,5]. nan marks heads that are not trained."""


class Feed:
    """Draws batches of `batch` crops from `rings`. Requires at least one crop of each kind before the first batch."""

    def __init__(self, rings: dict[str, list[Ring]], batch: int, seed: list[int], device: str):
        self._rings, self._seed, self._device = rings, seed, device
        self._counts = {kind: round(batch * share) for kind, share in SHARES.items()}
        self._counts["images"] += batch - sum(self._counts.values())
        self._pool, self._ahead, self._asked = ThreadPoolExecutor(THREADS), deque[Future](), 0

    def holds(self, crops: int) -> bool:
        """Returns whether the rings of each kind contain that kind's share of `crops` crops, or are full."""
        return all(
            sum(ring.filled for ring in self._rings[kind])
            >= min(crops * share, sum(ring.slots for ring in self._rings[kind]))
            for kind, share in SHARES.items()
        )

    def made(self) -> dict[str, int]:
        """Returns the number of crops made so far, by kind."""
        return {kind: sum(ring.made for ring in rings) for kind, rings in self._rings.items()}

    def draw(self, number: int) -> Batch:
        """Draws batch `number` in main memory. Rings with more crops contribute more of their kind."""
        random, parts = np.random.default_rng([*self._seed, number]), []
        for kind, count in self._counts.items():
            filled = np.array([ring.filled for ring in self._rings[kind]])
            counts = random.multinomial(count, filled / filled.sum())
            parts += [ring.draw(share, random) for ring, share in zip(self._rings[kind], counts, strict=True) if share]
        crops, targets = (torch.from_numpy(np.concatenate(part)) for part in zip(*parts))
        return (crops.pin_memory(), targets.pin_memory()) if self._device == "cuda" else (crops, targets)

    def next(self) -> Batch:
        """Returns the next batch on the device."""
        while len(self._ahead) < AHEAD:
            self._ahead.append(self._pool.submit(self.draw, self._asked))
            self._asked += 1
        return tuple(part.to(self._device, non_blocking=True) for part in self._ahead.popleft().result())
