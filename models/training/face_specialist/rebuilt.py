"""Faces reconstructed by the tiny autoencoders of latent generators: the whole crop, or the face alone."""

from pathlib import Path

import cv2
import numpy as np

from data.autoencoders import FAMILIES, Autoencoder
from face_specialist.masks import paste, soft_mask

SIDES_PX = (128, 160, 192, 256, 288)
"""What the face is resized to before it is encoded, as inpainting and generation at several sizes do."""


class Rebuilder:
    """The autoencoders of all families, each read when it is first drawn."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._autoencoders: dict[str, Autoencoder] = {}

    def rebuild(self, face: np.ndarray, random: np.random.Generator) -> np.ndarray:
        """The whole crop through one autoencoder, the same size."""
        family = str(random.choice(list(FAMILIES)))
        if family not in self._autoencoders:
            self._autoencoders[family] = Autoencoder(self._folder, family)
        side_px = int(random.choice(SIDES_PX))
        shrinks = side_px < face.shape[0]
        small = cv2.resize(face, (side_px, side_px), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)
        rebuilt = self._autoencoders[family].reconstruct(small)
        return cv2.resize(rebuilt, face.shape[1::-1], interpolation=cv2.INTER_CUBIC)

    def rebuild_face(self, face: np.ndarray, points: np.ndarray, random: np.random.Generator) -> np.ndarray:
        """The reconstruction inside a soft mask of a part, the crop itself around it."""
        return paste(face, self.rebuild(face, random), soft_mask(points, face.shape[0], random))
