"""The batches of the training loop, drawn from the rings of all producers a few steps ahead."""

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import torch

from tuning.ring import Ring

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
