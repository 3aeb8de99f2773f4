"""Draws training views: degraded native patches and global views, balanced over classes, sources and generators."""
from collections import defaultdict
from dataclasses import dataclass

import cv2
import numpy as np
import torch

from data.degrade import degrade, rescale, resize
from data.plane_store import PlaneStore, StoredPicture
from full_image.patches import texture_energy


LOWEST_SCALE, HIGHEST_SCALE = 0.4, 1.3
THUMBNAIL_PX = 288
"""Large pictures are shrunk to this longer side at most: AI pictures are large here, and small must not mean genuine."""


@dataclass(frozen=True)
class SampleConfig:
    """What the sampler draws. `px` view size; `global_share` of views that are global; `matched`: degrade at all;
    `textured_share` of patches are the most textured of three, as the engine chooses them."""

    px: int = 128
    global_share: float = 0.15
    native_share: float = 0.25
    matched: bool = True
    fake_share: float = 0.0
    textured_share: float = 0.6


class PictureDraw:
    """Draws pictures of one class: a (source, generator) cell by the square root of its size, then a picture by weight."""

    def __init__(self, pictures: list[StoredPicture], weights: dict[str, float]):
        cells = defaultdict(list)
        for picture in pictures:
            cells[(picture.source, picture.generator)].append(picture)
        self._cells = list(cells.values())
        sizes = np.sqrt([len(cell) for cell in self._cells])
        self._cell_shares = np.cumsum(sizes / sizes.sum())
        self._picture_shares = []
        for cell in self._cells:
            raw = np.array([weights.get(picture.sha256, 1.0) for picture in cell])
            self._picture_shares.append(np.cumsum(raw / raw.sum()))

    def draw(self, rng: np.random.Generator) -> StoredPicture:
        """One picture."""
        cell = min(int(np.searchsorted(self._cell_shares, rng.random())), len(self._cells) - 1)
        index = min(int(np.searchsorted(self._picture_shares[cell], rng.random())), len(self._cells[cell]) - 1)
        return self._cells[cell][index]


def random_patch(pixels: np.ndarray, config: SampleConfig, rng: np.random.Generator) -> np.ndarray:
    """A degraded patch [px,px,3]: a region rescaled (or left native), degraded, then cut off the JPEG grid."""
    short = min(pixels.shape[:2])
    native = not config.matched or rng.random() < config.native_share
    lowest = min(LOWEST_SCALE, THUMBNAIL_PX / max(pixels.shape))
    scale = 1.0 if native else float(np.exp(rng.uniform(np.log(lowest), np.log(HIGHEST_SCALE))))
    scale = max(scale, config.px / short)
    margin = int(rng.integers(0, 17))
    region_px = min(short, int(np.ceil((config.px + margin) / scale)))
    region = np.ascontiguousarray(draw_region(pixels, region_px, config.textured_share, rng))
    if scale != 1.0:
        region = rescale(region, scale, rng)
    if config.matched:
        region = degrade(region, rng)
    return random_crop(region, config.px, rng)


def draw_region(pixels: np.ndarray, side: int, textured_share: float, rng: np.random.Generator) -> np.ndarray:
    """A random square region, in a share of the draws the most textured of three."""
    regions = []
    for _ in range(3 if rng.random() < textured_share else 1):
        top = int(rng.integers(0, pixels.shape[0] - side + 1))
        left = int(rng.integers(0, pixels.shape[1] - side + 1))
        regions.append(pixels[top:top + side, left:left + side])
    return max(regions, key=lambda region: texture_energy(region[::2, ::2])) if len(regions) > 1 else regions[0]


def random_crop(region: np.ndarray, px: int, rng: np.random.Generator) -> np.ndarray:
    """A random [px,px,3] crop, mirrored half of the time; rounding losses of a pixel or two are made up by edge rows."""
    missing = max(0, px - region.shape[0]), max(0, px - region.shape[1])
    if any(missing):
        region = cv2.copyMakeBorder(region, 0, missing[0], 0, missing[1], cv2.BORDER_REFLECT_101)
    top = int(rng.integers(0, region.shape[0] - px + 1))
    left = int(rng.integers(0, region.shape[1] - px + 1))
    crop = region[top:top + px, left:left + px]
    return crop[:, ::-1] if rng.random() < 0.5 else crop


def random_global(pixels: np.ndarray, config: SampleConfig, rng: np.random.Generator) -> np.ndarray:
    """A global view [px,px,3]: most of the picture, degraded at a random delivery size, squeezed to the square."""
    height, width = pixels.shape[:2]
    share = rng.uniform(0.65, 1.0, 2)
    crop_height, crop_width = int(height * share[0]), int(width * share[1])
    top, left = int(rng.integers(0, height - crop_height + 1)), int(rng.integers(0, width - crop_width + 1))
    view = np.ascontiguousarray(pixels[top:top + crop_height, left:left + crop_width])
    if config.matched:
        long_side = float(np.exp(rng.uniform(np.log(256), np.log(640))))
        view = degrade(rescale(view, min(1.0, long_side / max(view.shape)), rng), rng)
    view = resize(view, config.px, config.px)
    return view[:, ::-1] if rng.random() < 0.5 else view


class Samples(torch.utils.data.IterableDataset):
    """Endless batches: uint8 pixels [B,px,px,3], float labels [B] in 0..1, bool is_global [B]."""

    def __init__(self, store: PlaneStore, config: SampleConfig, batch: int, seed: int,
                 weights: dict[str, float] | None = None, pairs: "object | None" = None):
        self._store, self._config, self._batch, self._seed, self._pairs = store, config, batch, seed, pairs
        self._draws = [PictureDraw([p for p in store.pictures if p.is_ai == is_ai], weights or {}) for is_ai in (False, True)]

    def view(self, is_ai: bool, is_global: bool, rng: np.random.Generator) -> np.ndarray:
        """One view of a drawn picture of the class."""
        picture = self._draws[is_ai].draw(rng)
        if is_global:
            return random_global(self._store.pixels(picture.planes[0]), self._config, rng)
        plane = picture.planes[int(rng.integers(len(picture.planes)))]
        return random_patch(self._store.pixels(plane), self._config, rng)

    def __iter__(self):
        """Batches of half genuine, half AI views."""
        worker = torch.utils.data.get_worker_info()
        cv2.setNumThreads(1)
        rng = np.random.default_rng([self._seed, worker.id if worker else 0])
        config = self._config
        while True:
            pixels = np.empty((self._batch, config.px, config.px, 3), np.uint8)
            labels = np.empty(self._batch, np.float32)
            is_global = rng.random(self._batch) < config.global_share
            for index in range(self._batch):
                is_ai = bool(index % 2)
                labels[index] = float(is_ai)
                if self._pairs is not None and not is_global[index] and rng.random() < config.fake_share:
                    region, labels[index] = self._pairs.fake(rng) if is_ai else (self._pairs.genuine(rng), 0.0)
                    pixels[index] = random_patch(region, config, rng)
                else:
                    pixels[index] = self.view(is_ai, bool(is_global[index]), rng)
            yield torch.from_numpy(pixels), torch.from_numpy(labels), torch.from_numpy(is_global)
