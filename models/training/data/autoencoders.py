"""Tiny autoencoders (taesd by madebyollin, MIT) of image generators: they leave a generator's traces on a real image.

Image generators work on a compressed form of the image, called latents. There are five families: SD 1, SDXL, SD 3,
FLUX.1 and FLUX.2. Pixels are RGB from 0 to 1, and the sides of an image are multiples of 8. The numbers of the layers
are those in the weight files.
"""

from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from torch import nn

from export.arithmetic import fast_products

FAMILIES = {"taesd": 4, "taesdxl": 4, "taesd3": 16, "taef1": 16, "taef2": 32}
"""Number of latent channels of each family, by the file name of its weights without extension."""


class Block(nn.Module):
    """Three convolutions with a shortcut, which starts with a normalised 1x1 convolution in a `pooled` block."""

    def __init__(self, pooled: bool = False):
        super().__init__()
        conv = lambda: nn.Conv2d(64, 64, 3, padding=1)
        self.conv = nn.Sequential(conv(), nn.ReLU(), conv(), nn.ReLU(), conv())
        self.pool = (
            nn.Sequential(
                nn.Conv2d(64, 256, 1, bias=False), nn.GroupNorm(4, 256), nn.ReLU(), nn.Conv2d(256, 64, 1, bias=False)
            )
            if pooled
            else None
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Maps [N,64,H,W] to the same shape."""
        if self.pool is not None:
            x = x + self.pool(x)
        return torch.relu(self.conv(x) + x)


def blocks() -> list[Block]:
    """Makes the three blocks of a stage."""
    return [Block(), Block(), Block()]


class SoftClamp(nn.Module):
    """Limits latents smoothly to the range -3 to 3."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Maps any shape to the same shape."""
        return torch.tanh(x / 3) * 3


def build_encoder(latents: int, pooled: bool) -> nn.Sequential:
    """Builds the encoder: RGB [N,3,H,W] to latents [N,latents,H/8,W/8]."""
    down = lambda: nn.Conv2d(64, 64, 3, stride=2, padding=1, bias=False)
    first = nn.Conv2d(3, 64, 3, padding=1)
    last = [*(Block(pooled) for _ in range(3)), nn.Conv2d(64, latents, 3, padding=1)]
    return nn.Sequential(first, Block(), down(), *blocks(), down(), *blocks(), down(), *last)


def build_decoder(latents: int, pooled: bool) -> nn.Sequential:
    """Builds the decoder: latents to RGB [N,3,H,W]."""
    up = lambda: [nn.Upsample(scale_factor=2), nn.Conv2d(64, 64, 3, padding=1, bias=False)]
    first = [SoftClamp(), nn.Conv2d(latents, 64, 3, padding=1), nn.ReLU(), *(Block(pooled) for _ in range(3))]
    last = [Block(), nn.Conv2d(64, 3, 3, padding=1)]
    return nn.Sequential(*first, *up(), *blocks(), *up(), *blocks(), *up(), *last)


class Autoencoder:
    """Encoder and decoder of one family, on a PyTorch device ("cpu" or "cuda")."""

    def __init__(self, folder: Path, family: str, device: str = "cpu"):
        self.networks, self._device = [], device
        for part, build in (("encoder", build_encoder), ("decoder", build_decoder)):
            path = folder / f"{family}_{part}"
            if path.with_suffix(".safetensors").is_file():
                weights = load_file(path.with_suffix(".safetensors"))
            else:
                weights = torch.load(path.with_suffix(".pth"), map_location="cpu", weights_only=True)
            network = build(FAMILIES[family], any("pool" in key for key in weights))
            network.load_state_dict({key: value.float() for key, value in weights.items()})
            self.networks.append(network.eval().to(device, memory_format=torch.channels_last))

    @torch.no_grad()
    def reconstruct(self, pixels: np.ndarray) -> np.ndarray:
        """Encodes and decodes an image uint8 [H,W,3], whose sides must be multiples of 8."""
        x = torch.from_numpy(np.array(pixels)).to(self._device).permute(2, 0, 1)[None].float() / 255
        # On a GPU, float32 is fast enough.
        with fast_products("cpu"):
            for network in self.networks:
                x = network(x.contiguous(memory_format=torch.channels_last))
        return (x[0].float().clamp(0, 1) * 255).round().byte().permute(1, 2, 0).cpu().numpy()
