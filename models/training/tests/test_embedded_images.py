"""Tests of embedded images: where an image is cut, which part sets the score, and how score files change."""

import json
from argparse import Namespace
from pathlib import Path

import numpy as np

from full_image.embedded_image_scores import apply, deciding_image, fit
from full_image.embedded_images import find_embedded_images
from full_image.golden import CASES, make_case, synthetic_collage
from measure.score_file import read_scores, write_scores

FIXTURE = Path(__file__).parents[3] / "test/fixtures/panels.json"
MIN_SIDE_PX = 224


def test_the_fixture_is_what_this_room_makes():
    stored = json.loads(FIXTURE.read_text())["cases"]
    assert stored == [json.loads(json.dumps(make_case(name, *case))) for name, case in CASES.items()]


def test_embedded_images_lie_inside_what_was_put_together():
    for name, (width, height, images) in CASES.items():
        for x, y, across, down in find_embedded_images(synthetic_collage(width, height, images)):
            assert min(across, down) >= MIN_SIDE_PX
            assert any(
                left <= x and top <= y and x + across <= left + w and y + down <= top + h for left, top, w, h in images
            ), name


def test_an_image_with_texture_is_one():
    noise = np.random.default_rng(1).integers(0, 256, (480, 640, 3), np.uint8)
    assert find_embedded_images(noise) == []
    y, x = np.mgrid[:480, :640]
    assert (
        find_embedded_images(np.repeat((128 + 100 * np.sin(x / 9) * np.cos(y / 7)).astype(np.uint8)[..., None], 3, 2))
        == []
    )


def test_the_highest_above_its_threshold_speaks():
    assert deciding_image((0.5, 0.0), [[0.4, 0.0], [0.6, 0.0]], 1.0) == 1
    assert deciding_image((0.5, 0.0), [[0.5, 0.0]], 1.0) is None
    # Illustrations have a higher threshold.
    assert deciding_image((0.5, 0.0), [[0.6, 1.0]], 1.0) is None
    assert deciding_image((0.5, 1.0), [], 1.0) is None


def write_models(folder: Path, odds: float) -> None:
    """Writes a folder of models with the files that embedded images need."""
    (folder / "full_image_specialist").mkdir()
    (folder / "full_image_specialist/manifest.json").write_text(
        json.dumps({"id": "x", "panels": {"least_px": 224, "drawn_odds": odds}})
    )
    band = {"photographed": {"threshold": 0.9}, "drawn": {"threshold": 0.95}}
    (folder / "bands.json").write_text(json.dumps({"profiles": {"balanced": {"full_image_specialist": band}}}))


def test_scores_of_embedded_images_take_the_place_of_the_whole_once(tmp_path, capsys):
    write_models(tmp_path, 0.7)
    row = {"source": "s", "generator": "none", "kind": "camera", "content": "", "tier": "clean", "drawn": "0.100000"}
    write_scores(
        tmp_path / "scores.csv",
        [
            row | {"picture": "a", "label": "ai", "score": "0.300000"},
            row | {"picture": "b", "label": "real", "score": "0.400000"},
        ],
    )
    lines = [
        {"sha256": name, "clean": {"boxes": [[0, 0, 300, 300]], "panels": [[score, 0.2]]}}
        for name, score in (("a", 0.97), ("b", 0.2))
    ]
    (tmp_path / "seen.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    args = Namespace(models=tmp_path, scores=tmp_path / "scores.csv", work=[tmp_path / "seen.jsonl"])
    for _ in range(2):
        apply(args)
        after = read_scores(tmp_path / "scores.csv")
        assert after.score.tolist() == [0.97, 0.4] and after.illustration.tolist() == [0.2, 0.1]
    assert "| AI (1): fire by the whole or an embedded image | 1.0000 |" in capsys.readouterr().out


def test_the_manifest_holds_what_lies_between_the_thresholds(tmp_path):
    write_models(tmp_path, 0)
    fit(Namespace(models=tmp_path))
    found = json.loads((tmp_path / "full_image_specialist/manifest.json").read_text())
    assert found == {
        "id": "x",
        "panels": {"least_px": MIN_SIDE_PX, "drawn_odds": round(np.log(0.95 / 0.05) - np.log(0.9 / 0.1), 4)},
    }
