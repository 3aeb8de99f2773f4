"""What the token head says most surely of a part of a view."""

import numpy as np

PEAK_KIND, PEAK_SIDE = "whole", 3
"""The kind of view whose peak speaks for a picture (full_image.part): it shows most of it. And the tokens on a side of the part."""


def peak_of(tokens: np.ndarray, side: int = PEAK_SIDE) -> float:
    """The highest mean of side x side neighbours among a view's token logits float [196], row by row."""
    count = round(len(tokens) ** 0.5)
    windows = np.lib.stride_tricks.sliding_window_view(tokens.reshape(count, count).astype(np.float64), (side, side), axis=(0, 1))
    return float(windows.mean((2, 3)).max())
