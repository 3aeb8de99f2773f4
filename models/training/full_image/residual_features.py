"""Hand-made and learned features of noise residuals and of the spectrum: what generators leave and cameras do not."""
import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

KERNELS = np.array([
    [[0, 0, 0], [0, -1, 1], [0, 0, 0]], [[0, 0, 0], [0, -1, 0], [0, 1, 0]],
    [[0, 0, 0], [1, -2, 1], [0, 0, 0]], [[0, 1, 0], [0, -2, 0], [0, 1, 0]], [[-1, 2, -1], [2, -4, 2], [-1, 2, -1]]], np.float32)
"""High-pass filters of the steganalysis rich model (Fridrich 2012): first and second order, across and down, and the square."""
SHIFTS = ((0, 1), (1, 0), (1, 1), (0, 2), (2, 0), (0, 4), (4, 0))
"""Lags (rows, columns) in px of the residuals' autocorrelation; upsampling by 2 or 4 shows there."""


def residuals_of(pixels: torch.Tensor) -> torch.Tensor:
    """float [N,3,H,W] in 0..255 -> [N,15,H-2,W-2]: each kernel on each channel."""
    weight = torch.from_numpy(KERNELS).to(pixels.device)[:, None].repeat(3, 1, 1, 1)
    return F.conv2d(pixels, weight, groups=3)


class ResidualStatistics(nn.Module):
    """Size, tail weight, autocorrelation and agreement between channels of the residuals: no trained weight."""

    WIDTH = 15 * (2 + len(SHIFTS)) + 15

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        """float [N,3,H,W] in 0..255 -> float32 [N,WIDTH]."""
        r = residuals_of(pixels)
        power = (r * r).mean((2, 3)) + 0.05
        size = r.abs().mean((2, 3)) + 0.05
        values = [torch.log(power), torch.log(power) - 2 * torch.log(size)]
        height, width = r.shape[2:]
        for down, across in SHIFTS:
            product = r[:, :, down:, across:] * r[:, :, :height - down, :width - across]
            values.append(product.mean((2, 3)) / power)
        for one, other in ((0, 1), (1, 2), (0, 2)):
            a, b = slice(5 * one, 5 * one + 5), slice(5 * other, 5 * other + 5)
            values.append((r[:, a] * r[:, b]).mean((2, 3)) / torch.sqrt(power[:, a] * power[:, b]))
        return torch.cat(values, 1)


class SpectrumStatistics(nn.Module):
    """Log size of the cosine transform in square bins, of luma and of two colour differences, and of the 8x8 block
    transform (where an earlier JPEG grid shows). No trained weight."""

    BINS = 16
    WIDTH = 3 * BINS * BINS + 64

    def __init__(self, px: int):
        super().__init__()
        self.px = px
        self.register_buffer("whole", cosine_matrix(px), persistent=False)
        self.register_buffer("block", cosine_matrix(8), persistent=False)

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        """float [N,3,px,px] in 0..255 -> float32 [N,WIDTH]."""
        red, green, blue = pixels.unbind(1)
        planes = torch.stack([0.299 * red + 0.587 * green + 0.114 * blue, red - green, blue - green], 1)
        whole = torch.log((self.whole @ planes @ self.whole.T).abs() + 0.5)
        binned = F.avg_pool2d(whole, self.px // self.BINS).flatten(1)
        count = self.px // 8
        blocks = planes[:, 0].reshape(-1, count, 8, count, 8).transpose(2, 3)
        blocks = torch.log((self.block @ blocks @ self.block.T).abs() + 0.5).mean((1, 2)).flatten(1)
        return torch.cat([binned, blocks], 1)


def cosine_matrix(px: int) -> torch.Tensor:
    """The orthonormal discrete cosine transform of length px as a matrix [px,px]."""
    k, x = np.mgrid[:px, :px]
    matrix = np.cos(math.pi * (2 * x + 1) * k / (2 * px)) * math.sqrt(2 / px)
    matrix[0] /= math.sqrt(2)
    return torch.from_numpy(matrix.astype(np.float32))


class ResidualTower(nn.Module):
    """A small convolutional network on the clipped residuals, trained from random weights."""

    WIDTHS = (24, 40, 64, 96)
    WIDTH = 2 * (40 + 64 + 96)

    def __init__(self):
        super().__init__()
        first, *rest = self.WIDTHS
        self.stem = nn.Sequential(nn.Conv2d(15, first, 3, 2, bias=False), nn.BatchNorm2d(first), nn.ReLU(inplace=True))
        stages, inputs = [], first
        for index, width in enumerate(rest):
            stages.append(nn.Sequential(Separable(inputs, width, 1 if index == 0 else 2), Separable(width, width, 1)))
            inputs = width
        self.stages = nn.ModuleList(stages)

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        """float [N,3,H,W] in 0..255 -> float32 [N,WIDTH]: mean and deviation of the maps at strides 2, 4 and 8."""
        x = self.stem((residuals_of(pixels) / 12).clamp(-1, 1).contiguous(memory_format=torch.channels_last))
        values = []
        for stage in self.stages:
            x = stage(x)
            mean = x.float().mean((2, 3))
            values += [mean, torch.sqrt((x.float() ** 2).mean((2, 3)) - mean * mean + 1e-4)]
        return torch.cat(values, 1)


class Separable(nn.Module):
    """Depthwise 3x3, pointwise, normalised, with the shortcut where shapes allow it."""

    def __init__(self, inputs: int, outputs: int, stride: int):
        super().__init__()
        self.stride = stride
        self.depthwise = nn.Conv2d(inputs, inputs, 3, 1, 1, groups=inputs, bias=False)
        self.body = nn.Sequential(nn.BatchNorm2d(inputs), nn.ReLU(inplace=True), nn.Conv2d(inputs, outputs, 1, bias=False),
                                  nn.BatchNorm2d(outputs))
        self.shortcut = stride == 1 and inputs == outputs

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[N,inputs,H,W] -> [N,outputs,H/stride,W/stride]."""
        # subsampled rather than strided: the CPU backward of a strided depthwise convolution is ten times slower
        y = self.body(self.depthwise(x)[:, :, ::self.stride, ::self.stride])
        return F.relu(x + y if self.shortcut else y)
