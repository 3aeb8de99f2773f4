"""Faces reconstructed by the tiny autoencoders of latent generators: the whole crop, the face alone, or its mouth or eyes."""

from pathlib import Path

import cv2
import numpy as np

from data.autoencoders import FAMILIES, Autoencoder
from face_specialist.masks import REGIONS, paste, soft_mask

SIDES_PX = (128, 160, 192, 256, 288)
"""What the face is resized to before it is encoded, as inpainting and generation at several sizes do."""
RENDERED_PX = (64, 96, 128, 160, 192)
RENDERED_REGIONS = ("mouth", "lower", "eyes")
"""What renders a part of a face anew, as NeuralTextures does a mouth, renders it at a size of its own."""


class Rebuilder:
    """The autoencoders of all families, each read when it is first drawn."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._autoencoders: dict[str, Autoencoder] = {}

    def rebuild(self, face: np.ndarray, random: np.random.Generator, sides_px: tuple[int, ...] = SIDES_PX) -> np.ndarray:
        """The whole crop through one autoencoder, at one of these sizes; the result has the crop's own."""
        family = str(random.choice(list(FAMILIES)))
        if family not in self._autoencoders:
            self._autoencoders[family] = Autoencoder(self._folder, family)
        side_px = int(random.choice(sides_px))
        shrinks = side_px < face.shape[0]
        small = cv2.resize(face, (side_px, side_px), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)
        rebuilt = self._autoencoders[family].reconstruct(small)
        return cv2.resize(rebuilt, face.shape[1::-1], interpolation=cv2.INTER_CUBIC)

    def rebuild_face(self, face: np.ndarray, points: np.ndarray, random: np.random.Generator) -> np.ndarray:
        """The reconstruction inside a soft mask of a part, the crop itself around it."""
        return paste(face, self.rebuild(face, random), soft_mask(points, face.shape[0], random))

    def render_region(self, face: np.ndarray, points: np.ndarray, random: np.random.Generator) -> np.ndarray:
        """The square around the mouth, the lower face or the eyes through one autoencoder, inside a soft mask of that part."""
        region = str(random.choice(RENDERED_REGIONS))
        hull = points[list(REGIONS[region])]
        reach = float(random.uniform(0.6, 0.9) * np.ptp(hull, axis=0).max())
        left, top = np.clip((hull.mean(axis=0) - reach).astype(int), 0, None)
        right, bottom = np.minimum((hull.mean(axis=0) + reach).astype(int), face.shape[1::-1])
        rendered = face.copy()
        rendered[top:bottom, left:right] = self.rebuild(np.ascontiguousarray(face[top:bottom, left:right]), random, RENDERED_PX)
        return paste(face, rendered, soft_mask(points, face.shape[0], random, region))
