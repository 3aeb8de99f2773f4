"""The few kinds of genuine picture that thresholds hold for and the card reports, from the many that sources.csv tells, and of faces."""

import numpy as np

KINDS = {
    "photograph": ("dataset", "camera", "web-photo", "real-face", "frame", "test-image", "product", "medical", "face"),
    "art": ("art", "illustration", "anime", "comic", "game", "render3d"),
    "screen": ("screenshot",),
    "document": ("scan", "document", "map"),
    "web graphic": ("graphic", "meme"),
    **{face: (face,) for face in ("portrait", "group face", "small face", "video face", "grey face", "drawn face")},
}
_GROUP = {kind: group for group, kinds in KINDS.items() for kind in kinds}


def group_of(kinds: np.ndarray) -> np.ndarray:
    """The group of each kind. Raises KeyError for a kind that sources.csv does not have."""
    return np.array([_GROUP[kind] for kind in kinds])


RECENT = ("anima", "boogu", "chroma", "firefly", "flux", "gpt-image", "grok", "hidream", "ideogram", "imagen-3", "krea", "leonardo", "mage-flow",
          "midjourney-v6", "midjourney-v7", "nano-banana", "niji-6", "qwen", "sd3", "seedream", "sefi", "wan", "z-image", "ernie", "gpt-4o", "gemini")
"""Beginnings of the names of generators that appeared from 2024 on; Firefly and Midjourney 6 by their versions of that year."""


def is_recent(generators: np.ndarray) -> np.ndarray:
    """Whether each generator is of 2024 to 2026."""
    return np.array([generator.startswith(RECENT) for generator in generators])
