"""Tests of lists of later images, of joined score files, and of families of generators."""

from pathlib import Path

import numpy as np
import pytest

from data.later import later_rows
from measure.domain_thresholds import apply_thresholds
from measure.kinds import family_of
from measure.score_file import COLUMNS, read_all, write_scores

BAND = {"photographed": {"threshold": 0.5}, "drawn": {"threshold": 0.9}}


def row(image: str, label: str, kind: str, score: float, illustration: float = 0.0, source: str = "a/x") -> dict:
    return dict(zip(COLUMNS, (image, label, source, "none", kind, "x", "clean", score, illustration), strict=True))


def test_files_are_one_and_no_image_counts_twice(tmp_path: Path):
    first, second = tmp_path / "1.csv", tmp_path / "2.csv"
    write_scores(first, [row("p", "ai", "generated", 0.9), row("q", "real", "camera", 0.1)])
    write_scores(second, [row("r", "real", "camera", 0.6, source="b/y")])
    rows = apply_thresholds(read_all([first, second]), BAND)
    assert rows.fires.tolist() == [True, False, True]
    with pytest.raises(ValueError, match="the same image"):
        read_all([first, first])


@pytest.mark.parametrize(
    ("generator", "family"),
    [
        ("flux-2-klein", "FLUX.2"),
        ("flux-kontext", "FLUX.1"),
        ("midjourney-v7", "Midjourney 7 and 8, niji 7"),
        ("midjourney-6.1", "Midjourney, earlier or unknown version"),
        ("z-ai-image", "Z.ai"),
        ("z-image-turbo", "Z-Image"),
        ("inswapper", "others"),
    ],
)
def test_a_generator_is_of_the_first_family_that_fits(generator: str, family: str):
    assert family_of(np.array([generator])).tolist() == [family]


def test_later_images_are_of_sources_that_no_earlier_list_has_and_few_of_each():
    of = lambda repo, label, digest: {"repo": repo, "label": label, "sha256": digest}
    rows = [
        of("New/a", "ai", "3"),
        of("new/b", "ai", "1"),
        of("New/a", "ai", "2"),
        of("New/a", "real", "4"),
        of("Old/other", "ai", "0"),
    ]
    chosen = later_rows(rows, [of("OLD/a", "real", "9")], most=2)
    assert [(row["source"], row["label"], row["sha256"]) for row in chosen] == [
        ("new", "ai", "1"),
        ("new", "ai", "2"),
        ("new", "real", "4"),
    ]
