"""Makes fakes like the first deepfakes: one encoder and two decoders, trained on faces of two people, then swapped.

The fakes are used only for the test, so that the face specialist is measured on fakes of an unseen kind.
"""

import cv2
import numpy as np
import torch
from torch import nn

from face_specialist.align import SIDE_PX
from face_specialist.masks import hull_mask

NETWORK_PX, BATCH, STEPS, RATE = 64, 12, 1000, 4e-4
SQUARE = (slice(int(0.22 * SIDE_PX), int(0.84 * SIDE_PX)), slice(int(0.19 * SIDE_PX), int(0.81 * SIDE_PX)))
"""Rows and columns of a stored crop that the network processes: from brows to chin."""


def _up(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(inputs, outputs * 4, 3, padding=1), nn.LeakyReLU(0.1), nn.PixelShuffle(2))


class TwoPeople(nn.Module):
    """An autoencoder with two decoders, for squares float [N,3,64,64] in 0..1 drawn as person 0 or 1."""

    def __init__(self):
        super().__init__()
        widths = (3, 48, 96, 192, 256)
        down = [layer for i in range(4) for layer in (nn.Conv2d(widths[i], widths[i + 1], 5, 2, 2), nn.LeakyReLU(0.1))]
        self.encoder = nn.Sequential(
            *down,
            nn.Flatten(),
            nn.Linear(256 * 16, 256),
            nn.Linear(256, 192 * 16),
            nn.Unflatten(1, (192, 4, 4)),
            _up(192, 128),
        )
        self.decoders = nn.ModuleList(
            nn.Sequential(_up(128, 96), _up(96, 64), _up(64, 32), nn.Conv2d(32, 3, 5, padding=2), nn.Sigmoid())
            for _ in range(2)
        )

    def forward(self, squares: torch.Tensor, person: int) -> torch.Tensor:
        """Draws the faces in the squares as `person`."""
        return self.decoders[person](self.encoder(squares))


def square_of(crop: np.ndarray) -> np.ndarray:
    """Cuts the network's input from a stored crop: float32 [64,64,3] in 0..1."""
    return cv2.resize(crop[SQUARE], (NETWORK_PX, NETWORK_PX), interpolation=cv2.INTER_AREA).astype(np.float32) / 255


def _warped(square: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Distorts a square a little, so that the network learns the person instead of the image."""
    coarse = random.normal(0, 1.6, (5, 5, 2)).astype(np.float32)
    field = cv2.resize(coarse, (NETWORK_PX, NETWORK_PX), interpolation=cv2.INTER_CUBIC)
    y, x = np.mgrid[:NETWORK_PX, :NETWORK_PX].astype(np.float32)
    return cv2.remap(square, x + field[..., 0], y + field[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def train_two_people(crops: tuple[list[np.ndarray], list[np.ndarray]], seed: int = 7, steps: int = STEPS) -> TwoPeople:
    """Trains a network on the stored crops of two people."""
    torch.manual_seed(seed)
    random, network = np.random.default_rng(seed), TwoPeople()
    optimiser = torch.optim.Adam(network.parameters(), RATE, betas=(0.5, 0.999))
    squares = [[square_of(crop) for crop in person] for person in crops]
    for step in range(steps):
        loss = torch.zeros(())
        for person in (0, 1):
            batch = [squares[person][index] for index in random.integers(0, len(squares[person]), BATCH)]
            batch = [square[:, ::-1] if random.random() < 0.5 else square for square in batch]
            batch = [np.clip(square * random.uniform(0.9, 1.1), 0, 1).astype(np.float32) for square in batch]
            given, wanted = (
                torch.from_numpy(np.stack(part)).permute(0, 3, 1, 2)
                for part in ([_warped(square, random) for square in batch], batch)
            )
            loss = loss + (network(given.contiguous(), person) - wanted).abs().mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        if step % 250 == 0 or step + 1 == steps:
            print(f"autoencoder of two people, step {step}: mean difference {float(loss.detach()) / 2:.4f}", flush=True)
    return network.eval()


@torch.no_grad()
def swap_person(
    image: np.ndarray, crop: np.ndarray, points: np.ndarray, matrix: np.ndarray, network: TwoPeople, person: int
) -> np.ndarray:
    """Draws the face in `image` as `person`. `matrix` cut `crop` from the image; `points` are the crop's landmarks."""
    square = torch.from_numpy(square_of(crop)).permute(2, 0, 1)[None]
    made = network(square, person)[0].permute(1, 2, 0).numpy()
    face, mask = crop.astype(np.float32), np.zeros(crop.shape[:2], np.float32)
    rows, columns = (part.stop - part.start for part in SQUARE)
    made = cv2.resize(made, (columns, rows), interpolation=cv2.INTER_CUBIC) * 255
    hull = cv2.erode(hull_mask(points, crop.shape[0], "whole", 0.08), np.ones((9, 9), np.uint8))
    mask[SQUARE] = hull[SQUARE]
    inside = mask[SQUARE] > 0.5
    for channel in range(3):  # adapts mean and deviation of each channel to the image
        values, wanted = made[..., channel][inside], face[SQUARE][..., channel][inside]
        made[..., channel] = (made[..., channel] - values.mean()) * wanted.std() / max(
            float(values.std()), 1.0
        ) + wanted.mean()
    face[SQUARE] = np.clip(made, 0, 255)
    mask = cv2.GaussianBlur(mask, (0, 0), 5)
    size, flags = image.shape[1::-1], cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    face, mask = (cv2.warpAffine(layer, matrix, size, flags=flags) for layer in (face, mask))
    return np.clip(face * mask[..., None] + image * (1 - mask[..., None]) + 0.5, 0, 255).astype(np.uint8)
