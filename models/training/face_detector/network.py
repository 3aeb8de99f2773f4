"""The face detector's network: it reports faces at strides of 8, 16 and 32 px and starts from the teacher's weights.

Input: uint8 [N,H,W,3], H and W multiples of 32. Output: scores 0..1, boxes and points in input pixels.
"""

from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

STRIDES = (8, 16, 32)
POINTS = 5
WIDTH = 64
_STAGES = ((16, WIDTH), (WIDTH, WIDTH), (WIDTH, WIDTH), (WIDTH, WIDTH), (WIDTH, WIDTH))
_POOLED = (0, 2, 3, 4)
"""Stages with maps that are halved before the next: the stem (stage 0), then the stages of strides 4, 8 and 16."""
_PIXEL_SCALE = 64.0
_MAPS = {"cls": 1, "obj": 1, "bbox": 4, "kps": 2 * POINTS}
"""Number of channels of each kind of output map, with the names in the teacher's file."""


class Separable(nn.Module):
    """A pointwise convolution, then a depthwise 3x3 convolution. If `normalised`, batch norm and ReLU follow."""

    def __init__(self, inputs: int, outputs: int, normalised: bool = True):
        super().__init__()
        self.pointwise = nn.Conv2d(inputs, outputs, 1)
        self.depthwise = nn.Conv2d(outputs, outputs, 3, padding=1, groups=outputs, bias=not normalised)
        self.norm = nn.BatchNorm2d(outputs) if normalised else None

    def forward(self, values: Tensor) -> Tensor:
        """Maps [N,inputs,H,W] to [N,outputs,H,W]."""
        values = self.depthwise(self.pointwise(values))
        return values if self.norm is None else functional.relu(self.norm(values))


class Detector(nn.Module):
    """Maps uint8 pixels to scores, boxes and five points of every cell, with the layers of YuNet-n (Wu 2023)."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, stride=2, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(16)
        self.stem_last = Separable(16, 16)
        self.stages = nn.ModuleList(
            nn.Sequential(Separable(inputs, inputs), Separable(inputs, outputs)) for inputs, outputs in _STAGES
        )
        self.laterals = nn.ModuleList(Separable(WIDTH, WIDTH) for _ in STRIDES)
        self.shared = nn.ModuleList(Separable(WIDTH, WIDTH) for _ in STRIDES)
        self.heads = nn.ModuleList(
            nn.ModuleDict({name: Separable(WIDTH, channels, normalised=False) for name, channels in _MAPS.items()})
            for _ in STRIDES
        )

    def maps(self, pixels: Tensor) -> list[Tensor]:
        """Maps uint8 [N,H,W,3] (RGB, sides multiples of 32) to raw maps [N,16,H/s,W/s], one per stride s of 8, 16 and
        32.

        Channels: two score logits, then in strides the box centre from the corner of the cell and the log size, and
        five points (x, y) from the corner of the cell.
        """
        values = pixels.permute(0, 3, 1, 2).float() / _PIXEL_SCALE
        values = self.stem_last(functional.relu(self.stem_norm(self.stem(values))))
        kept = []
        for index, stage in enumerate(self.stages):
            if index in _POOLED:
                values = functional.max_pool2d(values, 2)
            values = stage(values)
            kept.append(values)
        levels = kept[-len(STRIDES) :]
        for level in reversed(range(len(STRIDES))):
            if level + 1 < len(STRIDES):
                levels[level] = levels[level] + functional.interpolate(
                    levels[level + 1], scale_factor=2.0, mode="nearest"
                )
            levels[level] = self.laterals[level](levels[level])
        return [
            torch.cat([head[name](values) for name in _MAPS], dim=1)
            for head, values in zip(
                self.heads, (shared(level) for shared, level in zip(self.shared, levels, strict=True)), strict=True
            )
        ]

    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Maps uint8 [N,H,W,3] to scores [N,A] (0..1), boxes [N,A,4] (x,y,w,h) and points [N,A,10], in input pixels."""
        scores, boxes, points = zip(
            *(decode(level, stride) for level, stride in zip(self.maps(pixels), STRIDES, strict=True)), strict=True
        )
        return torch.cat(scores, 1), torch.cat(boxes, 1), torch.cat(points, 1)

    def load_teacher(self, path: Path) -> None:
        """Loads `yunet_n.pth` of libfacedetection.train.

        That network expects BGR of 0..255 and has a bias before each norm, so the weights are converted.
        """
        given = torch.load(path, map_location="cpu", weights_only=True)["state_dict"]
        names = {"stem_last": "backbone.model0.conv2"}
        names |= {f"stages.{s}.{b}": f"backbone.model{s + 1}.conv{b + 1}" for s in range(len(_STAGES)) for b in (0, 1)}
        for level in range(len(STRIDES)):
            names[f"laterals.{level}"] = f"neck.lateral_convs.{level}"
            names[f"shared.{level}"] = f"bbox_head.multi_level_share_convs.{level}.0"
            names |= {f"heads.{level}.{kind}": f"bbox_head.multi_level_{kind}.{level}" for kind in _MAPS}
        state = {"stem.weight": given["backbone.model0.conv1.weight"].flip(1) * _PIXEL_SCALE}
        state |= _norm(given, "backbone.model0.bn1", "stem_norm", given["backbone.model0.conv1.bias"])
        for own, theirs in names.items():
            for part, kind in ((f"{own}.pointwise", "conv1"), (f"{own}.depthwise", "conv2")):
                state[f"{part}.weight"] = given[f"{theirs}.{kind}.weight"]
                state[f"{part}.bias"] = given[f"{theirs}.{kind}.bias"]
            if f"{theirs}.bn.weight" in given:
                state |= _norm(given, f"{theirs}.bn", f"{own}.norm", state.pop(f"{own}.depthwise.bias"))
        self.load_state_dict(state)


def _norm(given: dict[str, Tensor], theirs: str, own: str, bias: Tensor) -> dict[str, Tensor]:
    """Returns the state of a batch norm. A bias before the norm becomes part of the mean."""
    state = {f"{own}.{name}": given[f"{theirs}.{name}"] for name in ("weight", "bias", "running_mean", "running_var")}
    state[f"{own}.running_mean"] = state[f"{own}.running_mean"] - bias
    return state | {f"{own}.num_batches_tracked": given[f"{theirs}.num_batches_tracked"]}


def cell_corners(level: Tensor, stride: int) -> Tensor:
    """Returns the upper left corners of the cells of a map [N,C,h,w], row by row: [h*w,2] (x, y) in input pixels."""
    rows = torch.arange(level.shape[2], device=level.device) * stride
    columns = torch.arange(level.shape[3], device=level.device) * stride
    y, x = torch.meshgrid(rows, columns, indexing="ij")
    return torch.stack((x.reshape(-1), y.reshape(-1)), dim=1).float()


def decode(level: Tensor, stride: int) -> tuple[Tensor, Tensor, Tensor]:
    """Decodes a raw map [N,16,h,w] to scores [N,A] (0..1), boxes [N,A,4] and points [N,A,10] in input pixels, A = h*w.

    The score is the geometric mean of two probabilities: that the cell is responsible for a face, and that the box
    fits.
    """
    corners = cell_corners(level, stride)
    rows = level.flatten(2).transpose(1, 2)
    score = (functional.logsigmoid(rows[..., :2]).sum(-1) / 2).exp()
    size = rows[..., 4:6].clamp(max=6.0).exp() * stride
    corner = corners + rows[..., 2:4] * stride - size / 2
    points = rows[..., 6:] * stride + corners.repeat(1, POINTS)
    return score, torch.cat((corner, size), dim=2), points
