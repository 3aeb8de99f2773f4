"""The network of the full-image specialist: a trunk with early taps and two heads."""
import torch
from torch import nn

from full_image.trunk import Trunk, statistics

TAPS = (1, 3, 6, 13)
"""Blocks of the trunk that are tapped: 16, 24, 32 and 96 channels at strides 2, 4, 8, 16."""
TAPPED_CHANNELS, LAST_CHANNELS = 16 + 24 + 32 + 96, 1280


class FullImageNetwork(nn.Module):
    """Trunk, statistics of its maps, and a head each for native patches and for the global view."""

    HIDDEN = 192

    def __init__(self, dropout: float = 0.2):
        super().__init__()
        self.trunk = Trunk(TAPS)
        width = 3 * TAPPED_CHANNELS + LAST_CHANNELS
        self.register_buffer("feature_mean", torch.zeros(width))
        self.register_buffer("feature_deviation", torch.ones(width))
        self.patch_head = Head(width, self.HIDDEN, dropout)
        self.global_head = Head(width, self.HIDDEN, dropout)

    def features(self, pixels: torch.Tensor) -> torch.Tensor:
        """uint8 [N,H,W,3] RGB -> float32 [N,width], not standardised."""
        x = (pixels.permute(0, 3, 1, 2).float() - 127.5) / 127.5
        *taps, last = self.trunk(x.contiguous(memory_format=torch.channels_last))
        return torch.cat([*(statistics(tap) for tap in taps), last.float().mean((2, 3))], 1)

    def heads(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """[N,width] -> patch logits [N], global logits [N]."""
        x = (features.float() - self.feature_mean) / self.feature_deviation
        return self.patch_head(x), self.global_head(x)

    def forward(self, pixels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """uint8 [N,H,W,3] RGB, H and W multiples of 32 -> patch logits [N], global logits [N]."""
        return self.heads(self.features(pixels))

    def standardise(self, features: torch.Tensor) -> None:
        """Sets the standardisation from features [N,width] of training patches."""
        self.feature_mean.copy_(features.mean(0))
        self.feature_deviation.copy_(features.std(0).clamp_min(1e-3))


class Head(nn.Module):
    """A linear part and a small hidden layer side by side: the linear part learns at once, the hidden one refines."""

    def __init__(self, inputs: int, hidden: int, dropout: float):
        super().__init__()
        self.linear = nn.Linear(inputs, 1)
        self.hidden = nn.Sequential(nn.Linear(inputs, hidden), nn.GELU(), nn.Dropout(dropout), nn.Linear(hidden, 1))
        self.dropout = nn.Dropout(dropout)
        nn.init.zeros_(self.linear.weight)
        nn.init.zeros_(self.hidden[3].weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[N,inputs] -> [N]."""
        x = self.dropout(x)
        return (self.linear(x) + self.hidden(x)).squeeze(1)
