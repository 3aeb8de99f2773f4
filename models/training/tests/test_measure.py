"""Tests of metrics and thresholds, on which the model cards and the product depend."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from data.split import read_csv
from measure import bands, rates, rescore
from measure.assessment import (
    ASSESSMENTS,
    MISSED,
    Edges,
    assess,
    early_exit_floor,
    fit_edges,
    highest_missing,
    rates_of,
    share_of_ai,
)
from measure.bands import band, threshold_of
from measure.metrics import auc, rate_up, recall_at, source_bootstrap, threshold_at
from measure.moved import pairs
from measure.score_file import COLUMNS, Scores, read_scores, write_scores
from measure.target_fpr import bands_of, is_swap, thresholds_of, with_genuine

MODELS = Path(__file__).resolve().parents[2]


def test_auc_agrees_with_scikit_learn_with_ties():
    rng = np.random.default_rng(1)
    labels, scores = rng.integers(0, 2, 500), rng.integers(0, 20, 500) / 20
    assert auc(labels, scores) == pytest.approx(roc_auc_score(labels, scores))


@pytest.mark.parametrize("rate", [0, 0.003, 0.01, 0.05])
def test_threshold_never_lets_more_fire_than_allowed(rate):
    negative = np.round(np.random.default_rng(3).random(731), 2)
    fired = (negative >= threshold_at(negative, rate)).mean()
    assert fired <= rate
    assert (negative >= np.nextafter(threshold_at(negative, rate), 0)).mean() > rate or rate == 0


def test_recall_counts_only_ai_above_the_genuine_ones():
    labels = np.array([0] * 100 + [1] * 4)
    scores = np.concatenate([np.linspace(0, 0.5, 100), [0.1, 0.6, 0.7, 0.4999]])
    assert recall_at(labels, scores, 0.01) == 0.75
    assert recall_at(labels, scores, 0) == 0.5


def test_bootstrap_is_wider_over_sources_than_over_single_images():
    rng = np.random.default_rng(5)
    labels = np.repeat([0, 1], 200)
    source_shift = np.repeat(rng.normal(0, 2, 8), 50)
    scores = labels + source_shift + rng.normal(0, 1, 400)
    measure = lambda index: auc(labels[index], scores[index])
    by_source = source_bootstrap(labels, np.repeat(np.arange(8), 50).astype(str), measure, 200)
    by_image = source_bootstrap(labels, np.arange(400).astype(str), measure, 200)
    assert by_source[1] - by_source[0] > 2 * (by_image[1] - by_image[0])


def make_scores(labels: np.ndarray, score: np.ndarray) -> Scores:
    """Makes scores of one source and level."""
    same = lambda value: np.full(len(labels), value)
    return Scores(same("p"), labels, *map(same, ("s", "g", "camera", "c", "clean")), score, same(np.nan))


def test_band_holds_on_the_images_that_set_it():
    labels = np.repeat([0, 1], 1000)
    scores = make_scores(labels, np.random.default_rng(7).random(2000) * 0.5 + labels * 0.4)
    found = band(0.01, scores, scores)
    assert found["false_alarm_rate"] <= 0.01
    assert 0.5 < found["recall"]["clean"] <= 1 and found["recall"]["web"] is None


def test_one_image_of_a_small_kind_sets_no_threshold_and_two_do():
    def genuine(paintings: list[float]) -> Scores:
        values = np.concatenate((np.linspace(0, 0.5, 3000), np.repeat(paintings, 3)))
        kinds = np.array(["camera"] * 3000 + ["art"] * 3 * len(paintings))
        text, levels = np.full(len(values), "a"), np.array(["clean", "web", "hard"] * (len(values) // 3))
        return Scores(
            text, np.zeros(len(values), int), text, text, kinds, text, levels, values, np.full(len(values), np.nan)
        )

    assert threshold_of(genuine([0.99, *[0.1] * 19]), 0.01) < 0.5
    assert 0.9 < threshold_of(genuine([0.99, 0.9, *[0.1] * 18]), 0.01) < 0.99
    assert threshold_of(genuine([0.99]), 0.01) < 0.5  # the only image of its kind


def test_score_files_round_trip_and_refuse_other_labels(tmp_path):
    row = dict(zip(COLUMNS, ("a", "ai", "s", "g", "k", "c", "web", "0.25")))
    write_scores(tmp_path / "a.csv", [row])
    assert read_scores(tmp_path / "a.csv").score.tolist() == [0.25]
    assert np.isnan(read_scores(tmp_path / "a.csv").illustration).all()
    write_scores(tmp_path / "drawn.csv", [{**row, "drawn": "0.75"}])
    assert read_scores(tmp_path / "drawn.csv").illustration.tolist() == [0.75]
    write_scores(tmp_path / "faces.csv", [row, {**row, "faces": 3}])
    assert [each["faces"] for each in read_csv(tmp_path / "faces.csv")] == ["", "3"] and len(
        read_scores(tmp_path / "faces.csv").score
    ) == 2
    write_scores(tmp_path / "b.csv", [{**row, "label": "maybe"}])
    with pytest.raises(ValueError, match="maybe"):
        read_scores(tmp_path / "b.csv")


def test_the_shipped_thresholds_follow_from_the_kept_scores():
    read = lambda folder, name: read_scores(MODELS / "training" / folder / "run" / f"{name}_scores.csv")
    validation, matched, test = (read("full_image", name) for name in ("validation", "matched", "test"))
    faces, test_faces = (read("face_specialist", name) for name in ("validation", "test"))
    profiles = bands_of(with_genuine(validation, matched), faces, test, test_faces)
    assert profiles == json.loads((MODELS / "bands.json").read_text())["profiles"]


def test_rates_of_mistakes_are_never_lower_than_they_are():
    assert [rate_up(share, 3) for share in (0.0015, 0.002, 0.0, 1.0)] == [0.002, 0.002, 0.0, 1.0]
    assert all(rate_up(step / 10_000) == step / 10_000 for step in range(10_001))


def test_a_hosted_swap_is_a_swap_and_a_style_is_none():
    methods = np.array(["segmind-faceswap", "style-swap", "triangle-swap", "triangle-reenactment", "none"])
    same = np.array(["a"] * 5)
    assert is_swap(
        Scores(same, np.array([1, 1, 1, 1, 0]), same, methods, same, same, same, np.zeros(5), np.zeros(5))
    ).tolist() == [True, False, True, False, False]


def scores_of(rows: list[tuple[str, str, float]]) -> Scores:
    image, level, score = (np.array(column) for column in zip(*rows, strict=True))
    text = np.full(len(rows), "x")
    return Scores(image, np.zeros(len(rows), int), text, text, text, text, level, score, np.full(len(rows), np.nan))


def test_pairs_are_of_the_same_image_and_level():
    before = scores_of([("a", "clean", 0.5), ("a", "web", 0.9), ("b", "clean", 0.1)])
    then, later = pairs(before, scores_of([("a", "web", 0.8), ("c", "clean", 0.1), ("a", "clean", 0.4)]))
    assert (then.tolist(), later.tolist()) == ([0.9, 0.5], [0.8, 0.4])
    with pytest.raises(ValueError):
        pairs(before, scores_of([("b", "hard", 0.1)]))


def test_thresholds_of_a_profile_come_back_as_they_were_fitted() -> None:
    looks = {"photographed": {"threshold": 0.9}, "drawn": {"threshold": 0.8}}
    assert thresholds_of({"full_image_specialist": looks, "face_specialist": {"threshold": 0.3}}) == {
        "face": 0.3,
        "photographed": 0.9,
        "drawn": 0.8,
    }


def test_an_edge_misses_no_more_than_allowed_and_is_the_highest_that_does():
    values = np.round(np.random.default_rng(4).random(500), 2)
    weights = np.random.default_rng(5).random(500)
    edge = highest_missing(values, weights, 0.1)
    missed = lambda at: weights[values < at].sum() / weights.sum()
    assert missed(edge) <= 0.1 < missed(np.nextafter(edge, 1))
    assert highest_missing(values, weights, 1) == np.inf


def test_lower_edges_that_ship_follow_the_rule():
    bands = json.loads((MODELS / "bands.json").read_text())
    edges, missed = fit_edges(bands)
    assert edges == bands["assessment"]["lower_edges"]
    sensitive = bands["profiles"]["sensitive"]
    assert all(
        edges["full_image_specialist"][domain] <= sensitive["full_image_specialist"][domain]["threshold"]
        for domain in ("photographed", "drawn")
    )
    floor = early_exit_floor()
    assert all(
        missed[domain] <= MISSED or edges["full_image_specialist"][domain] == floor[domain]
        for domain in ("photographed", "drawn")
    )
    assert missed["face"] > MISSED  # too many portraits would be unclear otherwise


def test_an_assessment_is_of_both_detectors_and_its_rates_are_of_the_prevalence():
    threshold = lambda value: {"threshold": value}
    looks = lambda value: {"photographed": threshold(value), "drawn": threshold(value)}
    edges = Edges(
        {"full_image_specialist": looks(0.9), "face_specialist": threshold(0.8)},
        {"full_image_specialist": looks(0.5), "face_specialist": threshold(0.3)},
    )
    labels, score = np.array([1, 1, 1, 0, 0, 0]), np.array([0.95, 0.1, 0.6, 0.1, 0.1, 0.5])
    rows = make_scores(labels, score)
    sources = np.array([f"{name}/r" for name in "abcdef"])
    rows = replace(rows, image=np.array(list("abcdef")), illustration=np.zeros(6), source=sources)
    faces = rows.where(np.array([1, 3, 3]))
    faces = replace(faces, score=np.array([0.85, 0.2, 0.3]))
    assessed = assess(edges, rows, faces)
    found = " ".join(ASSESSMENTS[number] for number in assessed)
    assert found == "likely_ai likely_ai unclear unclear no_ai_detected unclear"
    rates = rates_of(rows, assessed)
    assert [rates["unclear"][name] for name in ("images", "of_ai", "of_genuine")] == [3, 0.3333, 0.6667]
    assert rates["unclear"]["at_1_in_2"]["rate"] == 0.3333 and rates["likely_ai"]["at_1_in_10"]["rate"] == 1
    assert share_of_ai(0.5, 0.05, 0.1) == pytest.approx(0.05 / (0.05 + 0.045))


def test_shipped_rates_are_those_of_the_kept_test_scores(monkeypatch, tmp_path):
    shipped = MODELS / "face_specialist/rates.json"
    (tmp_path / "face_specialist").mkdir()
    scores = MODELS / "training/face_specialist/run/test_scores.csv"
    model = json.loads(shipped.read_text())["model"]
    words = f"rates --model {model} --detector face_specialist {scores} --out {tmp_path}".split()
    monkeypatch.setattr("sys.argv", words)
    rates.main()
    assert (tmp_path / "face_specialist/rates.json").read_text() == shipped.read_text()


def test_the_command_of_bands_writes_a_threshold_for_each_profile(monkeypatch, tmp_path):
    rng = np.random.default_rng(11)
    described = lambda number: (("real", "ai")[number % 2], f"s{number % 40}", "none", "portrait", "face")
    rows = [
        dict(zip(COLUMNS, (str(number), *described(number), level, rng.random() * 0.5 + number % 2 * 0.4)))
        for number in range(400)
        for level in ("clean", "web", "hard")
    ]
    write_scores(tmp_path / "scores.csv", rows)
    scores = tmp_path / "scores.csv"
    words = f"bands --version 1 --model m --detector face_specialist {scores} {scores} --out {tmp_path}/bands.json"
    monkeypatch.setattr("sys.argv", words.split())
    bands.main()
    found = json.loads((tmp_path / "bands.json").read_text())["profiles"]
    thresholds = [found[profile]["face_specialist"]["threshold"] for profile in ("strict", "balanced", "sensitive")]
    assert thresholds == sorted(thresholds, reverse=True) and thresholds[-1] > 0


def test_a_stored_run_is_scored_again_image_by_image(monkeypatch, tmp_path, capsys):
    images, runs, splits = (tmp_path / name for name in ("images", "runs", "split.csv"))
    rows = {"a" * 64: "new/one", "b" * 64: "new/two", "c" * 64: "old/trained", "d" * 64: "new/gone"}
    stored = [
        dict(zip(COLUMNS, (picture, "real", source, "none", "camera", "nature", level, 0.5, drawn)))
        for picture, source in rows.items()
        for level, drawn in (("clean", 0.2), ("web", ""))
    ]
    images.mkdir()
    for picture in ("a", "b", "c"):
        (images / f"{picture * 16}.jpg").touch()
    for detector in rescore.DETECTORS:
        (runs / detector).mkdir(parents=True)
        write_scores(runs / detector / "later_scores.csv", stored)
    splits.write_text("repo,split\nOld/Trained,train\nnew/one,test\n")
    monkeypatch.setattr(rescore, "SPLIT_FILE", splits)
    monkeypatch.setattr(rescore, "RUNS", {detector: runs / detector for detector in rescore.DETECTORS})
    asked = []

    def score(listed: Path, folder: Path, levels: tuple[str, ...]) -> None:
        asked.append([Path(row["path"]).stem for row in read_csv(listed)])
        for detector in rescore.DETECTORS:
            found = [{**stored[0], "picture": row["path"], "tier": "clean", "score": 0.75} for row in read_csv(listed)]
            write_scores(folder / f"{detector}.csv", found)

    monkeypatch.setattr(rescore, "score", score)
    words = f"rescore --run later --images {images} --work {tmp_path}/work".split()
    monkeypatch.setattr("sys.argv", words)
    rescore.main()
    assert asked == [["a" * 16, "b" * 16]]
    assert "2 of 4 images; 1 left out as training images" in capsys.readouterr().out
    kept = read_csv(tmp_path / "work/face_specialist/later_scores.csv")
    assert [(row["picture"][0], row["tier"], row["score"]) for row in kept] == [
        ("a", "clean", "0.750000"),
        ("b", "clean", "0.750000"),
    ]
    (images / ("d" * 16 + ".png")).touch()
    monkeypatch.setattr("sys.argv", [*words, "--keep"])
    rescore.main()
    assert asked[1:] == [["d" * 16]]
    assert len(read_csv(runs / "full_image_specialist/later_scores.csv")) == 3
    write_scores(runs / "full_image_specialist/later_scores.csv", stored)
    monkeypatch.setattr("sys.argv", [*words, "--untrained"])
    rescore.main()
    assert asked[2:] == [["c" * 16]]
    (runs / "face_specialist/later_scores.csv").unlink()
    capsys.readouterr()
    rescore.main()
    assert "face_specialist" not in capsys.readouterr().out
