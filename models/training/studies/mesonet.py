"""The baseline of the face specialist: Meso4 (Afchar et al., WIFS 2018) from its published Keras weights."""

from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import torch
from torch import nn

SIDE_PX = 256


def load_mesonet(path: Path) -> tuple[int, Callable[[np.ndarray], np.ndarray]]:
    """Side of the crops in px, and a function from uint8 [N,256,256,3] RGB to scores [N], near 1 for fake.

    The network itself says 1 for genuine.
    """
    filters, kernels, inputs, layers = (8, 8, 16, 16), (3, 5, 5, 5), 3, []
    for index, (outputs, kernel) in enumerate(zip(filters, kernels, strict=True)):
        layers += [nn.Conv2d(inputs, outputs, kernel, padding="same"), nn.ReLU(), nn.BatchNorm2d(outputs, eps=1e-3)]
        layers.append(nn.MaxPool2d(4 if index == 3 else 2))
        inputs = outputs
    body = nn.Sequential(*layers).eval()
    head = nn.Sequential(nn.Linear(1024, 16), nn.LeakyReLU(0.1), nn.Linear(16, 1), nn.Sigmoid()).eval()
    with h5py.File(path) as stored:
        groups = {name: stored[name][name] if name in stored[name] else stored[name] for name in stored}

        def read(kind: str) -> list[dict[str, torch.Tensor]]:
            names = sorted((name for name in groups if name.startswith(kind)), key=lambda n: int(n.rsplit("_", 1)[1]))
            return [
                {key.split(":")[0]: torch.from_numpy(np.array(value)) for key, value in groups[name].items()}
                for name in names
            ]

        convolutions, norms, dense = read("conv2d"), read("batch_normalization"), read("dense")
    state = {"convolutions": [m for m in body if isinstance(m, nn.Conv2d)], "norms": [m for m in body if isinstance(m, nn.BatchNorm2d)]}
    for module, weights in zip(state["convolutions"], convolutions, strict=True):
        module.weight.data, module.bias.data = weights["kernel"].permute(3, 2, 0, 1).contiguous(), weights["bias"]
    for module, weights in zip(state["norms"], norms, strict=True):
        module.weight.data, module.bias.data = weights["gamma"], weights["beta"]
        module.running_mean, module.running_var = weights["moving_mean"], weights["moving_variance"]
    for module, weights in zip((head[0], head[2]), dense, strict=True):
        module.weight.data, module.bias.data = weights["kernel"].T.contiguous(), weights["bias"]

    @torch.no_grad()
    def score(crops: np.ndarray) -> np.ndarray:
        values = body(torch.from_numpy(crops).permute(0, 3, 1, 2).float() / 255)
        genuine = head(values.permute(0, 2, 3, 1).flatten(1))[:, 0]
        return 1 - genuine.double().numpy()

    return SIDE_PX, score
