"""The network of the full-image specialist: a trunk with early taps and two heads, and branches that look at patches' residuals."""
from pathlib import Path

import torch
from torch import nn

from full_image.residual_features import ResidualStatistics, ResidualTower, SpectrumStatistics
from full_image.trunk import Trunk, statistics

PX = 128
"""Side of a view: of a native patch, and of the picture squeezed to a square."""
TAPS = (1, 3, 6, 13)
"""Blocks of the trunk that are tapped: 16, 24, 32 and 96 channels at strides 2, 4, 8, 16."""
TAPPED_CHANNELS, LAST_CHANNELS = 16 + 24 + 32 + 96, 1280


class FullImageNetwork(nn.Module):
    """Trunk, statistics of its maps, a head each for patches and for the global view; and for patches alone further branches.

    The trunk takes part in nothing that a branch learns, nor a branch in the trunk: each has a loss of its own, and `votes`
    (trunk first, then the branches) weigh their logits. `full_image.votes` sets them on validation pictures: on training
    pictures the trunk, which remembers sources, would get them all.
    """

    HIDDEN = 192

    def __init__(self, dropout: float = 0.2):
        super().__init__()
        self.trunk = Trunk(TAPS)
        width = 3 * TAPPED_CHANNELS + LAST_CHANNELS
        self.register_buffer("feature_mean", torch.zeros(width))
        self.register_buffer("feature_deviation", torch.ones(width))
        self.patch_head = Head(width, self.HIDDEN, dropout)
        self.global_head = Head(width, self.HIDDEN, dropout)
        self.branches = nn.ModuleDict({
            "tower": Branch(ResidualTower(), ResidualTower.WIDTH, 64, dropout),
            "residual": Branch(ResidualStatistics(), ResidualStatistics.WIDTH, 96, dropout, exact=True),
            "spectrum": Branch(SpectrumStatistics(PX), SpectrumStatistics.WIDTH, 96, dropout, exact=True),
        })
        self.register_buffer("votes", torch.tensor([1.0] + [0.0] * len(self.branches)))

    def features(self, pixels: torch.Tensor) -> torch.Tensor:
        """The trunk's: uint8 [N,H,W,3] RGB -> float32 [N,width], not standardised."""
        x = (pixels.permute(0, 3, 1, 2).float() - 127.5) / 127.5
        *taps, last = self.trunk(x.contiguous(memory_format=torch.channels_last))
        return torch.cat([*(statistics(tap) for tap in taps), last.float().mean((2, 3))], 1)

    def heads(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The trunk's [N,width] -> patch logits [N], global logits [N]."""
        x = (features.float() - self.feature_mean) / self.feature_deviation
        return self.patch_head(x), self.global_head(x)

    def parts(self, pixels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """uint8 [N,PX,PX,3] RGB -> patch logits of trunk and branches [N,1+branches], global logits [N]."""
        features = self.features(pixels)
        with torch.autocast(pixels.device.type, enabled=False):
            patch, whole = self.heads(features)
        planes = pixels.permute(0, 3, 1, 2).float()
        return torch.stack([patch, *(branch(planes) for branch in self.branches.values())], 1), whole

    def forward(self, pixels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """uint8 [N,PX,PX,3] RGB -> patch logits [N], global logits [N]."""
        patch, whole = self.parts(pixels)
        return (patch * self.votes).sum(1), whole

    @torch.no_grad()
    def standardise(self, pixels: torch.Tensor) -> None:
        """Sets the standardisation of all features from training patches, uint8 [N,PX,PX,3]."""
        features = torch.cat([self.features(chunk) for chunk in pixels.split(32)]).float()
        self.feature_mean.copy_(features.mean(0))
        self.feature_deviation.copy_(features.std(0).clamp_min(1e-3))
        for branch in self.branches.values():
            branch.standardise(torch.cat([branch.describe(chunk.permute(0, 3, 1, 2).float()) for chunk in pixels.split(32)]))


class Branch(nn.Module):
    """Features of one kind, standardised, and the head that judges by them alone."""

    def __init__(self, features: nn.Module, width: int, hidden: int, dropout: float, exact: bool = False):
        super().__init__()
        self.features = features
        self.exact = exact
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("deviation", torch.ones(width))
        self.head = Head(width, hidden, dropout)

    def describe(self, pixels: torch.Tensor) -> torch.Tensor:
        """float [N,3,H,W] in 0..255 -> float32 [N,width]; an exact branch computes in float32 throughout."""
        enabled = torch.is_autocast_enabled(pixels.device.type) and not self.exact
        with torch.autocast(pixels.device.type, torch.bfloat16, enabled=enabled):
            return self.features(pixels).float()

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        """float [N,3,H,W] in 0..255 -> logits [N]; features far outside what training met are clipped."""
        features = self.describe(pixels)
        with torch.autocast(pixels.device.type, enabled=False):
            return self.head(((features - self.mean) / self.deviation).clamp(-8, 8))

    def standardise(self, features: torch.Tensor) -> None:
        """Sets the standardisation from features [N,width] of training patches."""
        self.mean.copy_(features.mean(0))
        self.deviation.copy_(features.std(0).clamp_min(1e-3))


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


def load_network(*weights: Path) -> FullImageNetwork:
    """The network of a run's weights, or of several runs' that trained different parts, in evaluation mode.

    Raises RuntimeError where a name is not the network's.
    """
    network = FullImageNetwork()
    for path in weights:
        unknown = network.load_state_dict(torch.load(path, weights_only=True), strict=False).unexpected_keys
        if unknown:
            raise RuntimeError(f"{path} holds what the network has not: {unknown[:3]}")
    return network.eval()
