"""The two networks of the full-image specialist: one for native patches, one for the whole picture squeezed to a square."""
from pathlib import Path

import torch
from torch import nn

from full_image.residual_features import ResidualStatistics, ResidualTower, SpectrumStatistics
from full_image.trunk import Trunk, statistics

PATCH_PX, GLOBAL_PX = 128, 224
"""Sides of a native patch and of the global view."""


class TrunkFeatures(nn.Module):
    """Statistics of a trunk's tapped maps and the mean of its last map."""

    def __init__(self, taps: tuple[int, ...], channels: int, last: int):
        super().__init__()
        self.trunk = Trunk(taps, ends_early=last == 0)
        self.width = 3 * channels + last
        self._ends_early = last == 0

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        """float [N,3,H,W] in 0..255 -> float32 [N,width]."""
        maps = self.trunk(((pixels - 127.5) / 127.5).contiguous(memory_format=torch.channels_last))
        taps = maps if self._ends_early else maps[:-1]
        values = [statistics(tap) for tap in taps]
        return torch.cat(values if self._ends_early else [*values, maps[-1].float().mean((2, 3))], 1)


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
        """float [N,3,H,W] in 0..255 -> [N,width], in float32 throughout where the branch is exact."""
        with torch.autocast(pixels.device.type, enabled=False) if self.exact else torch.autocast(
                pixels.device.type, torch.bfloat16, enabled=torch.is_autocast_enabled(pixels.device.type)):
            return self.features(pixels)

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        """float [N,3,H,W] in 0..255 -> logits [N]."""
        return self.judge(self.describe(pixels))

    def judge(self, features: torch.Tensor) -> torch.Tensor:
        """[N,width] -> logits [N]; features far outside what training met are clipped."""
        with torch.autocast(features.device.type, enabled=False):
            return self.head(((features.float() - self.mean) / self.deviation).clamp(-8, 8))

    @torch.no_grad()
    def standardise(self, features: torch.Tensor) -> None:
        """Sets the standardisation from features [N,width] of training views."""
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


class ViewNetwork(nn.Module):
    """Branches that judge a view each on its own, and the weights of their votes."""

    def __init__(self, branches: dict[str, Branch]):
        super().__init__()
        self.branches = nn.ModuleDict(branches)
        self.votes = nn.Parameter(torch.full((len(branches),), 1 / len(branches)))

    def parts(self, pixels: torch.Tensor) -> torch.Tensor:
        """uint8 [N,H,W,3] RGB -> logits of the branches [N,branches]."""
        planes = pixels.permute(0, 3, 1, 2).float()
        return torch.stack([branch(planes) for branch in self.branches.values()], 1)

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        """uint8 [N,H,W,3] RGB -> logits [N]."""
        return self.parts(pixels) @ self.votes


def patch_network(dropout: float = 0.2) -> ViewNetwork:
    """For native patches of PATCH_PX: the trunk's early maps, a tower on noise residuals, and fixed residual and spectral statistics."""
    trunk = TrunkFeatures((1, 3, 6, 10, 13), 16 + 24 + 32 + 64 + 96, 0)
    tower, residual, spectrum = ResidualTower(), ResidualStatistics(), SpectrumStatistics(PATCH_PX)
    return ViewNetwork({
        "trunk": Branch(trunk, trunk.width, 128, dropout),
        "tower": Branch(tower, tower.WIDTH, 64, dropout),
        "residual": Branch(residual, residual.WIDTH, 96, dropout, exact=True),
        "spectrum": Branch(spectrum, spectrum.WIDTH, 96, dropout, exact=True),
    })


def global_network(dropout: float = 0.3) -> ViewNetwork:
    """For the whole picture squeezed to GLOBAL_PX: all of the trunk."""
    trunk = TrunkFeatures((1, 3, 6, 13), 16 + 24 + 32 + 96, 1280)
    return ViewNetwork({"trunk": Branch(trunk, trunk.width, 192, dropout)})


BUILD = {"patch": patch_network, "global": global_network}
PX = {"patch": PATCH_PX, "global": GLOBAL_PX}


def load_network(role: str, weights: Path) -> ViewNetwork:
    """The network of a run's weights, in evaluation mode."""
    network = BUILD[role]()
    network.load_state_dict(torch.load(weights, weights_only=True))
    return network.eval()
