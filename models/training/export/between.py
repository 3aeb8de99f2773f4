"""Weights between two of the same network: what one training knew and the next one would forget (Wortsman 2022)."""

from collections.abc import Mapping

import torch
from torch import Tensor


def between(start: Mapping[str, Tensor], end: Mapping[str, Tensor], share: float) -> dict[str, Tensor]:
    """The state whose every value lies `share` (0..1) of the way from `start` to `end`; counters are those of `end`."""
    return {name: torch.lerp(start[name], value, share) if value.is_floating_point() else value for name, value in end.items()}
