"""The face finder: a one-stage detector of our own, strides 8, 16 and 32, from random weights."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

STRIDES = (8, 16, 32)
POINTS = 5
_OUTPUTS = 1 + 4 + 2 * POINTS
_MAX_LOG_SIZE = 6.0


@dataclass(frozen=True)
class FinderSize:
    """Widths (channels) and depths (blocks) at strides 4, 8, 16 and 32, and the width of the fused maps."""

    widths: tuple[int, int, int, int] = (24, 48, 96, 128)
    depths: tuple[int, int, int, int] = (1, 2, 4, 3)
    fused: int = 48


class Separable(nn.Module):
    """Depthwise then pointwise convolution, each normalised; adds its input where the shape allows."""

    def __init__(self, inputs: int, outputs: int, kernel: int = 3, stride: int = 1):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(inputs, inputs, kernel, stride, kernel // 2, groups=inputs, bias=False),
            nn.BatchNorm2d(inputs),
            nn.ReLU(),
            nn.Conv2d(inputs, outputs, 1, bias=False),
            nn.BatchNorm2d(outputs),
        )
        self.adds = inputs == outputs and stride == 1

    def forward(self, values: Tensor) -> Tensor:
        """[N,inputs,H,W] -> [N,outputs,H/stride,W/stride]."""
        result = self.body(values)
        return functional.relu(result + values if self.adds else result)


class Finder(nn.Module):
    """Uint8 pixels to scores, boxes and five points of every cell.

    The kernels at strides 16 and 32 are 5 wide, so that a cell of stride 32 sees the whole of a close-up.
    """

    def __init__(self, size: FinderSize = FinderSize()):
        super().__init__()
        first, *_ = size.widths
        self.stem = nn.Sequential(nn.Conv2d(3, first, 6, 4, 1, bias=False), nn.BatchNorm2d(first), nn.ReLU())
        stages, inputs = [], first
        for level, (width, depth) in enumerate(zip(size.widths, size.depths, strict=True)):
            kernel = 5 if level >= 2 else 3
            blocks = [Separable(inputs, width, kernel, 2)] if level else []
            blocks += [Separable(width, width, kernel) for _ in range(depth)]
            stages.append(nn.Sequential(*blocks))
            inputs = width
        self.stages = nn.ModuleList(stages)
        self.laterals = nn.ModuleList(nn.Conv2d(width, size.fused, 1) for width in size.widths[1:])
        self.heads = nn.ModuleList(
            nn.Sequential(
                Separable(size.fused, size.fused), Separable(size.fused, size.fused), nn.Conv2d(size.fused, _OUTPUTS, 1)
            )
            for _ in STRIDES
        )
        for head in self.heads:
            nn.init.normal_(head[-1].weight, std=0.01)
            nn.init.zeros_(head[-1].bias)
            head[-1].bias.data[0] = -5.0  # the share of cells that hold a face is near exp(-5)

    def maps(self, pixels: Tensor) -> list[Tensor]:
        """Uint8 [N,H,W,3] (RGB, sides multiples of 32) -> one raw map [N,15,H/s,W/s] a stride s of 8, 16, 32.

        Channels: score logit; centre from the cell's centre and log size, in strides; five points (x, y) likewise.
        """
        values = (pixels.permute(0, 3, 1, 2).float() - 127.5) / 64.0
        values = self.stages[0](self.stem(values))
        levels = []
        for stage, lateral in zip(self.stages[1:], self.laterals, strict=True):
            values = stage(values)
            levels.append(lateral(values))
        for upper in (1, 0):
            levels[upper] = levels[upper] + functional.interpolate(levels[upper + 1], scale_factor=2.0, mode="nearest")
        return [head(functional.relu(level)) for head, level in zip(self.heads, levels, strict=True)]

    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Uint8 [N,H,W,3] -> scores [N,A] (0..1), boxes [N,A,4] (x,y,w,h), points [N,A,10], in input pixels."""
        scores, boxes, points = zip(
            *(decode(level, stride) for level, stride in zip(self.maps(pixels), STRIDES, strict=True)), strict=True
        )
        return torch.cat(scores, 1).sigmoid(), torch.cat(boxes, 1), torch.cat(points, 1)


def cell_centres(level: Tensor, stride: int) -> Tensor:
    """Centres of the cells of a map [N,C,h,w], row by row: [h*w,2] (x, y) in input pixels."""
    rows = (torch.arange(level.shape[2], device=level.device) + 0.5) * stride
    columns = (torch.arange(level.shape[3], device=level.device) + 0.5) * stride
    y, x = torch.meshgrid(rows, columns, indexing="ij")
    return torch.stack((x.reshape(-1), y.reshape(-1)), dim=1).float()


def decode(level: Tensor, stride: int) -> tuple[Tensor, Tensor, Tensor]:
    """One raw map [N,15,h,w] -> score logits [N,A], boxes [N,A,4], points [N,A,10] in input pixels, A = h*w."""
    centres = cell_centres(level, stride)
    rows = level.flatten(2).transpose(1, 2)
    size = rows[..., 3:5].clamp(-_MAX_LOG_SIZE, _MAX_LOG_SIZE).exp() * stride
    corner = centres + rows[..., 1:3] * stride - size / 2
    points = rows[..., 5:] * stride + centres.repeat(1, POINTS)
    return rows[..., 0], torch.cat((corner, size), dim=2), points
