"""MobileNetV2 1.0 as a trunk whose early maps are tapped, with its ImageNet weights."""
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

BLOCKS = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
"""Expansion, channels, repeats and first stride of MobileNetV2 1.0 (arXiv 1801.04381, table 2)."""


class Convolution(nn.Conv2d):
    """Convolution with "SAME" padding as TensorFlow does it for even sizes (0 before, 1 after at stride 2), which the
    ImageNet weights were trained with, followed by ReLU6 where `act`. Batch norm is folded into weight and bias."""

    def __init__(self, inputs: int, outputs: int, size: int = 1, stride: int = 1, groups: int = 1, act: bool = True):
        super().__init__(inputs, outputs, size, stride, padding=size // 2 if stride == 1 else 0, groups=groups)
        self.act = act

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[N,C,H,W] -> [N,outputs,H/stride,W/stride]; H and W are multiples of the stride."""
        if self.stride == (1, 1):
            x = super().forward(x)
        elif self.training and self.groups > 1:
            # the same values: the CPU backward of a strided depthwise convolution is ten times slower than this
            x = F.conv2d(x, self.weight, self.bias, 1, 1, groups=self.groups)[:, :, 1::2, 1::2]
        else:
            x = super().forward(F.pad(x, (0, 1, 0, 1)))
        return F.relu6(x, inplace=True) if self.act else x


class InvertedResidual(nn.Module):
    """Expansion 1x1, depthwise 3x3, projection 1x1, with the shortcut where shapes allow it."""

    def __init__(self, inputs: int, outputs: int, stride: int, expansion: int):
        super().__init__()
        hidden = inputs * expansion
        layers = [] if expansion == 1 else [Convolution(inputs, hidden)]
        layers += [Convolution(hidden, hidden, 3, stride, groups=hidden), Convolution(hidden, outputs, act=False)]
        self.layers = nn.Sequential(*layers)
        self.shortcut = stride == 1 and inputs == outputs

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[N,inputs,H,W] -> [N,outputs,H/stride,W/stride]."""
        return x + self.layers(x) if self.shortcut else self.layers(x)


class Trunk(nn.Module):
    """MobileNetV2 1.0 without its classifier; gives the maps after the blocks `taps` (0 is the first convolution) and the
    last 1280-channel map, or with `ends_early` the maps alone and no block after them."""

    def __init__(self, taps: tuple[int, ...], ends_early: bool = False):
        super().__init__()
        self.taps = taps
        blocks = [Convolution(3, 32, 3, 2)]
        channels = 32
        for expansion, outputs, repeats, stride in BLOCKS:
            for index in range(repeats):
                blocks.append(InvertedResidual(channels, outputs, stride if index == 0 else 1, expansion))
                channels = outputs
        blocks.append(Convolution(channels, 1280))
        self.blocks = nn.ModuleList(blocks[:max(taps) + 1] if ends_early else blocks)

    def forward(self, x: torch.Tensor) -> list[torch.Tensor]:
        """[N,3,H,W] in -1..1 -> the tapped maps, then [N,1280,H/32,W/32] unless it ends early."""
        taps = []
        for index, block in enumerate(self.blocks):
            x = block(x)
            if index in self.taps or index == len(self.blocks) - 1:
                taps.append(x)
        return taps

    def load_imagenet(self, path: Path) -> None:
        """Loads the ImageNet weights (npz with torchvision's keys), folding each batch norm into its convolution."""
        stored = np.load(path)
        convolutions = [m for m in self.modules() if isinstance(m, Convolution)]
        names = sorted({k.rsplit(".", 1)[0] for k in stored.files if k.startswith("features") and stored[k].ndim == 4},
                       key=lambda name: [int(part) for part in name.split(".") if part.isdigit()])
        if len(names) < len(convolutions):
            raise ValueError(f"{path}: {len(names)} convolutions, expected {len(convolutions)}")
        for name, convolution in zip(names, convolutions):
            norm = batch_norm_name(name, stored.files)
            read = lambda key: torch.from_numpy(stored[f"{norm}.{key}"].astype(np.float32))
            gain = read("weight") / torch.sqrt(read("running_var") + 1e-5)
            weight = torch.from_numpy(stored[f"{name}.weight"].astype(np.float32))
            convolution.weight.data = weight * gain[:, None, None, None]
            convolution.bias.data = read("bias") - read("running_mean") * gain


def batch_norm_name(convolution: str, keys: list[str]) -> str:
    """Key prefix of the batch norm that follows a convolution: the next index of the same sequence."""
    parts = convolution.split(".")
    # torchvision: features.0.0 and conv.0.0 are followed by .1 beside them; conv.2 by conv.3
    parts[-1] = str(int(parts[-1]) + 1)
    name = ".".join(parts)
    if f"{name}.running_mean" not in keys:
        raise ValueError(f"no batch norm after {convolution}")
    return name


def statistics(x: torch.Tensor) -> torch.Tensor:
    """[N,C,H,W] -> [N,3C]: mean, deviation and gradient energy of each channel, in float32, independent of H and W."""
    x = x.float()
    mean = x.mean((2, 3))
    deviation = torch.sqrt((x * x).mean((2, 3)) - mean * mean + 1e-4).clamp_min(1e-3)
    across = (x[:, :, :, 1:] - x[:, :, :, :-1]).abs().mean((2, 3))
    down = (x[:, :, 1:] - x[:, :, :-1]).abs().mean((2, 3))
    return torch.cat([mean, deviation, across + down], 1)
