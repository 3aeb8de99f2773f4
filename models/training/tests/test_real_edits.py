"""Real pairs of a picture and its edit, and the mask of what was changed."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from data.split import Picture
from encoder.export import TOKEN_COLUMN
from encoder.features import VIEW_KINDS
from encoder.heads import load_heads
from encoder.package import heads_of
from local_edits import train
from local_edits.pairs import UNSURE, change_mask, find_pairs, pictures_of
from local_edits.samples import token_views
from local_edits.tokens import WIDE, pair_rows, picture_tokens, token_file
from local_edits.train import SHARES, token_weights


def scene(seed: int, width: int = 400, height: int = 300) -> np.ndarray:
    """A smooth coloured picture: what lies beside a thing looks like it, as in photographs."""
    small = np.random.default_rng(seed).integers(0, 256, (12, 16, 3), dtype=np.uint8)
    return cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC)


def edited(original: np.ndarray, seed: int = 2) -> np.ndarray:
    """With another scene's box from (200,100) to (300,200), all of it a little darker and with the noise of a codec."""
    made = original.copy()
    made[100:200, 200:300] = scene(seed)[:100, :100]
    noise = np.random.default_rng(3).normal(-3, 2, made.shape)
    return np.clip(made + noise, 0, 255).astype(np.uint8)


def on_white(seed: int) -> np.ndarray:
    """A coloured thing on plain white."""
    made = np.full((300, 400, 3), 250, np.uint8)
    made[60:240, 120:280] = scene(seed)[60:240, 120:280]
    return made


def speckled(original: np.ndarray) -> np.ndarray:
    """The edit with spots of twelve levels all over it, as seams leave them that do not lie on each other."""
    spots = cv2.resize(np.random.default_rng(4).random((30, 40)).astype(np.float32), (400, 300), interpolation=cv2.INTER_NEAREST) > 0.7
    return np.clip(edited(original).astype(int) + 12 * spots[..., None], 0, 255).astype(np.uint8)


def test_the_mask_covers_what_was_changed_and_leaves_the_rest():
    mask = change_mask(scene(1), edited(scene(1)))
    assert mask[115:185, 215:285].mean() > 0.9
    far = np.ones(mask.shape, bool)
    far[60:240, 160:340] = False
    assert mask[far].max() == 0
    assert set(np.unique(mask)) == {np.float32(0), np.float32(UNSURE), np.float32(1)}


@pytest.mark.parametrize(("original", "other"), [
    (scene(1), scene(1)),
    (scene(1), scene(2)),
    (scene(1), np.roll(scene(1), 12, axis=1)),
    (scene(1), speckled(scene(1))),
    (on_white(1), on_white(2)),
    (np.repeat(scene(1)[..., :1], 3, axis=2), edited(np.repeat(scene(1)[..., :1], 3, axis=2))),
], ids=["the same", "another picture", "moved aside", "speckled", "a thing on plain white", "a grey picture"])
def test_pictures_whose_change_says_nothing_have_no_mask(original, other):
    assert change_mask(original, other) is None


def listed(folder: Path, name: str, pixels: np.ndarray, kind: str, source: str = "one/pairs") -> Picture:
    """A picture of the lists, written to `folder`."""
    path = folder / f"{name}.png"
    Image.fromarray(pixels).save(path)
    is_ai = kind != "original"
    return Picture(path, f"{len(list(folder.iterdir())):012x}{name}", is_ai, source, "flux" if is_ai else "none", kind, "object", "train", pixels.shape[1], pixels.shape[0])


@pytest.fixture
def pictures(tmp_path: Path) -> list[Picture]:
    """Two originals, two edits of the first, a generated picture, and another owner's copy of the first."""
    return [listed(tmp_path, "other", scene(7), "original"), listed(tmp_path, "first", scene(1), "original"),
            listed(tmp_path, "edit", edited(scene(1)), "edited-local"), listed(tmp_path, "again", edited(scene(1), 5), "edited-local"),
            listed(tmp_path, "made", scene(1), "generated"), listed(tmp_path, "copy", scene(9), "original", "another/one")]


def test_an_edit_is_paired_with_the_genuine_picture_of_its_repository_that_it_is_like(pictures):
    assert [(pair.original.path.stem, pair.edit.path.stem) for pair in find_pairs(pictures)] == [("first", "edit"), ("first", "again")]


def test_another_aspect_or_another_repository_makes_no_pair(tmp_path):
    wide = listed(tmp_path, "wide", scene(1, 440), "original")
    elsewhere = listed(tmp_path, "elsewhere", scene(1), "original", "another/one")
    assert not list(find_pairs([wide, elsewhere, listed(tmp_path, "edit", edited(scene(1)), "edited-local")]))


def test_rounds_see_each_original_once_and_go_on_where_they_stopped(pictures):
    seen = [(picture.path.stem, made.way, bool(made.mask.any())) for picture, made, _ in pair_rows(pictures, 1, set())]
    assert seen == [("first", "genuine", False), ("edit", "real", True), ("again", "real", True)]
    first, edit = pictures[1], pictures[2]
    assert [picture.path.stem for picture, *_ in pair_rows(pictures, 1, {first.sha256, edit.sha256})] == ["again"]
    assert [(picture.path.stem, made.way) for picture, made in pictures_of(pictures, "none", {edit.sha256})] == [("first", "none"), ("again", "real")]


def test_views_of_a_real_edit_have_tokens_of_both_answers(pictures):
    _, made, random = list(pair_rows(pictures, 1, {pictures[1].sha256}))[0]
    answers = [view.answers for view in token_views(made, random)]
    assert len(answers) == len(VIEW_KINDS)
    assert {0.0, 1.0} <= {value for view in answers for value in np.unique(view[np.isfinite(view)])}


def test_real_edits_are_drawn_by_their_share_and_a_repository_with_many_no_more_than_by_its_root():
    line = lambda way, source="a/b": {"source": source, "generator": "g", "way": way}
    lines = [line("genuine"), line("spliced"), line("spliced"), *[line("real")] * 2, *[line("real", "many/edits")] * 18]
    answers = np.array([0, 0, 1, 0, 1, *[0, 1] * 9])
    weights = token_weights(lines, answers)
    real, many = np.array([each["way"] == "real" for each in lines]), np.array([each["source"] == "many/edits" for each in lines])
    shares = {answer: {sort: SHARES[answer][sort] for sort in sorts} for answer, sorts in ((0, ("genuine", "edited", "real")), (1, ("edited", "real")))}
    assert weights[real].sum() == pytest.approx(sum(mine["real"] for mine in shares.values()) / sum(sum(mine.values()) for mine in shares.values()))
    assert weights[many].sum() / weights[real & ~many].sum() == pytest.approx(3)


def test_a_round_goes_on_from_the_token_head_that_ships_and_moves_it_a_little(tmp_path, monkeypatch, pictures):
    rng, file = np.random.default_rng(1), token_file(tmp_path, 0)
    for picture, made, _ in pair_rows(pictures, 1, set()):
        answers = np.array([0, 0, 1, 1] if made.mask.any() else [0] * 4)
        file.add([picture_tokens({"sha256": picture.sha256, "source": picture.source, "generator": picture.generator, "way": made.way}, [(rng.normal(size=(4, WIDE)).astype(np.float32), answers)])])
    out, encoder = tmp_path / "head.npz", Path(__file__).parents[2] / "encoder"
    monkeypatch.setattr("sys.argv", ["train", "--tokens", str(tmp_path), "--start", str(encoder), "--steps", "2", "--seeds", "1", "--out", str(out)])
    train.main()
    before, (after,) = heads_of([encoder])[TOKEN_COLUMN], load_heads(out)
    assert after.first.shape == before.first.shape and after.columns == before.columns
    moved = np.abs(after.first - before.first).mean() / np.abs(before.first).mean()
    assert 0 < moved < 0.05
