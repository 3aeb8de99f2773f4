"""The embedding, and the reference that holds corrections."""
import csv
import json
from dataclasses import replace

import numpy as np
import pytest

from adaptation.embedding import find_embedding, join_training
from adaptation.faces import add_faces, highest_scores
from adaptation.reference import join_embeddings, joined_with, threshold_columns, write_reference
from encoder.export import Embedding
from measure.score_file import Scores

PLAN = {"kinds": {"whole": {"count": 1, "weight": 0.5}, "native": {"count": 2, "weight": 2.0}}}


def test_the_embedding_is_centred_and_its_numbers_have_the_deviation_one():
    rng = np.random.default_rng(1)
    features = (rng.normal(size=(500, 6)) @ rng.normal(size=(6, 40)) + 3 * rng.normal(size=40)).astype(np.float32)
    found = find_embedding(features, 5)
    numbers = found.of(features)
    assert np.abs(numbers.mean(0)).max() < 1e-2
    np.testing.assert_allclose(np.cov(numbers.T), np.eye(5), atol=2e-2)


def test_views_join_by_kind_and_weight():
    lines = [{"sha256": "a", "tier": "clean", "view": view} for view in ("whole", "native", "native", "other")]
    values = np.array([[8.0, 1], [2, 3], [4, 9], [100, 100]], np.float16)
    joined = join_embeddings(lines, values, Embedding(np.eye(2), np.zeros(2)), PLAN)
    np.testing.assert_allclose(joined["a", "clean"], [0.2 * 8 + 0.8 * 3, 0.2 * 1 + 0.8 * 6])


def test_training_pictures_join_what_they_have(monkeypatch):
    monkeypatch.setattr("adaptation.embedding.Split", lambda: type("All", (), {"holds": lambda self, *_: True})())
    lines = [{"sha256": "a", "source": "s", "view": view} for view in ("whole", "web", "native")]
    joined = join_training(lines, np.array([[8.0], [100], [3]], np.float16), PLAN)
    np.testing.assert_allclose(joined, [[0.2 * 8 + 0.8 * 3]])


def scores_of(count: int) -> Scores:
    labels = np.arange(count) % 2
    text = lambda value: np.full(count, value)
    return Scores(np.array([f"{at:020d}" for at in range(count)]), labels, np.array([f"s{at % 4}" for at in range(count)]), text("none"),
                  text("camera"), text("people"), text("clean"), np.linspace(0, 1, count), np.where(np.arange(count) % 8 < 4, 0.0, 1.0))


def test_weights_of_genuine_rows_add_up_in_each_look():
    scores = scores_of(40)
    groups, weights = threshold_columns(scores)
    assert (groups[scores.labels == 1] == "").all() and (weights[scores.labels == 1] == 0).all()
    for medium in (0.0, 1.0):
        np.testing.assert_allclose(weights[scores.drawn == medium].sum(), 1)


def test_a_reference_has_a_row_a_picture_and_its_numbers_in_bytes(tmp_path):
    scores, numbers = scores_of(40), np.random.default_rng(2).normal(size=(40, 3))
    write_reference(tmp_path, scores, numbers, {"model": "telltale-0.0.0"})
    facts = json.loads((tmp_path / "reference.json").read_text())
    bytes_ = np.frombuffer((tmp_path / "embeddings.bin").read_bytes(), np.int8).reshape(40, 3)
    np.testing.assert_allclose(bytes_ * np.array(facts["scale"]), numbers, atol=max(facts["scale"]))
    with (tmp_path / "rows.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [row["label"] for row in rows[:2]] == ["real", "ai"] and rows[0]["group"] == "camera" and rows[1]["group"] == ""
    assert facts["rows"] == 40 and facts["numbers"] == 3


def test_rows_of_genuine_pictures_tell_their_highest_face():
    faces = scores_of(4)
    pictures = [name[:16] for name in faces.picture]
    rows = [{"picture": pictures[0], "tier": "clean", "label": "real"}, {"picture": pictures[0], "tier": "web", "label": "real"}, {"picture": pictures[0], "tier": "clean", "label": "ai"}]
    highest = highest_scores(faces)
    assert highest[pictures[3], "clean"] == float(max(faces.score))
    assert [row["face"] for row in add_faces(rows, {(pictures[0], "clean"): 0.25})] == ["0.250000", "", ""]


def named(scores: Scores, first: int) -> Scores:
    """The same rows, of pictures that are told apart by their first digits."""
    return replace(scores, picture=np.array([f"{first + at:016d}rest" for at in range(len(scores.labels))]))


def test_pictures_that_a_reference_lacks_come_to_it_and_its_own_stay(tmp_path):
    rng = np.random.default_rng(3)
    old, numbers = named(scores_of(40), 0), rng.normal(size=(40, 3))
    write_reference(tmp_path, old, numbers, {"model": "telltale-0.0.0"})
    later = replace(named(scores_of(24), 30), score=np.full(24, 0.5))
    joined, embeddings = joined_with(tmp_path, later, rng.normal(size=(24, 3)) + 50)
    assert len(joined.labels) == 54 and joined.picture[-1].startswith(f"{53:016d}")
    np.testing.assert_allclose(joined.score[:40], old.score, atol=1e-6)
    assert (joined.score[40:] == 0.5).all()
    np.testing.assert_allclose(embeddings[:40], numbers, atol=0.05)
    assert (embeddings[40:] > 40).all()


def test_embeddings_of_another_encoder_do_not_come_to_a_reference(tmp_path):
    write_reference(tmp_path, named(scores_of(40), 0), np.ones((40, 3)), {"model": "telltale-0.0.0"})
    with pytest.raises(ValueError, match="3 numbers, the features give 4"):
        joined_with(tmp_path, named(scores_of(8), 90), np.ones((8, 4)))
