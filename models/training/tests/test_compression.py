"""Tests of the correction for compression: levels are told apart, and logits change by the offset of their level."""

import numpy as np
import pytest

from encoder.export import FoldedHead
from encoder.heads import logits_of
from full_image import compression
from measure.score_file import Scores

RNG = np.random.default_rng(1)
LEVELS = np.repeat(list(compression.LEVELS), 200)


def features_of(shift: dict[str, float]) -> np.ndarray:
    """Makes features float16 [600,16] whose first numbers are higher, the more an image is compressed."""
    values = RNG.normal(0, 0.05, (len(LEVELS), 16))
    values[:, :4] += np.array([shift[level] for level in LEVELS])[:, None]
    return values.astype(np.float16)


def test_offsets_are_how_much_higher_the_thresholds_of_compressed_images_lie():
    labels = np.tile([0, 0, 1, 1], 150)
    odds = np.tile(np.linspace(-4, 0, 200), 3) + np.repeat([0, 0.5, 1.25], 200)
    text = np.full(len(odds), "x")
    scores = Scores(text, labels, text, text, text, text, LEVELS, 1 / (1 + np.exp(-odds)), np.zeros(len(odds)))
    assert compression.offsets_of(scores) == pytest.approx({"clean": 0, "web": 0.5, "hard": 1.25}, abs=1e-4)


def test_levels_with_equal_thresholds_are_refused():
    with pytest.raises(ValueError, match="nothing to correct"):
        compression.correct({}, [], np.zeros((0, 16), np.float16), {"clean": 0.0, "web": 0.0}, {"kinds": {}})


def test_a_corrected_head_subtracts_a_measure_of_compression_that_is_limited():
    features = features_of({"clean": 0.0, "web": 0.6, "hard": 1.0})
    head = FoldedHead(["whole"], *(RNG.normal(0, 0.3, size) for size in ((16, 3), 3, (3, 1), 1)))
    measure = compression.fit_measure(features, np.repeat([0.0, 0.6, 1.0], 200))
    corrected = measure.corrected(head, 0.9)
    by = lambda values: (logits_of(corrected, values) - logits_of(head, values))[:, 0]
    for level, wanted in zip(compression.LEVELS, (0.0, -0.54, -0.9), strict=True):
        assert abs(by(features)[level == LEVELS].mean() - wanted) < 0.1, level
    assert np.allclose(by(features - 5), 0, atol=1e-3), "sharper than all images: no bonus"
    assert np.allclose(by(features + 5), -0.9 * compression.MAX_MEASURE, atol=1e-3), "more compressed than all images"
