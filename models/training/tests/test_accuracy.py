"""Tests of the accuracy tables: documents match the stored scores, and rates, intervals and pairs are right."""

import numpy as np
import pytest

from data.split import MATCHED_FILE, SPLIT_FILE, read_csv
from measure import cells, table
from measure.domain_thresholds import Classified
from measure.matched import CROPS_FILE, PAIRS_FILE, RUNS
from measure.pairs import SHORT, nearest_genuine, pair_lines, pair_measures


def rows_of(cells: list[tuple[int, str, str, float, bool]]) -> Classified:
    """Returns rows of images, given as (label, source, level, score, flagged)."""
    labels, source, level, score, fires = (np.array(column) for column in zip(*cells, strict=True))
    text = np.full(len(cells), "x")
    return Classified(
        np.arange(len(cells)).astype(str), labels, source, text, text, text, level, score, np.zeros(len(cells)), fires
    )


def test_documents_have_what_the_kept_scores_say(monkeypatch):
    monkeypatch.setattr("sys.argv", ["table", "--check"])
    with pytest.raises(SystemExit) as ended:
        table.main()
    assert ended.value.code == 0, "run python -m measure.table"


def test_rates_have_an_interval_over_sources_and_an_fpr_is_never_told_lower_than_it_is():
    sources = np.repeat(list("abcd"), 25)
    fires = np.zeros(100, bool)
    assert (
        cells.rate_cell(fires, sources, False) == "0.00 (0.00 to 0.03)"
        and cells.rate_cell(~fires, sources, True) == "100.0% (97.0 to 100.0%)"
    )
    fires[:25] = True
    assert cells.rate_cell(fires, sources, False) == "0.25 (0.00 to 0.75)", "one source fires, three do not"
    assert cells.rate_cell(fires[:26], sources[:26], False) == "0.96", "two sources have no interval"
    assert cells.rate_cell(np.arange(3000) == 0, np.repeat(list("abc"), 1000), True).startswith("0.1% "), (
        "0.03% is reported as 0.1%"
    )
    assert cells.rate_cell(fires[:0], sources[:0], True) == "-"


def test_rows_count_images_once_and_sources_by_their_source():
    first = [(1, "o/a", "clean", 0.9, True), (1, "o/b", "clean", 0.1, False)]
    rows = rows_of([*first, (1, "p/a", "clean", 0.9, True), (1, "q/a", "web", 0.9, True)])
    assert cells.Table(rows).row("x", rows.labels == 1, False).startswith("| x | 3 | 3 | 0.67 | ")


def test_each_ai_image_stands_beside_its_nearest_genuine_ones(monkeypatch):
    monkeypatch.setattr("measure.pairs.NEAREST", 2)
    angles = np.array([0.0, 0.1, 0.2, 1.5, 1.6])
    ai, genuine = nearest_genuine(np.stack((np.cos(angles), np.sin(angles)), axis=1), np.array([1, 0, 0, 0, 1]))
    assert list(zip(ai.tolist(), genuine.tolist(), strict=True)) == [(0, 1), (0, 2), (4, 3), (4, 2)]


def test_pairs_weigh_by_both_sides():
    first = [(1, "a", "clean", 0.9, True), (0, "b", "clean", 0.5, False)]
    rows = rows_of([*first, (0, "c", "clean", 0.95, True), (1, "d", "clean", 0.5, False)])
    ai, genuine = np.array([0, 0, 3]), np.array([1, 2, 1])
    auc, recall = pair_measures(rows, ai, genuine, np.ones(4))
    assert (auc, recall) == (0.5, 0.0), "one won, one lost, one tie; nothing lies above the highest genuine image"
    auc, recall = pair_measures(rows, ai, genuine, np.array([1.0, 1, 0, 1]))
    assert auc == pytest.approx(0.75) and recall == pytest.approx(0.5)


def test_matched_sets_train_nothing():
    training = {row["repo"].split("/")[0].lower() for row in read_csv(SPLIT_FILE) if row["split"] == "train"}
    rows = read_csv(MATCHED_FILE)
    assert not {row["repo"].split("/")[0].lower() for row in rows} & training
    assert len({row["sha256"] for row in rows}) == len(rows) and {row["label"] for row in rows} == {"ai", "real"}


def test_kept_files_of_the_matched_sets_name_images_of_the_list():
    labels = {row["sha256"]: row["label"] for row in read_csv(MATCHED_FILE)}
    assert {row["picture"] for row in read_csv(RUNS["full_image_specialist"] / "matched_scores.csv")} == set(labels)
    short = {image[:SHORT]: label for image, label in labels.items()}
    assert all((short[row["image"]], short[row["genuine"]]) == ("ai", "real") for row in read_csv(PAIRS_FILE))
    assert {row["image"] for row in read_csv(CROPS_FILE)} <= set(labels)


def test_a_pair_counts_at_the_levels_that_have_both_images():
    rows = rows_of([(1, "a", "clean", 0.9, True), (0, "b", "clean", 0.5, False), (0, "c", "clean", 0.95, True)])
    lines = pair_lines(rows, [("0", "1"), ("0", "2"), ("0", "elsewhere")])
    assert len(lines) == 3 and lines[2].startswith("| none | 2 | 0.500 ")


def test_every_image_of_the_ordinary_sets_is_in_one_row_of_the_table_of_tasks():
    measured = table.Measured.read()
    rows = measured.verdict("test", "later")
    counts = {
        line.split("|")[1].strip(): int(line.split("|")[2].replace(",", "")) for line in table.tasks(measured)[1:]
    }
    edited = "images edited by AI (whole, part or face): recall"
    ai = sum(counts[name] for name in ("generated images: recall", edited, "images with a swapped face: recall"))
    genuine = sum(count for name, count in counts.items() if name.startswith("genuine "))
    clean = rows.labels[rows.level == "clean"]
    assert (ai, genuine) == ((clean == 1).sum(), (clean == 0).sum())


def test_groups_that_are_too_small_for_a_row_are_named_below_the_table():
    first = [(1, "o/a", "clean", 0.9, True), (1, "o/a", "clean", 0.1, False)]
    rows = rows_of([*first, (1, "p/b", "clean", 0.9, True), (0, "q/c", "clean", 0.9, True)])
    lines = list(cells.Table(rows).groups(rows.source, 1, 2, "| last |"))
    assert lines[0].startswith("| o/a | 2 | 1 |") and lines[1] == "| last |"
    assert lines[2:] == ["", "Without a row, because they have fewer than 2 images: p/b 1."]
