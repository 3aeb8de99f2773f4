"""Tests of early exit: images exit early only if more crops would not change their verdict."""

import json

import numpy as np
import pytest

from full_image import early
from full_image.delivered import Delivered, Seen, labels_of
from full_image.plans import score_images, write_manifest

RULE = {"column": "drawn", "kinds": ["whole", "middle"], "scale": 1.0, "offset": 0.0}
LEVELS = ("clean", "web", "hard")


def images_of(count: int, seed: int = 1) -> list[Delivered]:
    """Makes equally many images of both classes at three levels. All crops of an image agree, except for noise."""
    rng, found = np.random.default_rng(seed), []
    for index in range(count):
        for is_ai in (False, True):
            line = {
                "sha256": f"{index}{is_ai}",
                "is_ai": is_ai,
                "source": f"{is_ai}{index % 20}",
                "generator": "x" if is_ai else "none",
                "kind": "generated" if is_ai else "camera",
                "content": "nature",
            }
            middle = rng.normal(2 if is_ai else -4, 1.5)
            illustration = tuple(np.full(crops, rng.normal(-3, 0.3)) for crops in (1, 2, 2))
            found += [
                Delivered(
                    line | {"tier": level},
                    tuple(middle + rng.normal(0, 0.5, crops) for crops in (1, 2, 2)),
                    illustration,
                )
                for level in LEVELS
            ]
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> tuple[list[Delivered], dict]:
    """Returns images, and the manifest that was fitted on them."""
    path, images = tmp_path_factory.mktemp("early") / "manifest.json", images_of(300)
    write_manifest(images, path, {}, RULE)
    return images, json.loads(path.read_text())


def test_a_manifest_says_for_which_model_its_early_exit_is_and_bounds_them_by_margins(made):
    images, manifest = made
    assert manifest["early_exit"]["model"] == f"telltale-{manifest['version']}"
    thresholds = early.thresholds_of(images, score_images(images, manifest, 5))
    for plan, counts in zip(manifest["early_exit"]["rounds"], early.STAGES, strict=True):
        assert (
            plan["views"] == sum(counts) and 0 < plan["bias"] + 10 and min(plan["margin"].values()) >= early.MARGINS[0]
        )
        for domain, bounds in plan["bounds"].items():
            assert (
                bounds["below"]
                < min(by[domain] for by in thresholds.values())
                <= max(by[domain] for by in thresholds.values())
                < bounds["above"]
            )


def test_sure_images_show_few_crops_and_no_more_verdicts_change_than_may(made):
    images, manifest = made
    labels, whole, seen = labels_of(images), score_images(images, manifest, 5), score_images(images, manifest, None)
    assert set(seen.crops) <= {2, 3, 5}
    assert seen.crops[labels == 0].mean() < 3 < whole.crops.mean() == 5
    thresholds = early.thresholds_of(images, whole)
    changed = early.verdicts(seen, thresholds) != early.verdicts(whole, thresholds)
    assert max(changed[labels == label].mean(0).max() for label in (0, 1)) <= early.MAX_CHANGED_SHARE
    ended = seen.crops == 5
    assert np.array_equal(seen.odds[ended], whole.odds[ended])
    assert "another verdict, strict" in early.table(images, manifest)


def test_an_image_ends_at_the_first_round_that_leaves_no_bounds():
    seen = [
        Seen(np.array(odds, float), np.zeros(3), np.full(3, crops))
        for odds, crops in (([1, 2, 3], 1), ([4, 5, 6], 3), ([7, 8, 9], 5))
    ]
    joined = early.combine_stages(seen, [np.array([True, False, False]), np.array([True, True, False])])
    assert joined.odds.tolist() == [1, 5, 9] and joined.crops.tolist() == [1, 3, 5]


def test_bounds_lies_between_that_of_photographed_and_of_drawn_images():
    bounds = {"photographed": {"below": 0.5, "above": 0.9}, "drawn": {"below": 0.8, "above": 0.9}}
    seen = Seen(np.full(3, 0.5), np.array([0.0, 0.3, 1.0]), np.ones(3))
    assert early.exits(early.beyond(seen, bounds)).tolist() == [False, False, True]
    assert early.beyond(Seen(np.array([0.5]), np.array([0.5]), np.ones(1)), bounds)[0][0] == pytest.approx(
        0.5 * np.log(4) - 0.5
    )


def test_margins_that_change_verdicts_are_refused(monkeypatch):
    labels = np.array([0, 1] * 50)
    wrong = Seen(np.where(labels == 1, -9.0, 9.0), np.zeros(100), np.ones(100))
    right = Seen(-wrong.odds, np.zeros(100), np.full(100, 5))
    thresholds = {"balanced": {"photographed": 0.5, "drawn": 0.5}}
    with pytest.raises(ValueError, match="no margins keep"):
        early.choose_margins([wrong, right], thresholds, labels, np.full(100, "clean"))


def test_margins_that_lose_the_order_of_scores_are_refused():
    rng = np.random.default_rng(1)
    labels = np.repeat([0, 1], 200)
    # All scores are far below the threshold, so that no verdict changes. The first stage ranks the images at random.
    whole = Seen(labels + rng.normal(-9, 0.5, 400), np.zeros(400), np.full(400, 5))
    first = Seen(rng.normal(-9, 0.5, 400), np.zeros(400), np.ones(400))
    thresholds = {"balanced": {"photographed": 0.5, "drawn": 0.5}}
    levels = np.full(400, "clean")
    assert early.order_lost(first, whole, labels, levels) > 0.2
    with pytest.raises(ValueError, match="order"):
        early.choose_margins([first, whole], thresholds, labels, levels)
    assert early.choose_margins([whole, whole], thresholds, labels, levels)
