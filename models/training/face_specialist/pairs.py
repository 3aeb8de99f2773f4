"""Pairs of a genuine training face and a fake made from it, both cut and degraded in the same way.

Input: folders of `face_specialist.stored`. Output: (line, crop uint8 [224,224,3]).
"""

from dataclasses import dataclass

import numpy as np

from face_specialist.align import MARGIN
from face_specialist.fakes import GENERATED_KINDS, Face, FakeMaker, Mix, draw_kind
from face_specialist.landmarks import MIN_CONFIDENCE, LandmarkDetector
from face_specialist.lowres import enlarged_face
from face_specialist.perturbation import perturb
from face_specialist.roster import FaceImage
from face_specialist.stored import FaceStore

CANDIDATES = 40
"""Number of other people among whom the one with the most similar pose and colour is chosen for a swap."""
COLOUR_WEIGHT = 0.5
"""Weight of the colour difference in this choice: ten grey levels count like landmarks this percentage of the crop's side apart."""


@dataclass(frozen=True)
class StoredFace:
    """A stored face: its image and the index of its crop. `points` is missing if no fake can be made from the face."""

    entry: FaceImage
    index: int
    points: np.ndarray | None
    colour: np.ndarray | None

    @property
    def name(self) -> str:
        """Returns a unique name: the hash of the image and the number of the face."""
        return f"{self.entry.image.sha256[:16]}.{self.index}"


class FacePool:
    """All stored faces of the training split."""

    def __init__(self, stores: list[FaceStore], entries: list[FaceImage], detector: LandmarkDetector):
        by_hash = {entry.image.sha256: entry for entry in entries}
        self._places = {}
        self.faces: list[StoredFace] = []
        for store in stores:
            for stored in store.images:
                entry = by_hash[stored.image.sha256]
                for index in range(stored.count):
                    face = self._describe(entry, index, store.crop(stored, index), detector)
                    self._places[face.name] = (store, stored)
                    self.faces.append(face)
        self.drawable = [face for face in self.faces if face.points is not None]

    @staticmethod
    def _describe(entry: FaceImage, index: int, crop: np.ndarray, detector: LandmarkDetector) -> StoredFace:
        """Finds the landmarks and the mean colour of a face from which fakes are made."""
        if not entry.is_photograph:
            return StoredFace(entry, index, None, None)
        points, confidence = detector.detect(np.ascontiguousarray(crop), MARGIN)
        if confidence < MIN_CONFIDENCE:
            return StoredFace(entry, index, None, None)
        left, top = np.clip(points[27:36].min(axis=0).astype(int) - 12, 0, None)
        right, bottom = points[27:36].max(axis=0).astype(int) + 12
        return StoredFace(entry, index, points, crop[top:bottom, left:right].mean(axis=(0, 1)))

    def pixels(self, face: StoredFace) -> np.ndarray:
        """Reads the stored crop of a face, uint8 [288,288,3]."""
        store, stored = self._places[face.name]
        return np.ascontiguousarray(store.crop(stored, face.index))

    def partner(self, face: StoredFace, random: np.random.Generator) -> StoredFace:
        """Chooses another person with a similar pose and colour."""
        drawn = [self.drawable[index] for index in random.integers(0, len(self.drawable), CANDIDATES)]
        side_px = self.pixels(face).shape[0]

        def distance(other: StoredFace) -> float:
            if other.entry.group == face.entry.group:
                return np.inf
            pose = np.abs(other.points - face.points).mean() / side_px * 100
            return float(pose + COLOUR_WEIGHT * np.abs(other.colour - face.colour).mean() / 10)

        return min(drawn, key=distance)


def crops_of(face: StoredFace, pool: FacePool, maker: FakeMaker, mix: Mix, seed: int) -> list[tuple[dict, np.ndarray]]:
    """Cuts a face and, if possible, a fake of a random kind made from it. Returns (line, crop) pairs.

    `seed` determines the random choices.
    """
    entry = face.entry
    key = [seed, int(entry.image.sha256[:12], 16), face.index]
    line = entry.line() | {"side_px": None}
    pixels, drawn = pool.pixels(face), np.random.default_rng([*key, 2])
    if face.points is not None and drawn.random() < mix.enlarged:
        pixels = enlarged_face(pixels, drawn)
    rows = [({**line, "pair": ""}, perturb(pixels, np.random.default_rng(key)))]
    if face.points is None:
        return rows
    rows[0][0]["pair"] = f"{face.name}.{seed}"
    random = np.random.default_rng([*key, 1])
    kind, other = draw_kind(mix, random), pool.partner(face, random)
    fake = maker.make(kind, Face(pixels, face.points), Face(pool.pixels(other), other.points), random)
    label = "generated" if kind in GENERATED_KINDS else "manipulated"
    made = {"label": label, "method": kind, "pair": f"{face.name}.{seed}"}
    return [*rows, ({**line, **made}, perturb(fake, np.random.default_rng(key)))]
