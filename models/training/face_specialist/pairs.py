"""Genuine faces of the training part with their landmarks, and a fake twin of each, treated as the face itself is."""

from dataclasses import dataclass

import numpy as np

from face_specialist.align import MARGIN
from face_specialist.fakes import GENERATED_KINDS, Face, FakeMaker, Mix, draw_kind
from face_specialist.landmarks import LEAST_CONFIDENCE, LandmarkFinder
from face_specialist.lowres import enlarged_face
from face_specialist.roster import FacePicture
from face_specialist.stored import FaceStore
from face_specialist.treatment import treat

CANDIDATES = 40
"""Other people among whom a swap chooses the one whose pose and colour are nearest."""
COLOUR_WEIGHT = 0.5
"""A difference of ten grey levels counts as one of this many per cent of the crop's side in the landmarks."""


@dataclass(frozen=True)
class StoredFace:
    """A face of a picture in a store: which crop, and where nothing can be drawn on it, `points` is None."""

    owner: FacePicture
    index: int
    points: np.ndarray | None
    colour: np.ndarray | None

    @property
    def name(self) -> str:
        """Names the face among all: its picture's hash and its number there."""
        return f"{self.owner.picture.sha256[:16]}.{self.index}"


class FacePool:
    """All stored faces of the training part."""

    def __init__(self, stores: list[FaceStore], owners: list[FacePicture], finder: LandmarkFinder):
        by_hash = {owner.picture.sha256: owner for owner in owners}
        self._places = {}
        self.faces: list[StoredFace] = []
        for store in stores:
            for stored in store.pictures:
                owner = by_hash[stored.picture.sha256]
                for index in range(stored.count):
                    face = self._describe(owner, index, store.crop(stored, index), finder)
                    self._places[face.name] = (store, stored)
                    self.faces.append(face)
        self.drawable = [face for face in self.faces if face.points is not None]

    @staticmethod
    def _describe(owner: FacePicture, index: int, crop: np.ndarray, finder: LandmarkFinder) -> StoredFace:
        """Landmarks and mean colour of a face that fakes are made of."""
        if not owner.is_photograph:
            return StoredFace(owner, index, None, None)
        points, confidence = finder.find(np.ascontiguousarray(crop), MARGIN)
        if confidence < LEAST_CONFIDENCE:
            return StoredFace(owner, index, None, None)
        left, top = np.clip(points[27:36].min(axis=0).astype(int) - 12, 0, None)
        right, bottom = points[27:36].max(axis=0).astype(int) + 12
        return StoredFace(owner, index, points, crop[top:bottom, left:right].mean(axis=(0, 1)))

    def pixels(self, face: StoredFace) -> np.ndarray:
        """The stored crop uint8 [288,288,3]."""
        store, stored = self._places[face.name]
        return np.ascontiguousarray(store.crop(stored, face.index))

    def partner(self, face: StoredFace, random: np.random.Generator) -> StoredFace:
        """Another person, alike in pose and colour."""
        drawn = [self.drawable[index] for index in random.integers(0, len(self.drawable), CANDIDATES)]
        side_px = self.pixels(face).shape[0]

        def distance(other: StoredFace) -> float:
            if other.owner.group == face.owner.group:
                return np.inf
            pose = np.abs(other.points - face.points).mean() / side_px * 100
            return float(pose + COLOUR_WEIGHT * np.abs(other.colour - face.colour).mean() / 10)

        return min(drawn, key=distance)


def views_of(face: StoredFace, pool: FacePool, maker: FakeMaker, mix: Mix, seed: int) -> list[tuple[dict, np.ndarray]]:
    """(line, view) of a face: itself, and a fake twin of a random kind where one can be made. `seed` names the round."""
    owner = face.owner
    key = [seed, int(owner.picture.sha256[:12], 16), face.index]
    line = {"sha256": owner.picture.sha256, "source": owner.picture.source, "kind": owner.picture.kind,
            "content": owner.picture.content, "group": owner.group, "side_px": None}
    pixels, drawn = pool.pixels(face), np.random.default_rng([*key, 2])
    if face.points is not None and drawn.random() < mix.enlarged:
        pixels = enlarged_face(pixels, drawn)
    rows = [({**line, "label": owner.label, "method": owner.method, "pair": ""}, treat(pixels, np.random.default_rng(key)))]
    if face.points is None:
        return rows
    rows[0][0]["pair"] = f"{face.name}.{seed}"
    random = np.random.default_rng([*key, 1])
    kind, other = draw_kind(mix, random), pool.partner(face, random)
    fake = maker.make(kind, Face(pixels, face.points), Face(pool.pixels(other), other.points), random)
    made = {"label": "generated" if kind in GENERATED_KINDS else "manipulated", "method": kind, "pair": f"{face.name}.{seed}"}
    return [*rows, ({**line, **made}, treat(fake, np.random.default_rng(key)))]
