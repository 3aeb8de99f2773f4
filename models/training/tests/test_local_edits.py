"""Tests of edited images, of the labels of their tokens, and of the heat map."""

import json

import numpy as np
import pytest

from encoder.crops import CropType
from local_edits import evaluate
from local_edits.edits import AREA_SHARES, METHODS, bounds_of, collage, edit, outline
from local_edits.heat_map import grid_of, heat_map, overlaps, placed_crops
from local_edits.samples import answers_of, token_crops
from local_edits.tokens import KEPT, WIDE, image_tokens, read_tokens, some_tokens, token_file
from local_edits.train import SHARES, token_weights


class Inverting:
    """Replaces an autoencoder in tests and inverts the image, so that its result is easy to recognise."""

    def reconstruct(self, pixels: np.ndarray) -> np.ndarray:
        assert pixels.shape[0] % 8 == 0 and pixels.shape[1] % 8 == 0
        return 255 - pixels


def image(width: int = 400, height: int = 300, seed: int = 1) -> np.ndarray:
    """Makes an image of noise."""
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def test_an_edit_changes_what_its_mask_covers_and_nothing_else():
    pixels, generated, seen = image(), image(500, 260, 2), set()
    for seed in range(30):
        edited = edit(pixels, generated, Inverting(), np.random.default_rng(seed))
        seen.add(edited.method)
        changed = (edited.pixels != pixels).any(axis=2)
        assert not changed[edited.mask == 0].any()
        assert changed[edited.mask > 0.9].mean() > 0.9
        assert edited.mask.max() <= 1 and edited.mask.mean() > AREA_SHARES[0] / 4
    assert seen == set(METHODS)


def test_a_collage_has_a_seam_and_no_generated_part():
    made = collage(image(), image(50, 40, 3), np.random.default_rng(1))
    assert not made.mask.any() and (made.pixels != image()).any()


@pytest.mark.parametrize(("width", "height"), [(33, 35), (40, 1000), (256, 256)])
def test_parts_have_sides_that_an_autoencoder_takes_and_lie_in_the_image(width, height):
    for seed in range(20):
        rows, columns = bounds_of(outline(height, width, np.random.default_rng(seed)))
        for part, length in ((rows, height), (columns, width)):
            assert (
                0 <= part.start
                and part.stop <= length
                and (part.stop - part.start) % 8 == 0
                and part.stop - part.start >= 32
            )


def test_a_token_between_part_and_rest_has_no_answer():
    mask = np.zeros((224, 224), np.float32)
    mask[:24, :32] = 1
    answers = answers_of(mask)
    assert (
        answers[0, :2].tolist() == [1, 1]
        and np.isnan(answers[1, :2]).all()
        and (answers[2:] == 0).all()
        and (answers[:, 2:] == 0).all()
    )


def test_a_crop_of_each_kind_carries_the_part_where_it_went():
    pixels = np.zeros((640, 900, 3), np.uint8)
    for seed in range(6):
        edited = edit(pixels, np.full_like(pixels, 255), Inverting(), np.random.default_rng(seed))
        for crop in token_crops(edited, np.random.default_rng(seed)):
            tokens = crop.pixels.mean(2).reshape(14, 16, 14, 16).mean((1, 3))
            # Degrading changes grey levels, but bright areas stay brighter than grey and dark areas darker.
            if (crop.answers == 1).any() and (crop.answers == 0).any():
                assert tokens[crop.answers == 1].mean() > tokens[crop.answers == 0].mean()


def test_some_tokens_of_each_answer_are_kept():
    answers = np.zeros((14, 14), np.float32)
    answers[0, :5], answers[1] = 1, np.nan
    values, kept = some_tokens(np.arange(196.0)[:, None], answers, np.random.default_rng(1))
    assert (
        sorted(values[kept == 1, 0]) == [0, 1, 2, 3, 4]
        and (kept == 0).sum() == KEPT
        and not np.isin(values, np.arange(14, 28)).any()
    )


def test_stored_tokens_go_on_after_a_stop(tmp_path):
    rows = lambda value, answers: (np.full((len(answers), WIDE), value), np.array(answers, float))
    file = token_file(tmp_path, 0)
    file.add([image_tokens({"sha256": "a", "method": "genuine"}, [rows(1, [0, 0]), rows(2, [0])])])
    with (tmp_path / "tokens.0.bin").open("ab") as stream:
        stream.write(b"torn")
    file = token_file(tmp_path, 0)
    assert file.done == {"a"}
    file.add([image_tokens({"sha256": "b", "method": "rebuilt"}, [rows(3, [1, 0])])])
    token_file(tmp_path, 1).add([image_tokens({"sha256": "c", "method": "genuine"}, [rows(4, [0])])])
    with (tmp_path / "tokens.0.bin").open("ab") as stream:
        stream.write(np.full(WIDE, 9, np.float16).tobytes())
    lines, answers, values = read_tokens([tmp_path])
    assert [line["sha256"] for line in lines] == ["a"] * 3 + ["b"] * 2 + ["c"]
    assert answers.tolist() == [0, 0, 0, 1, 0, 0] and values[:, 0].tolist() == [1, 1, 2, 3, 3, 4]


def test_tokens_are_drawn_by_what_their_image_is():
    line = lambda method: {"source": "a", "generator": "g", "method": method}
    lines = [line(kind) for kind in ["genuine"] * 6 + ["collage"] + ["rebuilt"] * 3 + ["generated"] * 2 + ["spliced"]]
    answers = np.array([0] * 6 + [0] + [0, 0, 1] + [1, 1] + [1])
    weights = token_weights(lines, answers)
    assert weights[:6].sum() == pytest.approx(SHARES[0]["genuine"] / 2)
    assert weights[6] == pytest.approx(SHARES[0]["collage"] / 2)
    assert weights[10:12].sum() == pytest.approx(SHARES[1]["generated"] / 2)


def test_the_grid_has_twenty_cells_on_the_shorter_side_and_none_under_a_token():
    assert (
        grid_of(4000, 3000) == (26, 20)
        and grid_of(100, 320) == (6, 19)
        and grid_of(10, 12) == (1, 1)
        and grid_of(320, 320) == (20, 20)
    )


def test_every_cell_that_tokens_cover_is_covered_wholly():
    assert overlaps(0, 224, 14).tolist() == np.eye(14).tolist()
    assert overlaps(48, 320, 20).sum(1).tolist() == [0] * 3 + [1] * 14 + [0] * 3


def test_the_map_is_the_mean_of_what_crops_say_of_a_place():
    pixels = image(640, 320)
    crops = placed_crops(pixels, (CropType("middle", 320, 2),))
    logits = np.stack([np.full(196, 1.0), np.full(196, 3.0)])
    cells = heat_map(crops, logits, 640, 320)
    assert cells.shape == (20, 40)
    known = cells[np.isfinite(cells)]
    assert known.min() == pytest.approx(1) and known.max() == pytest.approx(3)
    assert np.isnan(cells).any(), "what no crop shows has no value"


def test_one_hot_token_warms_the_cells_under_it():
    pixels = image(448, 448)
    crops = placed_crops(pixels, (CropType("whole", 224, 1),))
    logits = np.zeros((1, 196))
    logits[0, 3 * 14 + 5] = 10
    cells = heat_map(crops, logits, 448, 448)
    row, column = np.unravel_index(np.nanargmax(cells), cells.shape)
    assert (int((row + 0.5) * 14 / 20), int((column + 0.5) * 14 / 20)) == (3, 5)


def test_the_report_tells_edits_from_the_images_they_were_made_of():
    cells = lambda hot: np.where(np.arange(400).reshape(20, 20) % 20 < 4, hot, -2.0).tolist()
    mask = lambda value: np.where(np.arange(400).reshape(20, 20) % 20 < 4, value, 0).tolist()
    lines = [
        {"method": method, "tier": level, "cells": cells(hot), "mask": mask(value)}
        for level in ("clean", "web", "hard")
        for method, hot, value in (("none", -1.5, 0), ("none", -2.0, 0), ("rebuilt", 2.0, 1), ("spliced", 1.0, 1))
    ]
    table = evaluate.report(json.loads(json.dumps(lines)))
    assert "| all (2): AUC of the suspicious region, recall at 1% | 1.000, 1.00 | 1.000, 1.00 | 1.000, 1.00 |" in table
    assert "edited cells against the rest, all images together: AUC | 1.000" in table


def test_checks_are_counted_by_what_they_say():
    bands = {look: {"threshold": 0.9} for look in ("photographed", "drawn")}
    found = [("none", 0.1, 0.89), ("none", 0.2, 0.95), ("rebuilt", 0.95, 0.99)]
    found += [("rebuilt", 0.5, 0.9), ("spliced", 0.5, 0.2), ("spliced", 0.5, 0.3)]
    lines = [
        {"method": method, "tier": level, "score": score, "drawn": 0.3, "region": part}
        for level in ("clean", "web", "hard")
        for method, score, part in found
    ]
    table = evaluate.report_checks(lines, bands)
    assert "| edits (4) | 0.250, 0.250 | 0.250, 0.250 | 0.250, 0.250 |" in table
    assert "| the same images as they were (2) | 0.000, 0.500 | 0.000, 0.500 | 0.000, 0.500 |" in table
