"""The finder's loss: quality focal loss for scores, GIoU for boxes, size-relative L1 for points."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from face_detector.network import STRIDES, decode

BOX_WEIGHT = 2.0
POINT_WEIGHT = 4.0


@dataclass
class BatchTargets:
    """Targets of a batch: the members of `assign.Targets` with a leading axis N, as tensors."""

    score: Tensor
    counted: Tensor
    weight: Tensor
    boxes: Tensor
    points: Tensor


def generalised_iou(one: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
    """IoU (0..1) and generalised IoU (-1..1, Rezatofighi 2019) of paired boxes [K,4] (x, y, w, h)."""
    one_end, other_end = one[:, :2] + one[:, 2:], other[:, :2] + other[:, 2:]
    common = (torch.minimum(one_end, other_end) - torch.maximum(one[:, :2], other[:, :2])).clamp(min=0).prod(1)
    union = one[:, 2:].prod(1) + other[:, 2:].prod(1) - common
    hull = (torch.maximum(one_end, other_end) - torch.minimum(one[:, :2], other[:, :2])).prod(1)
    iou = common / union.clamp(min=1e-6)
    return iou, iou - (hull - union) / hull.clamp(min=1e-6)


def finder_loss(maps: list[Tensor], targets: BatchTargets) -> dict[str, Tensor]:
    """Parts of the loss and their weighted sum, `total`, from the network's raw maps.

    The score to reach is the teacher's own, lowered where the student's box is still off, so that the order of scores
    follows both; it is weighed by its square distance (quality focal loss, Li 2020).
    """
    parts = [decode(level.float(), stride) for level, stride in zip(maps, STRIDES, strict=True)]
    scores, boxes, points = (torch.cat(group, dim=1) for group in zip(*parts, strict=True))
    answers = targets.weight > 0
    weight = targets.weight[answers]
    total_weight = weight.sum().clamp(min=1.0)
    iou, giou = generalised_iou(boxes[answers], targets.boxes[answers])
    wanted = targets.score.clone()
    wanted[answers] *= 0.5 + 0.5 * iou.detach()
    distance = (wanted - scores.detach()).square()
    score = functional.binary_cross_entropy(scores, wanted, reduction="none") * distance * targets.counted
    sizes = targets.boxes[answers][:, 2:].prod(1).sqrt()[:, None]
    off = (points[answers] - targets.points[answers]) / sizes
    point = functional.smooth_l1_loss(off, torch.zeros_like(off), beta=0.05, reduction="none").mean(1)
    losses = {
        "score": score.sum() / answers.sum().clamp(min=1),
        "box": ((1 - giou) * weight).sum() / total_weight,
        "point": (point * weight).sum() / total_weight,
    }
    losses["total"] = losses["score"] + BOX_WEIGHT * losses["box"] + POINT_WEIGHT * losses["point"]
    return losses
