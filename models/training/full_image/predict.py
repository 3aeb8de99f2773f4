"""Logits of a network on a view bank: `predict` gives one entry a picture and tier, which aggregate and evaluate read."""
from dataclasses import dataclass

import numpy as np
import torch

from full_image.view_bank import ViewBank


@dataclass(frozen=True)
class Prediction:
    """A bank row with the logits of its patches [n] and of its global view."""

    row: dict
    patch: np.ndarray
    whole: float


@torch.no_grad()
def predict(network: torch.nn.Module, bank: ViewBank, rows: list[dict], batch: int = 12) -> list[Prediction]:
    """Runs the network in evaluation mode over the rows, in bf16 where the trunk allows it."""
    network.eval()
    device = next(network.parameters()).device
    predictions = []
    for start in range(0, len(rows), batch):
        chosen = rows[start:start + batch]
        pixels = torch.from_numpy(np.concatenate([bank.views(row) for row in chosen])).to(device)
        with torch.autocast(device.type, torch.bfloat16):
            features = network.features(pixels)
        patch, whole = (logits.float().cpu().numpy() for logits in network.heads(features))
        at = 0
        for row in chosen:
            end = at + row["count"]
            predictions.append(Prediction(row, patch[at:end - 1], float(whole[end - 1])))
            at = end
    return predictions


def save(predictions: list[Prediction], path) -> None:
    """Writes predictions to an npz file."""
    np.savez_compressed(path, rows=np.array([repr(p.row) for p in predictions]),
                        patch=np.concatenate([p.patch for p in predictions]),
                        counts=np.array([len(p.patch) for p in predictions]), whole=np.array([p.whole for p in predictions]))
