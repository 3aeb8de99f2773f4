"""What ships on owners that nobody had seen: rows of several files, counted by kind."""
from pathlib import Path

import numpy as np
import pytest

from measure.fresh import kinds_of, row_of
from measure.medium_thresholds import apply_thresholds
from measure.score_file import read_all, write_scores

BAND = {"photographed": {"threshold": 0.5}, "drawn": {"threshold": 0.9}}


def row(picture: str, label: str, kind: str, score: float, drawn: float = 0.0, source: str = "a/x") -> dict:
    return {"picture": picture, "label": label, "source": source, "generator": "none", "kind": kind, "content": "x", "tier": "clean", "score": score, "drawn": drawn}


def test_files_are_one_and_no_picture_counts_twice(tmp_path: Path):
    first, second = tmp_path / "1.csv", tmp_path / "2.csv"
    write_scores(first, [row("p", "ai", "generated", 0.9), row("q", "real", "camera", 0.1)])
    write_scores(second, [row("r", "real", "camera", 0.6, source="b/y")])
    rows = apply_thresholds(read_all([first, second]), BAND)
    assert rows.fires.tolist() == [True, False, True]
    assert row_of(rows, "clean").startswith("| clean | 1 of 1 | 2 of 2 | 1.000 ")
    with pytest.raises(ValueError, match="the same picture"):
        read_all([first, first])


def test_kinds_are_told_the_most_pictures_first(tmp_path: Path):
    path = tmp_path / "scores.csv"
    write_scores(path, [row("p", "ai", "swapped", 0.9), row("q", "ai", "generated", 0.8), row("r", "ai", "generated", 0.8, drawn=1.0), row("s", "real", "art", 0.2)])
    told = kinds_of(apply_thresholds(read_all([path]), BAND))
    assert told == ["| AI | generated | 1 of 2 | 0 of 0 | 0 of 0 |", "| AI | swapped | 1 of 1 | 0 of 0 | 0 of 0 |", "| genuine | art | 0 of 1 | 0 of 0 | 0 of 0 |"]
    assert np.char.count(told, "|").tolist() == [6, 6, 6]
