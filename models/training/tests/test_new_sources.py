"""Tests of images from new sources: their split, the embedding, and one target FPR for both detectors."""

import numpy as np
import pytest

import data.split
from data.add_found import add_found
from data.assign_splits import SHARES, assign, split_by_hash
from data.split import ListedImage, read_csv
from encoder.features import first_of_each
from measure.kinds import ai_group_of, group_of
from measure.score_file import Scores
from measure.target_fpr import bootstrap_both, by_face, face_threshold, fit_both, is_people, outcome, with_genuine


def test_a_source_stays_where_it_stands_and_others_go_by_their_name():
    splits = {"Known/a": "test", "both/a": "validation", "both/b": "train"}
    placed = assign({"known/b", "both/c", "new/a", "new/b", "Known/a"}, splits)
    assert placed["known/b"] == "test" and placed["both/c"] == "train" and "Known/a" not in placed
    assert placed["new/a"] == placed["new/b"] == split_by_hash("NEW")
    counts = [split_by_hash(f"owner{number}") for number in range(4000)]
    for split, share in SHARES.items():
        assert counts.count(split) / 4000 == pytest.approx(share, abs=0.03)


def test_the_second_list_takes_each_image_once_and_by_our_names():
    row = {"sha256": "1", "kind": "portrait", "repo": "b/c", "path": "x"}
    rows = add_found(
        [row, row, row | {"sha256": "2", "repo": "a/b"}, row | {"sha256": "3"}], [row | {"sha256": "3"}], []
    )
    assert [(each["sha256"], each["kind"]) for each in rows] == [("2", "portrait-photo"), ("1", "portrait-photo")]


def test_every_row_of_the_second_list_has_a_part_and_a_group():
    rows, splits = read_csv(data.split.FOUND_FILE), {row["repo"] for row in read_csv(data.split.SPLIT_FILE)}
    assert {row["repo"] for row in rows} <= splits and len({row["sha256"] for row in rows}) == len(rows)
    ai = np.array([row["label"] != "real" for row in rows])
    kinds, contents = (np.array([row[name] for row in rows]) for name in ("kind", "content"))
    ai_group_of(kinds[ai])
    assert set(group_of(kinds[~ai], contents[~ai])) <= {
        "camera",
        "web photograph",
        "art",
        "screen",
        "document",
        "web graphic",
    }


def test_of_each_class_of_a_repository_the_first_are_taken(tmp_path):
    images = [
        ListedImage(tmp_path, str(number), number % 2 == 0, "a/b", "none", "camera", "x", "test", 1, 1)
        for number in range(10)
    ]
    assert [image.sha256 for image in first_of_each(images, 2)] == ["0", "1", "2", "3"]
    assert first_of_each(images, None) == images


def scores_of(rows: list[tuple]) -> Scores:
    """Makes score rows of one level, given as (image, label, source, kind, score, drawn)."""
    image, label, source, kind, score, illustration = map(np.array, zip(*rows, strict=True))
    text = lambda value: np.full(len(rows), value)
    return Scores(image, label, source, text("none"), kind, text("people"), text("clean"), score, illustration)


PEOPLE = frozenset(f"{number}" for number in range(0, 2000, 4))


def both(rng: np.random.Generator) -> tuple[Scores, Scores]:
    """Makes genuine images, every second with a face, and half of those by photographers."""
    whole, faces = [], []
    for number in range(2000):
        whole.append((f"{number}", 0, f"o{number % 40}/r", "camera", rng.random(), 0.1))
        if number % 2 == 0:
            faces.append((f"{number}", 0, f"o{number % 40}/r", "portrait", rng.random(), np.nan))
    return scores_of(whole), scores_of(faces)


def test_both_detectors_together_keep_one_target():
    whole, faces = both(np.random.default_rng(3))
    fit = fit_both(whole, faces, 0.05, PEOPLE, 1.0)
    people = is_people(faces, PEOPLE)
    assert people.mean() == pytest.approx(0.5)
    assert face_threshold(faces, people, 0.05) == fit["face"]
    found = outcome(whole, faces, fit, PEOPLE)
    assert 0.04 < found["flagged, photographed"] <= 0.05 and found["people flagged by the face"] < 0.08
    assert by_face(whole, faces, fit["face"]).sum() == (faces.score >= fit["face"]).sum()


def test_intervals_draw_sources():
    whole, faces = both(np.random.default_rng(4))
    fit, found = fit_both(whole, faces, 0.05, PEOPLE), bootstrap_both(whole, faces, 0.05, PEOPLE, resamples=10)
    assert found["face"][0] < fit["face"] < found["face"][1]


def test_genuine_images_of_another_file_raise_only_the_thresholds_of_the_full_image():
    whole, faces = both(np.random.default_rng(5))
    matched = [(f"m{number}", number % 2, f"m{number % 20}/r", "photo", 0.99, 0.1) for number in range(400)]
    joined = with_genuine(whole, scores_of(matched))
    assert len(joined.labels) == len(whole.labels) + 200 and not joined.labels.any()
    before, after = (fit_both(rows, faces, 0.05, PEOPLE) for rows in (whole, joined))
    assert after["photographed"] > before["photographed"] and after["face"] == before["face"]
