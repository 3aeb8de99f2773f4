"""What the full-image specialist's heads learn from, pairs that differ in an autoencoder's traces alone; and the curve over numbers of views."""
import cv2
import numpy as np
import pytest

from data.split import Picture
from encoder.export import FoldedHead
from encoder.continue_training import tune_head
from encoder.heads import HeadSettings, logits_of
from full_image.hard_negatives import DOUBTED, doubt_weights
from full_image.pairs import CUTS, pair_rows
from full_image.plans import PLANS
from full_image.train import PAIRED, row_weights
from studies import arithmetic, curve


class Identity:
    """An autoencoder that loses nothing."""

    def reconstruct(self, pixels: np.ndarray) -> np.ndarray:
        """The same pixels; sides must be multiples of 8, as the real ones want."""
        assert not any(side % 8 for side in pixels.shape[:2])
        return pixels.copy()


class Dimmer(Identity):
    """One that leaves a trace."""

    def reconstruct(self, pixels: np.ndarray) -> np.ndarray:
        """Half as bright."""
        return super().reconstruct(pixels) // 2


@pytest.fixture
def picture(tmp_path) -> Picture:
    """A genuine picture whose sides are no multiples of 8."""
    pixels = np.random.default_rng(1).integers(0, 256, (61, 83, 3), np.uint8).repeat(9, 0).repeat(9, 1)
    cv2.imwrite(str(tmp_path / "one.png"), pixels)
    return Picture(tmp_path / "one.png", "0123456789abcdef", False, "some/repository", "none", "camera", "nature", "train", 747, 549)


def test_a_pair_meets_the_same_crop_and_treatment(picture):
    rows = next(pair_rows([picture], {"taesd": Identity()}, 1, set()))
    assert [(line["view"], line["is_ai"], line["generator"]) for line, _ in rows] == [
        (kind, *member) for kind in CUTS for member in ((False, "none"), (True, "taesd"))]
    for (_, genuine), (_, rebuilt) in zip(rows[::2], rows[1::2], strict=True):
        assert np.array_equal(genuine, rebuilt)


def test_a_pair_differs_where_the_autoencoder_leaves_a_trace(picture):
    rows = next(pair_rows([picture], {"taesd": Dimmer()}, 1, set()))
    for (_, genuine), (_, rebuilt) in zip(rows[::2], rows[1::2], strict=True):
        assert 0.3 < rebuilt.mean() / genuine.mean() < 0.7


def test_pictures_that_are_done_are_left_out(picture):
    assert list(pair_rows([picture], {"taesd": Identity()}, 1, {picture.sha256})) == []


def test_pairs_get_their_share_of_the_draws_and_no_more():
    line = {"source": "a/b", "generator": "none", "kind": "camera"}
    labels, in_pairs = np.array([0, 1, 0, 1, 0, 1]), np.array([False, False, False, False, True, True])
    weights = row_weights([line] * 6, labels, in_pairs)
    assert weights.sum() == pytest.approx(1)
    assert weights[in_pairs] == pytest.approx([PAIRED / 2] * 2)
    assert row_weights([line] * 4, labels[:4], in_pairs[:4]).sum() == pytest.approx(1)


class Brightness:
    """Stands for the shipped encoder: every head's logit is a view's mean; counts what it is asked."""

    asked = 0

    def logits(self, view: np.ndarray) -> dict[str, float]:
        """One logit for all kinds."""
        self.asked += 1
        return dict.fromkeys(("whole", "middle", "native"), float(view.mean()))


def test_the_curve_cuts_each_kind_for_each_count_and_asks_no_view_twice():
    models, pixels = Brightness(), np.full((300, 300, 3), 100, np.uint8)
    found = curve.mean_logits(models, pixels)
    assert set(found) == {"whole.1", "middle.1", "middle.2", "native.1", "native.2", "native.3", "native.4", "native.6"}
    assert set(found.values()) == {100.0} and models.asked == 1


def line_of(is_ai: bool, source: str, tier: str, right: float) -> dict:
    """A line of the curve in which middle views tell, and native ones tell nothing."""
    logits = {f"{kind}.{count}": 0.0 for kind, count in (("whole", 1), ("native", 1), ("native", 2), ("native", 3), ("native", 4), ("native", 6))}
    return {"is_ai": is_ai, "source": source, "tier": tier, "logits": logits | {"middle.1": right, "middle.2": right}}


def test_each_plan_of_the_curve_is_judged_by_its_own_cuts():
    rng = np.random.default_rng(3)
    lines = [line_of(is_ai, f"{is_ai}{index % 4}", "clean", (2 if is_ai else -2) + rng.normal(0, 0.1)) for index in range(40) for is_ai in (True, False)]
    kinds = lambda counts: {name: {"count": count, "weight": 0.5} for name, count in zip(("whole", "middle", "native"), counts, strict=True) if count}
    manifest = {"drawn": {"kinds": ["whole"], "scale": 1.0, "offset": 0.0},
                "plans": [{"views": views, "kinds": kinds(counts), "bias": 9.0} for views, counts in PLANS.items()]}
    for line in lines:
        line["logits"]["middle.1"] = 0.0
    table = curve.table(lines, manifest)
    assert "| 4: 1 whole, 2 middle, 1 native | 1.000, 1.00 |" in table and "| 1: 1 middle | 0.500, 0.00 |" in table
    assert "80 pictures, 40 of them AI" in table


def test_arithmetics_are_compared_on_the_same_pictures():
    lines = [{"is_ai": is_ai, "tier": tier, "int8": 0.9 * is_ai, "float": 0.8 * is_ai} for is_ai in (True, False) for tier in ("clean", "web", "hard")]
    table = arithmetic.summary(lines)
    assert "| int8: AUC, recall at 1% | 1.0000, 1.00 |" in table and "| scores apart: median, most | 0.0500, 0.100 |" in table


def a_head(random: np.random.Generator, features: int) -> FoldedHead:
    """A head of 64 units with small weights."""
    small = lambda *shape: random.normal(0, 0.1, shape).astype(np.float32)
    return FoldedHead(["whole"], small(features, 64), small(64), small(64, 1), small(1))


def test_genuine_views_are_drawn_by_how_much_they_are_doubted():
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
    assert after[labels == 1].mean() - after[labels == 0].mean() > before[labels == 1].mean() - before[labels == 0].mean()
