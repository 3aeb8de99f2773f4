"""Sizes of aligned face crops: what is stored, what the network sees of it, and which faces are taken."""

import numpy as np

from face_specialist.align import TEMPLATE

SIDE_PX = 288
"""Side of a stored crop."""
MARGIN = 1.25
"""A stored crop shows this many times the side that the network sees, so that training can shift, turn and scale."""
SMALLEST_FACE_PX = 64
MOST_FACES = 6
LOWEST_SCORE = 0.8
"""Finder's score: surer than the engine's, since a wrong crop would be a wrong label in training."""


def margin_template() -> np.ndarray:
    """The template in a stored crop: the same face, smaller by MARGIN about the middle."""
    return (TEMPLATE - 0.5) / MARGIN + 0.5
