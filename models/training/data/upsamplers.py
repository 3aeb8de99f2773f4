"""Autoencoders of our own, one for each way in which a generator's decoder enlarges its maps.

    python -m data.upsamplers --planes PLANES --out UPSAMPLERS [--steps 600]

What a generator leaves on a picture comes most of all from its upsampling. The tiny autoencoders of latent diffusion all
enlarge by nearest neighbours; GANs, pixel diffusion and others do it otherwise. These networks are small, trained in
minutes on genuine pictures of the training part, and near lossless: they lend their traces and little else.
"""
import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from data.plane_store import PlaneStore

CROP_PX, BATCH, WIDTH = 80, 8, 64


@dataclass(frozen=True)
class Design:
    """How one of them enlarges: `stride` of its latents, their number, and whether they are rounded to eight levels."""

    kind: str
    stride: int
    latents: int
    rounded: bool = False


DESIGNS = {
    "transposed4": Design("transposed", 4, 24),
    "transposed8": Design("transposed", 8, 96),
    "overlapped4": Design("overlapped", 4, 24),
    "overlapped8": Design("overlapped", 8, 96),
    "shuffled4": Design("shuffled", 4, 24),
    "rounded8": Design("shuffled", 8, 96, rounded=True),
}


def upsampler(kind: str) -> nn.Module:
    """[N,WIDTH,H,W] -> [N,WIDTH,2H,2W]."""
    match kind:
        case "transposed":
            return nn.ConvTranspose2d(WIDTH, WIDTH, 4, stride=2, padding=1)
        case "overlapped":
            # a kernel that its stride does not divide: the checkerboard of early GANs
            return nn.ConvTranspose2d(WIDTH, WIDTH, 3, stride=2, padding=1, output_padding=1)
        case "shuffled":
            return nn.Sequential(nn.Conv2d(WIDTH, 4 * WIDTH, 3, padding=1), nn.PixelShuffle(2))
    raise ValueError(f"no such upsampler: {kind}")


class OwnAutoencoder(nn.Module):
    """Blocks of pixels to latents by a matrix, the design's upsamplers up."""

    def __init__(self, design: Design):
        super().__init__()
        doublings = design.stride.bit_length() - 1
        self.encoder = nn.Sequential(nn.PixelUnshuffle(design.stride), nn.Conv2d(3 * design.stride**2, design.latents, 1))
        up = [nn.Conv2d(design.latents, WIDTH, 1)]
        for _ in range(doublings):
            up += [upsampler(design.kind), nn.Conv2d(WIDTH, WIDTH, 3, padding=1), nn.SiLU()]
        self.decoder = nn.Sequential(*up, nn.Conv2d(WIDTH, 3, 3, padding=1))
        self._rounded = design.rounded

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """RGB [N,3,H,W] in -1..1, sides multiples of 8, to its reconstruction."""
        latents = self.encoder(x)
        if self._rounded:
            latents = torch.tanh(latents) * 3.5
            latents = latents + (torch.round(latents + 0.5) - 0.5 - latents).detach()
        return self.decoder(latents)

    @torch.no_grad()
    def reconstruct(self, pixels: np.ndarray) -> np.ndarray:
        """uint8 [H,W,3] with sides multiples of 8 -> its reconstruction, the same shape."""
        x = torch.from_numpy(np.ascontiguousarray(pixels)).permute(2, 0, 1)[None].float() / 127.5 - 1
        with torch.autocast("cpu", torch.bfloat16):
            rebuilt = self(x.contiguous(memory_format=torch.channels_last))
        return ((rebuilt[0].float() + 1) * 127.5).round().clamp(0, 255).byte().permute(1, 2, 0).numpy()


def crops(store: PlaneStore, rng: np.random.Generator) -> torch.Tensor:
    """A batch of genuine crops, RGB [BATCH,3,CROP_PX,CROP_PX] in -1..1."""
    genuine = [picture for picture in store.pictures if not picture.is_ai]
    batch = np.empty((BATCH, CROP_PX, CROP_PX, 3), np.uint8)
    for index in range(BATCH):
        while True:
            planes = genuine[int(rng.integers(len(genuine)))].planes
            plane = planes[int(rng.integers(len(planes)))]
            if min(plane.height, plane.width) >= CROP_PX:
                break
        top, left = (int(rng.integers(0, side - CROP_PX + 1)) for side in (plane.height, plane.width))
        batch[index] = store.pixels(plane)[top:top + CROP_PX, left:left + CROP_PX]
    return torch.from_numpy(batch).permute(0, 3, 1, 2).float() / 127.5 - 1


def train(store: PlaneStore, design: Design, steps: int, seed: int) -> tuple[OwnAutoencoder, float]:
    """A trained autoencoder, and its peak signal-to-noise ratio in dB over the last tenth of the steps.

    The spectrum's magnitude counts beside the pixels, so that it does not buy its small error with blur.
    """
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    network = OwnAutoencoder(design).to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(network.parameters(), 2e-3, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 3e-3, total_steps=steps, pct_start=0.1)
    errors = []
    for _ in range(steps):
        wanted = crops(store, rng)
        with torch.autocast("cpu", torch.bfloat16):
            rebuilt = network(wanted.contiguous(memory_format=torch.channels_last))
        rebuilt = rebuilt.float()
        spectra = [torch.log1p(torch.fft.rfft2(values).abs()) for values in (rebuilt, wanted)]
        loss = F.l1_loss(rebuilt, wanted) + 0.05 * F.l1_loss(*spectra)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        errors.append(F.mse_loss(rebuilt.detach().clamp(-1, 1), wanted).item() / 4)
    return network.eval(), float(-10 * np.log10(np.mean(errors[-max(1, steps // 10):])))


def load(folder: Path) -> dict[str, OwnAutoencoder]:
    """The autoencoders that the command left, by name."""
    networks = {}
    for name, design in DESIGNS.items():
        networks[name] = OwnAutoencoder(design).to(memory_format=torch.channels_last).eval()
        networks[name].load_state_dict(torch.load(folder / f"{name}.pt", weights_only=True))
    return networks


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--planes", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    arguments.out.mkdir(parents=True, exist_ok=True)
    store = PlaneStore(arguments.planes)
    for seed, (name, design) in enumerate(DESIGNS.items()):
        network, decibels = train(store, design, arguments.steps, seed)
        torch.save(network.state_dict(), arguments.out / f"{name}.pt")
        print(f"{name}: {decibels:.1f} dB", flush=True)


if __name__ == "__main__":
    main()
