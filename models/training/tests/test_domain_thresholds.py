"""Tests of thresholds for photographs and illustrations: both keep the target FPR, and no single image sets one."""

from pathlib import Path

import numpy as np
import pytest

from data.split import read_csv
from measure.bands import bands_of_looks
from measure.domain_thresholds import (
    DOMAINS,
    FULL_SOURCE,
    Genuine,
    apply_thresholds,
    bootstrap_domains,
    either,
    fit_domains,
    genuine_of,
    is_illustration,
    log_odds,
    rounded_up,
    threshold_between,
    weights_of,
)
from measure.kinds import AI, GENUINE, RECENT, SENT, ai_group_of, group_of, is_recent
from measure.score_file import Scores

SOURCES_FILE = Path(__file__).resolve().parents[1] / "data/sources.csv.xz"
LEVELS = ("clean", "web", "hard")


def genuine(odds: np.ndarray, illustration: np.ndarray, group: np.ndarray, source: np.ndarray) -> Genuine:
    """Makes rows of genuine images, at one level each."""
    return Genuine(odds, illustration, group, source, np.arange(len(odds)))


def two_worlds(rng: np.random.Generator, count: int = 4000) -> Genuine:
    """Makes photographs with low and paintings with high scores. Some of each look partly like the other."""
    art = rng.random(count) < 0.4
    illustration = np.round(np.clip(np.where(art, 0.9, 0.1) + rng.normal(0, 0.15, count), 0, 1), 4)
    group = np.where(art, "art", rng.choice(["camera", "web photograph", "screen"], count))
    return genuine(rng.normal(-3, 1, count) + 3 * art, illustration, group, rng.integers(0, 60, count))


def test_a_threshold_lies_between_those_of_the_looks_and_is_rounded_up():
    assert threshold_between(0.8765, 0.9791, np.array([0.0, 1.0])).tolist() == [0.8765, 0.9791]
    assert threshold_between(0.8, 0.9, 0.50001) == 0.8572  # sqrt(4 * 9) = 6, 6 / 7 = 0.85714
    assert 0.9 < threshold_between(0.9, 1.0, 0.1) < 1
    assert rounded_up(0.12341) == 0.1235 and rounded_up(0.1234) == 0.1234


@pytest.mark.parametrize("rate", [0.003, 0.01, 0.05])
def test_both_thresholds_hold_the_rate_for_images_that_look_so_and_waste_little_of_it(rate):
    rows = two_worlds(np.random.default_rng(3))
    found = {domain: float(rounded_up(value)) for domain, value in fit_domains(rows, rate).items()}
    assert found["drawn"] > found["photographed"]
    fires = rows.odds >= log_odds(threshold_between(found["photographed"], found["drawn"], rows.illustration))
    for domain in DOMAINS:
        mine = is_illustration(rows.illustration) == (domain == "drawn")
        held = float(weights_of(rows.where(mine), domain) @ fires[mine])
        assert 0.7 * rate < held <= rate


def test_kinds_weigh_as_people_send_them_and_sources_within_them_alike():
    groups = np.array(["camera"] * 40 + ["web photograph"] * 400 + ["art"] * 20)
    rows = genuine(
        np.zeros(460),
        np.zeros(460),
        groups,
        np.concatenate((np.repeat([0, 1], [10, 30]), np.full(400, 2), np.full(20, 3))),
    )
    weights = weights_of(rows, "photographed")
    assert sum(SENT.values()) == pytest.approx(1) == pytest.approx(weights.sum())
    assert [weights[groups == group].sum() for group in ("camera", "web photograph", "art")] == pytest.approx(
        [0.55, 0.30, 0.15]
    )
    assert weights[:10].sum() == pytest.approx(weights[10:40].sum())
    assert weights_of(rows, "drawn")[groups == "camera"].sum() == pytest.approx(0.5)


def test_a_source_of_one_image_sets_no_threshold():
    odds = np.append(np.random.default_rng(5).normal(-3, 1, 300), 9.0)
    rows = genuine(odds, np.zeros(301), np.full(301, "camera"), np.append(np.arange(300) // 30, 99))
    assert weights_of(rows, "photographed")[-1] == pytest.approx(1 / (10 * FULL_SOURCE + 1))
    assert log_odds(fit_domains(rows, 0.01)["photographed"]) < 1


def test_no_kind_fires_over_four_times_the_rate_and_one_image_of_it_may():
    rng = np.random.default_rng(6)
    groups = np.array(["camera"] * 1000 + ["screen"] * 20)
    source = np.append(np.arange(1000) // 20, np.full(20, 99))
    of = lambda *screens: genuine(
        np.concatenate((rng.normal(-3, 0.5, 1000), screens, rng.normal(-3, 0.5, 20 - len(screens)))),
        np.zeros(1020),
        groups,
        source,
    )
    assert log_odds(fit_domains(of(8.0), 0.05)["photographed"]) < 0
    assert 6 < log_odds(fit_domains(of(8.0, 7.5, 7.0, 6.5, 6.2), 0.05)["photographed"]) < 6.21  # four of twenty are 20%
    assert 7 < log_odds(fit_domains(of(8.0, 7.0), 0.02)["photographed"]) < 7.01


def test_levels_of_an_image_are_one_image_of_its_kind():
    odds = np.concatenate((np.full(297, -3.0), [5.0, 5.0, 5.0]))
    rows = Genuine(odds, np.zeros(300), np.full(300, "camera"), np.arange(300) // 30, np.repeat(np.arange(100), 3))
    assert log_odds(fit_domains(rows, 0.01)["photographed"]) == pytest.approx(-3, abs=0.01)


def test_a_look_without_images_has_the_threshold_of_the_other():
    rows = two_worlds(np.random.default_rng(8))
    found = fit_domains(rows.where(~is_illustration(rows.illustration)), 0.01)
    assert found["photographed"] == pytest.approx(found["drawn"])


def test_the_bootstrap_draws_whole_sources_and_holds_the_threshold():
    rows = two_worlds(np.random.default_rng(9), 1500)
    fitted, intervals = fit_domains(rows, 0.01), bootstrap_domains(rows, 0.01, resamples=30)
    for domain, (low, high) in intervals.items():
        assert low < high and low - 0.02 < fitted[domain] < high + 0.02
    twice = rows.select_sources(np.array([7, 7]))
    assert len(np.unique(twice.source)) == 2 and len(np.unique(twice.image)) == 2 * (rows.source == 7).sum()


def test_what_is_told_beside_a_threshold_is_of_images_that_look_so():
    rng = np.random.default_rng(11)
    worlds = two_worlds(rng)
    count = len(worlds.odds)
    kind = np.select(
        [worlds.group == "art", worlds.group == "screen", worlds.group == "camera"],
        ["illustration", "screenshot", "camera"],
        "web-photo",
    )
    labels = (rng.random(count) < 0.4).astype(int)
    score = 1 / (1 + np.exp(-worlds.odds - 4 * labels))
    text, levels = np.arange(count).astype(str), np.array(LEVELS)[np.arange(count) % 3]
    kinds, sources = np.where(labels == 1, "generated", kind), worlds.source.astype(str)
    scores = Scores(text, labels, sources, text, kinds, text, levels, score, worlds.illustration)
    found = bands_of_looks(0.01, scores, scores)
    assert found["photographed"]["threshold"] < found["drawn"]["threshold"]
    classified = apply_thresholds(scores, found)
    for domain in DOMAINS:
        assert found[domain]["false_alarm_rate"] <= 0.01
        mine = is_illustration(classified.illustration) == (domain == "drawn")
        mine &= (classified.labels == 1) & (classified.level == "web")
        assert found[domain]["recall"]["web"] == pytest.approx(classified.fires[mine].mean(), abs=1e-4)
    assert (genuine_of(scores).group == "art").sum() == ((labels == 0) & (kind == "illustration")).sum()


def test_a_verdict_fires_where_either_detector_does():
    text = lambda values: np.array(list(values))
    # A source with two cameras (kind camera), and a shop; an AI image with a face, and one without.
    kinds = text(["camera", "camera", "web-photo", "generated", "generated"])
    labels, score, clean = np.array([0, 0, 0, 1, 1]), np.array([0.9, 0.1, 0.1, 0.1, 0.9]), text(["clean"] * 5)
    rows = Scores(text("abcde"), labels, text("ssxyz"), text("nnngg"), kinds, text("ccccc"), clean, score, np.zeros(5))
    whole = apply_thresholds(rows, {domain: {"threshold": 0.5} for domain in DOMAINS})
    kinds, levels = text(["portrait"] * 3), text(["clean", "clean", "web"])
    described = text("syy"), text("ngg"), kinds, text("ccc"), levels
    faces = Scores(text("bdd"), np.array([0, 1, 1]), *described, np.array([0.1, 0.9, 0.9]), np.full(3, np.nan))
    faces = apply_thresholds(faces, {"threshold": 0.2})
    both = either(whole, faces)
    assert whole.fires.tolist() == [True, False, False, False, True]
    assert both.fires.tolist() == [True, False, False, True, True]
    assert either(whole, faces.where(faces.level == "web")).fires.tolist() == whole.fires.tolist(), (
        "another level's face counts for none"
    )


def test_an_unknown_kind_is_named():
    contents = np.array(["art", "art", "art", "text"])
    assert " ".join(group_of(np.array(["original", "game", "scan", "scan"]), contents)) == "camera art art document"
    kinds = np.array(["edited-local", "restored", "try-on", "generated-face"])
    assert " ".join(ai_group_of(kinds)) == "edited edited edited generated"
    with pytest.raises(ValueError, match="no group for the kinds fresco, relief: give them one in measure/kinds.py"):
        group_of(np.array(["camera", "relief", "fresco"]), contents[:3])


def test_every_kind_of_the_list_has_a_group():
    kinds = {(row["label"], row["kind"]) for row in read_csv(SOURCES_FILE)}
    for label, groups in (("real", GENUINE), ("ai", AI)):
        known = {kind for members in groups.values() for kind in members}
        assert {kind for which, kind in kinds if which == label} <= known


def test_generators_are_dated_by_their_names():
    recent = tuple(
        """
        midjourney-v8 midjourney-v6.1 imagen-4 imagen sana-1.5 niji-7 omnigen2 uso-flux cogview4 stable-cascade
        """.split()
    )
    former = tuple(
        """
        midjourney-v5.2 midjourney imagic-imagen prompt-to-prompt-imagen dall-e-3 sanet sdxl pixart-alpha
        playground-v2
        """.split()
    )
    assert is_recent(np.array(recent)).all() and not is_recent(np.array(former)).any()
    assert list(RECENT) == sorted(RECENT)
