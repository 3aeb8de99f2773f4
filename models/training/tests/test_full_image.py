"""Tests of the full-image heads' training data: pairs that differ only in an autoencoder's traces, and weights."""

import cv2
import numpy as np
import pytest

from data.split import ListedImage
from encoder.continue_training import tune_head
from encoder.export import FoldedHead
from encoder.heads import HeadSettings, logits_of
from full_image.hard_negatives import DOUBTED, doubt_weights
from full_image.pairs import CUTS, pair_rows
from full_image.train import BOTH_CLASSES, PAIRED, row_weights


class Identity:
    """Replaces an autoencoder in tests and changes nothing."""

    def reconstruct(self, pixels: np.ndarray) -> np.ndarray:
        """Returns the same pixels. Requires sides that are multiples of 8, like a real autoencoder."""
        assert not any(side % 8 for side in pixels.shape[:2])
        return pixels.copy()


class Dimmer(Identity):
    """Replaces an autoencoder in tests and darkens the image visibly."""

    def reconstruct(self, pixels: np.ndarray) -> np.ndarray:
        """Returns the image half as bright."""
        return super().reconstruct(pixels) // 2


@pytest.fixture
def image(tmp_path) -> ListedImage:
    """Writes a genuine image whose sides are not multiples of 8."""
    pixels = np.random.default_rng(1).integers(0, 256, (61, 83, 3), np.uint8).repeat(9, 0).repeat(9, 1)
    cv2.imwrite(str(tmp_path / "one.png"), pixels)
    described = (False, "some/repository", "none", "camera", "nature", "train", 747, 549)
    return ListedImage(tmp_path / "one.png", "0123456789abcdef", *described)


def test_a_pair_meets_the_same_crop_and_perturbation(image):
    rows = next(pair_rows([image], {"taesd": Identity()}, 1, set()))
    assert [(line["crop"], line["is_ai"], line["generator"]) for line, _ in rows] == [
        (kind, *member) for kind in CUTS for member in ((False, "none"), (True, "taesd"))
    ]
    for (_, genuine), (_, rebuilt) in zip(rows[::2], rows[1::2], strict=True):
        assert np.array_equal(genuine, rebuilt)


def test_a_pair_differs_where_the_autoencoder_leaves_a_trace(image):
    rows = next(pair_rows([image], {"taesd": Dimmer()}, 1, set()))
    for (_, genuine), (_, rebuilt) in zip(rows[::2], rows[1::2], strict=True):
        assert 0.3 < rebuilt.mean() / genuine.mean() < 0.7


def test_images_that_are_done_are_left_out(image):
    assert list(pair_rows([image], {"taesd": Identity()}, 1, {image.sha256})) == []


def test_pairs_get_their_share_of_the_draws_and_no_more():
    line = {"source": "a/b", "generator": "none", "kind": "camera"}
    labels, in_pairs = np.array([0, 1, 0, 1, 0, 1]), np.array([False, False, False, False, True, True])
    weights = row_weights([line] * 6, labels, in_pairs)
    assert weights.sum() == pytest.approx(1)
    assert weights[in_pairs] == pytest.approx([PAIRED / 2] * 2)
    assert row_weights([line] * 4, labels[:4], in_pairs[:4]).sum() == pytest.approx(1)


def a_head(random: np.random.Generator, features: int) -> FoldedHead:
    """Makes a head of 64 units with small weights."""
    small = lambda *shape: random.normal(0, 0.1, shape).astype(np.float32)
    return FoldedHead(["whole"], small(features, 64), small(64), small(64, 1), small(1))


def test_a_third_of_the_draws_is_from_sources_with_both_classes():
    """Weights of two such sources and two others, in which the trio of a genuine image counts as one class."""

    def line(source: str, is_ai: bool, **more: str) -> dict:
        return {"source": source, "generator": "a" if is_ai else "none", "kind": "photo", "is_ai": is_ai, **more}

    lines = [line("both/a", True), line("both/a", False), *[line("ai/b", True)] * 3]
    lines += [line("genuine/c", False, cut="trio"), line("genuine/c", True, cut="trio")]
    labels = np.array([row["is_ai"] for row in lines]).astype(int)
    weights = row_weights(lines, labels, np.zeros(len(lines), bool))
    assert weights[:2] == pytest.approx([BOTH_CLASSES / 2] * 2)
    assert weights[labels == 1].sum() == pytest.approx(0.5)
    assert weights.sum() == pytest.approx(1)
    of_one_source = row_weights(lines[:2], labels[:2], np.zeros(2, bool))
    assert of_one_source == pytest.approx([0.5, 0.5])


def test_genuine_crops_are_drawn_by_how_much_they_are_doubted():
    weights = doubt_weights(np.full(4, 0.25), np.array([0, 0, 1, 1]), np.array([50.0, -50.0, 50.0, -50.0]))
    assert weights == pytest.approx([0.5 * (1 + DOUBTED) / (2 + DOUBTED), 0.5 / (2 + DOUBTED), 0.25, 0.25])


def test_a_hard_round_starts_at_the_head_and_learns_what_it_got_wrong():
    random = np.random.default_rng(1)
    labels = np.arange(400) % 2
    features = random.normal(3, 2, (400, 40)).astype(np.float16)
    features[:, 0] += 4 * labels
    head, weights = a_head(random, 40), np.full(400, 1 / 400)
    before = logits_of(head, features)[:, 0]
    tuned = tune_head(head, features, labels, weights, HeadSettings(steps=200, rate=3e-5))
    after = logits_of(tuned, features)[:, 0]
    assert np.corrcoef(before, after)[0, 1] > 0.9, "few steps from where it was"
    gap = lambda logits: logits[labels == 1].mean() - logits[labels == 0].mean()
    assert gap(after) > gap(before)
