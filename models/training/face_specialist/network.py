"""The face specialist's network: the MobileNetV2 trunk with early taps, and one head."""

import torch
from torch import Tensor, nn

from full_image.networks import Head
from full_image.trunk import Trunk, statistics

TAPS = (1, 3, 6, 13)
TAPPED_CHANNELS = 16 + 24 + 32 + 96
LAST_CHANNELS = 1280


class FaceNetwork(nn.Module):
    """Uint8 crops to logits; statistics of early maps see traces of blending, the last map sees the face."""

    def __init__(self, hidden: int = 128, dropout: float = 0.3):
        super().__init__()
        self.trunk = Trunk(TAPS)
        width = 3 * TAPPED_CHANNELS + 2 * LAST_CHANNELS
        self.norm = nn.BatchNorm1d(width, affine=False)
        self.head = Head(width, hidden, dropout)

    def features(self, pixels: Tensor) -> Tensor:
        """Uint8 [N,H,W,3] RGB, sides multiples of 32 -> float32 [N,3064]: tap statistics, last map's mean and maximum."""
        values = (pixels.permute(0, 3, 1, 2).float() - 127.5) / 127.5
        *taps, last = self.trunk(values.contiguous(memory_format=torch.channels_last))
        last = last.float()
        return torch.cat([*(statistics(tap) for tap in taps), last.mean((2, 3)), last.amax((2, 3))], 1)

    def forward(self, pixels: Tensor) -> Tensor:
        """Uint8 [N,H,W,3] RGB -> logit [N]; above 0 leans to fake (calibration is in the manifest)."""
        return self.head(self.norm(self.features(pixels).float()))
