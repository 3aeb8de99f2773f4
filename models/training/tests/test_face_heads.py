"""Tests of the face specialist's heads: training rows, common scale, and comparisons of the evaluation."""

import json
import sys
from collections import Counter

import numpy as np
import pytest

from encoder.features import FEATURES, feature_file
from encoder.heads import HeadSettings, draw_batches, load_heads
from face_specialist import calibrate, confirm, continue_training, evaluate, train
from face_specialist.align import MAX_FACES
from face_specialist.calibrate import fit_scale
from face_specialist.confirm import MIN_LOGIT, draw_weights, gather_looks, look_of, read_detections
from face_specialist.face_scores import ScoredFace, ScoredImage, aggregate_faces, confirmed_lines, face_kind, scores_of
from face_specialist.groups import MADE_GROUP
from face_specialist.roster import DFDC, GREY
from face_specialist.train import ONE_CLASS_SHARE, face_weights, facts_of, partners_of, rows_for
from measure.bands import band
from measure.kinds import group_of
from measure.score_file import read_scores


def line(label: str = "genuine", source: str = "a", method: str = "", pair: str = "", **more) -> dict:
    """Makes the line of a face in a features file."""
    image = {"sha256": "0", "source": source, "kind": "real-face", "content": "face", "group": "g", "tier": "clean"}
    return {**image, "label": label, "method": method, "pair": pair, "side_px": 200.0, "face": 0, **more}


TRAINING = [
    line(pair="p"),
    line("manipulated", method="self-blended", pair="p"),
    line(),
    line("manipulated", method="dfdc"),
    line(source="b"),
    line("generated", "c", "sdxl"),
    line("generated", method="rebuilt crop", pair="q"),
]


def test_a_head_sees_no_fakes_of_the_other_and_no_method_left_out():
    assert rows_for("manipulated", TRAINING).tolist() == [0, 1, 2, 3, 4]
    assert rows_for("manipulated", TRAINING, frozenset({"dfdc"})).tolist() == [0, 1, 2, 4]
    assert rows_for("generated", TRAINING).tolist() == [0, 2, 4, 5, 6]


def test_partners_are_each_others_and_the_rest_their_own():
    assert partners_of(TRAINING).tolist() == [1, 0, 2, 3, 4, 5, 6]


def test_a_pair_weighs_alike_and_a_source_of_one_class_little():
    lines = [TRAINING[row] for row in (0, 1, 2, 3)] + [line(source="b"), line(source="b")]
    labels = np.array([0, 1, 0, 1, 0, 0])
    weights = face_weights(lines, labels, partners_of(lines))
    assert weights.sum() == pytest.approx(1)
    assert weights[labels == 0].sum() == pytest.approx(weights[labels == 1].sum())
    assert weights[4] == pytest.approx(ONE_CLASS_SHARE * weights[2])
    # Nine pairs with one method and one pair with a rare method. The rare fake is drawn more often, and so is its
    # genuine partner.
    lines = [line(pair=str(index)) for index in range(10)]
    lines += [line("manipulated", method="rare" if index == 9 else "x", pair=str(index)) for index in range(10)]
    weights = face_weights(lines, np.repeat([0, 1], 10), partners_of(lines))
    assert weights[10:] == pytest.approx(weights[:10])
    assert weights[9] > 1.5 * weights[0]


def test_a_drawn_face_brings_its_paired_fake_into_the_batch():
    partners, settings = np.array([1, 0, 2, 3]), HeadSettings(steps=50, batch=16)
    drawn = draw_batches(np.random.default_rng(1), np.full(4, 0.25), settings, partners)
    first, second = drawn[:, :8], drawn[:, 8:]
    paired = first < 2
    assert (second[paired] == partners[first[paired]]).all()
    assert set(second[~paired]) == {0, 1, 2, 3}


def test_facts_count_found_fakes_apart_from_made_ones():
    facts = facts_of(TRAINING, frozenset())
    assert (facts["genuine_faces"], facts["manipulated_faces"], facts["generated_faces"]) == (3, 1, 1)
    assert facts["made_faces"] == {"rebuilt crop": 1, "self-blended": 1}
    assert (facts["methods"], facts["generators"]) == (["dfdc"], 1)
    assert facts_of(TRAINING, frozenset({"dfdc"}))["methods"] == []


def test_scale_gives_back_the_odds_and_a_large_source_weighs_no_more_than_a_small_one():
    random = np.random.default_rng(2)
    truth = random.integers(0, 2, 4000)
    logits, sources = random.normal(0, 1, 4000) + 4 * truth - 1, np.full(4000, "a")
    # Normally distributed logits with deviation 1 and means -1 and 3, for which the log odds are 4 x - 4.
    assert fit_scale(logits, truth, sources) == pytest.approx((4, -4), rel=0.12)
    shifted = (
        np.concatenate((logits, logits[:400] + 2)),
        np.concatenate((truth, truth[:400])),
        np.concatenate((sources, np.full(400, "b"))),
    )
    again = tuple(np.concatenate((column, *[column[4000:]] * 9)) for column in shifted)
    assert fit_scale(*again) == pytest.approx(fit_scale(*shifted), rel=1e-3)
    with pytest.raises(ValueError, match="below genuine"):
        fit_scale(-logits, truth, sources)


MANIFEST = {
    "heads": {"manipulated": {"scale": 2.0, "offset": 0.0}, "generated": {"scale": 1.0, "offset": -1.0}},
    "joining": {"sharing": 1.0, "contrast": 0.0, "genuine": 0.0},
}


def test_score_is_the_chance_that_either_head_is_right():
    logits = (0.0, 1.0), (9.0, -30.0), (-30.0, -30.0)
    scores = scores_of([ScoredFace(line(sha256=str(index)), each) for index, each in enumerate(logits)], MANIFEST)
    assert scores == pytest.approx([0.75, 1, 0], abs=1e-6)


def test_one_face_of_an_image_is_a_fake_or_all_are():
    faces = [
        ScoredFace(line(), (0.0, -30.0)),
        ScoredFace(line(), (-30.0, 1.0)),
        ScoredFace(line(tier="web"), (0.0, -30.0)),
    ]
    assert scores_of(faces, MANIFEST) == pytest.approx([1 / 3, 1 / 3, 1 / 2], abs=1e-6)
    alike = [ScoredFace(line(), (0.0, -30.0)) for _ in range(3)]
    assert scores_of(alike, MANIFEST) == pytest.approx([1 / 2] * 3, abs=1e-6)


def test_a_face_that_stands_out_gives_away_less():
    manifest = MANIFEST | {"joining": {"sharing": 0.5, "contrast": 0.5, "genuine": -5.0}}
    faces = [ScoredFace(line(), (logit, -30.0)) for logit in (1.5, -3.5, -3.5)]
    # The same values as in the engine's test: log odds 3, -7, -7.
    assert scores_of(faces, manifest)[:2] == pytest.approx(
        [1 / (1 + np.exp(-3 + 0.5 * np.log(3) - 2 / 3)), 1 / (1 + np.exp(11 / 3))], abs=1e-6
    )
    assert scores_of(faces[:1], manifest) == pytest.approx([1 / (1 + np.exp(-3))], abs=1e-6)


def test_groups_with_a_changed_face_set_no_scale_and_are_no_swaps():
    kinds = [("genuine", "", "camera", -1), ("genuine", "", "camera", 1), ("manipulated", "x", "made", 2)]
    kinds += [("manipulated", "x", "made", 0), ("generated", "g", "generated", 2), ("generated", "g", "generated", 0)]
    grown = [
        ScoredFace(line(label, sha256=str(index), method=method, kind=kind, source="ab"[index % 2]), (logit, logit))
        for index, (label, method, kind, logit) in enumerate(kinds)
    ]
    group = ScoredFace(line("manipulated", sha256="group", method="x", kind=MADE_GROUP), (-50.0, -50.0))
    assert calibrate.fit_heads([*grown, group]) == calibrate.fit_heads(grown)
    swaps = next(chosen for name, (chosen, _) in evaluate.comparisons(set()).items() if name.startswith("swaps"))
    assert swaps(grown[2].line) and not swaps(group.line)


def test_rows_by_size_and_of_groups_hold_the_images_that_they_name():
    fake = lambda side_px, faces, score, **more: ScoredImage(
        line("manipulated", method="triangle-swap", side_px=side_px, **more), faces, score
    )
    groups = [fake(400.0, faces, score, kind=MADE_GROUP) for faces, score in ((2, 0.1), (5, 0.9), (1, 0.9), (6, 0.9))]
    alone = [fake(side_px, 1, score) for side_px, score in ((64.0, 0.9), (95.9, 0.1), (96.0, 0.9))]
    images = [*alone, *groups, ScoredImage(line(side_px=192.0), 3, 0.9)]
    result = evaluate.evaluate(images, set(), 0.5)
    clean = lambda row: row["clean"] and (row["clean"]["count"], row["clean"]["fires"])
    assert {size: clean(row) for size, row in result["recall_by_size"].items()} == {
        "under 96 px": (2, 0.5),
        "96 to 127 px": (1, 1),
        "128 to 191 px": None,
        "192 px and over": None,
    }, "groups are no rows of theirs"
    assert clean(result["false_alarms_by_size"]["192 px and over"]) == (1, 1)
    assert clean(result["groups"]["one face of two to five changed"]) == (2, 0.5) and clean(
        result["recall"]["manipulated: triangle-swap"]
    ) == (3, 0.6667)


def test_an_image_has_the_score_of_its_worst_face_and_the_line_of_its_largest():
    lines = (line(face=1, side_px=70.0), line(face=0), line(tier="web"))
    faces = [ScoredFace(each, (0, 0)) for each in lines]
    images = aggregate_faces(faces, [0.9, 0.2, 0.4])
    assert [(p.line["tier"], p.line["face"], p.faces, p.score) for p in images] == [
        ("clean", 0, 2, 0.9),
        ("web", 0, 1, 0.4),
    ]


@pytest.mark.parametrize(
    "more,faces,kind",
    [
        ({}, 1, "portrait"),
        ({}, 2, "group face"),
        ({"side_px": 80.0}, 1, "small face"),
        ({"source": GREY}, 1, "grey face"),
        ({"source": DFDC}, 1, "video face"),
        ({"kind": "frame"}, 2, "video face"),
        ({"kind": "anime"}, 1, "drawn face"),
        ({"kind": "generated"}, 1, "portrait"),
    ],
)
def test_each_kind_of_face_is_one_that_bands_know(more, faces, kind):
    assert face_kind(ScoredImage(line(**more), faces, 0.5)) == kind
    assert group_of(np.array([kind]), np.array(["unknown"])).tolist() == [kind]


def test_a_method_that_trained_is_no_new_one_and_edits_are_no_swaps():
    asked = evaluate.comparisons({"dfdc"})
    swaps, edits = (
        next(chosen for name, (chosen, _) in asked.items() if name.startswith(word))
        for word in ("swaps", "reenactment")
    )
    swap = lambda method, kind="swapped": line("manipulated", method=method, kind=kind)
    assert [swaps(each) for each in (swap("blendface"), swap("dfdc", "face"), swap("x", "reenacted"), line())] == [
        True,
        False,
        False,
        False,
    ]
    assert [
        edits(each)
        for each in (swap("triangle-reenactment", "made"), swap("gpen", "edited-face"), swap("triangle-swap", "made"))
    ] == [True, True, False]


def write_features(folder, split: str, seed: int) -> None:
    """Writes features of three sources without a look. Fakes differ in one feature, generated faces in another."""
    random, file = np.random.default_rng(seed), feature_file(folder, 0)
    for index in range(180):
        source, label = "abc"[index % 3], ("genuine", "manipulated", "generated")[index // 3 % 3]
        method = {"genuine": "", "manipulated": "new" if split == "test" else "old", "generated": "gan"}[label]
        values = random.normal(0, 1, FEATURES) + 3 * (index % 3) * (np.arange(FEATURES) % 7 == 0)
        values[1:400:2] += 1.5 * (label == "manipulated")
        values[2:400:2] += 1.5 * (label == "generated")
        values[500:900] += 2
        for level in ("clean", "web", "hard") if split != "train" else ("clean",):
            file.add([(line(label, source, method, sha256=f"{split}{index}", tier=level), values)])


def write_detections(folder) -> None:
    """Writes detections of five sources. A third are photographed faces, which differ as in `write_features`."""
    random, file = np.random.default_rng(9), feature_file(folder, 0)
    for index in range(120):
        what = ("photo", "drawn", "other")[index % 3]
        values = random.normal(0, 1, FEATURES)
        values[500:900] += 2 * (what == "photo")
        file.add([({"sha256": str(index), "source": f"find {index % 5}", "what": what}, values)])


def test_a_find_that_is_no_face_leaves_and_the_next_one_counts_as_the_largest():
    detections = [line(face=0), line(face=1), line(face=0, tier="web"), line(sha256="1")]
    kept = list(confirmed_lines(detections, np.array([MIN_LOGIT - 0.1, 9, -9, MIN_LOGIT])))
    assert [(index, found["sha256"], found["tier"], found["face"]) for index, found in kept] == [
        (1, "0", "clean", 0),
        (3, "1", "clean", 0),
    ]
    assert len(list(confirmed_lines([line(face=face) for face in range(12)], np.full(12, 9)))) == 8


def test_a_line_tells_a_drawn_face_only_where_its_image_does():
    generated = lambda content: line("generated", method="sdxl", kind="generated", content=content)
    rebuilt = line("generated", method="rebuilt crop", pair="p")
    lines = [line(), line(kind="anime"), line(kind="meme"), line("manipulated", pair="p"), rebuilt]
    lines += map(generated, ("photo-like", "art", "unknown"))
    assert [look_of(each) for each in lines] == ["photo", "drawn", None, "photo", "photo", "photo", "drawn", None]


def test_looks_gather_what_is_known_and_are_drawn_by_their_shares():
    kinds = (("a", "camera"), ("b", "meme"), ("b", "camera"), ("b", "camera"), ("c", "anime"))
    sure = [line(source=source, kind=kind) for source, kind in kinds]
    detections = [{"source": "d", "what": what} for what in ("photo", "photo", "drawn", "other")]
    looks = gather_looks([(sure, np.arange(5.0)[:, None])], (detections, np.arange(5.0, 9)[:, None]))
    assert looks.values[:, 0].tolist() == [0, 2, 3, 4, 5, 6, 7, 8]
    assert looks.answers.tolist() == [1, 1, 1, 0, 1, 1, 0, 0] and looks.doubtful.tolist() == [False] * 4 + [True] * 4
    weights = draw_weights(looks)
    assert [weights[:3].sum(), weights[3], weights[4:6].sum(), weights[6], weights[7]] == pytest.approx(
        [0.25, 0.125, 0.25, 0.125, 0.25]
    )
    assert weights[0] / weights[1] == pytest.approx(2 / 2**0.5)


def test_every_find_has_an_answer_once():
    answers = [what for ranks in read_detections().values() for what in ranks.values()]
    assert Counter(answers) == {"photo": 150, "drawn": 329, "other": 778, "unsure": 307}
    assert all(0 <= rank < MAX_FACES for ranks in read_detections().values() for rank in ranks)


def test_train_calibrate_and_evaluate_run_from_end_to_end(tmp_path, monkeypatch, capsys):
    for seed, split in enumerate(("train", "validation", "test")):
        write_features(tmp_path / split, split, seed)

    def run(command, words: str) -> None:
        monkeypatch.setattr(sys, "argv", ["x", *words.replace("@", f"{tmp_path}/").split()])
        command.main()

    run(train, "--features @train --out @heads.npz --facts @facts.json --steps 60")
    write_detections(tmp_path / "detections")
    monkeypatch.setattr(confirm, "SETTINGS", HeadSettings(steps=60))
    run(confirm, "train --features @train --detections @detections --out @confirm.npz")
    printed = capsys.readouterr().out
    assert (
        "| photo, doubtful | 40 | 1.000 |" in printed
        and "| drawn, doubtful | 40 | 0.000 |" in printed
        and "| other, doubtful | 40 | 0.000 |" in printed
    )
    judged = "--heads @heads.npz @confirm.npz --manifest @manifest.json"
    run(calibrate, f"fit --features @validation {judged} --facts @facts.json --version 9.9.9")
    for split in ("validation", "test"):
        run(calibrate, f"score --features @{split} {judged} --out @{split}.csv")
    run(evaluate, f"--features @test {judged} --validation @validation.csv --out @result.json")
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["version"] == "9.9.9" and manifest["training_data"]["methods"] == ["old"]
    assert list(manifest["heads"]) == ["manipulated", "generated"]
    result = json.loads((tmp_path / "result.json").read_text())
    asked = {name.split(",")[0]: levels for name, levels in result["questions"].items()}
    assert asked["swaps of methods never trained on"]["clean"]["auc"] > 0.95
    assert asked["generated faces of left-out sources"]["hard"]["auc"] > 0.95
    assert asked["DFDC's swaps"]["clean"] is None
    assert "recall, manipulated: new" in capsys.readouterr().out
    found = band(0.01, *(read_scores(tmp_path / f"{split}.csv") for split in ("validation", "test")))
    assert found["recall"]["clean"] > 0.8
    run(
        continue_training,
        "--heads @heads.npz --features @train --manifest @manifest.json --columns generated --methods gan --steps 20 --by-source --doubted 3 --seeds 2 --alpha 0.5 --out @continued.npz --facts @more.json",
    )
    (before, _), (after,) = load_heads(tmp_path / "heads.npz")[::-1], load_heads(tmp_path / "continued.npz")
    assert after.columns == before.columns == ["generated"] and 0 < np.abs(after.first - before.first).max() < 0.01
    more = json.loads((tmp_path / "more.json").read_text())
    assert more["methods"] == ["old"] and more["further_rounds"][0]["methods"] == [], "the run saw no manipulated faces"
    run(
        calibrate,
        "score --features @test --heads @heads.npz @confirm.npz @continued.npz --manifest @manifest.json --out @after.csv",
    )
    assert (read_scores(tmp_path / "after.csv").score != read_scores(tmp_path / "test.csv").score).any()
