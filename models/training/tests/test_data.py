"""Collecting, splitting, degrading: what a leak or a class-dependent trace would come through."""
import csv
import hashlib
import subprocess
from pathlib import Path

import numpy as np
import pytest

from data.collect import collect
from data.degrade import TIERS, degrade, jpeg, shrink_to, to_tier
from data.drawn import KINDS, draw
from data.near_duplicates import HASH_BITS, perceptual_hash
from data.split import CONTENT_FILE, TEST, VALIDATION, part_of
from encoder.golden import synthetic_picture


@pytest.fixture
def clone(tmp_path: Path) -> tuple[Path, dict]:
    """A clone with one file, and its CSV row."""
    repo = tmp_path / "clones" / "owner+name"
    repo.mkdir(parents=True)
    (repo / "a.png").write_bytes(b"content")
    git = ["git", "-C", str(repo), "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for command in (["init", "-q"], ["add", "a.png"], ["commit", "-q", "-m", "add"]):
        subprocess.run([*git, *command], check=True)
    commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    return tmp_path, {"label": "real", "repo": "owner/name", "commit": commit, "path": "a.png", "format": "PNG",
                      "sha256": hashlib.sha256(b"content").hexdigest()}


def write_csv(path: Path, row: dict) -> Path:
    """A CSV of that one row."""
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, fieldnames=list(row))
        writer.writeheader()
        writer.writerow(row)
    return path


def test_collect_checks_the_hash_and_repairs_a_damaged_file(clone):
    folder, row = clone
    out = folder / "out"
    assert collect(write_csv(folder / "a.csv", row), folder / "clones", out) == (1, {})
    name = f"{row['sha256'][:16]}.png"
    (out / name).write_bytes(b"damaged")
    collect(folder / "a.csv", folder / "clones", out)
    assert (out / name).read_bytes() == b"content"


def test_collect_leaves_out_a_file_of_another_hash(clone):
    folder, row = clone
    bad = {**row, "sha256": "0" * 64}
    assert collect(write_csv(folder / "b.csv", bad), folder / "clones", folder / "out") == (0, {"owner/name": 1})
    assert not list((folder / "out").glob("*.png"))


def test_collect_finds_a_file_whose_commit_the_clone_lacks(clone):
    folder, row = clone
    other = {**row, "commit": "1" * 40}
    assert collect(write_csv(folder / "c.csv", other), folder / "clones", folder / "out")[0] == 1


def test_no_source_is_in_two_parts():
    assert not VALIDATION & TEST
    assert {part_of(source) for source in VALIDATION} == {"validation"}
    assert part_of("andygock/stable-diffusion-style-cheatsheet") == "train"


@pytest.mark.parametrize("kind", KINDS)
def test_a_drawn_picture_repeats_with_its_seed_and_is_no_blank(kind):
    first, again, other = (np.asarray(draw(kind, np.random.default_rng(seed))) for seed in (5, 5, 6))
    assert np.array_equal(first, again)
    assert first.shape != other.shape or not np.array_equal(first, other)
    assert first.shape[0] >= 480 and first.std() > 5


def test_content_is_judged_once_and_as_one_of_two():
    with CONTENT_FILE.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len({row["sha256"] for row in rows}) == len(rows)
    assert {row["content"] for row in rows} == {"photograph", "art"}


def test_tiers_hold_their_size_and_leave_small_pictures_unscaled():
    picture = synthetic_picture(1000, 500)
    assert to_tier(picture, "clean") is picture
    assert to_tier(picture, "web").shape == (384, 768, 3)
    assert to_tier(picture, "hard").shape == (256, 512, 3)
    assert shrink_to(picture[:100, :100], TIERS["hard"][0]).shape == (100, 100, 3)


def test_lower_jpeg_quality_is_further_from_the_picture():
    picture = synthetic_picture(256, 256)
    errors = [np.abs(jpeg(picture, quality).astype(int) - picture).mean() for quality in (95, 60, 30)]
    assert errors == sorted(errors) and errors[0] > 0


def test_degrade_repeats_with_its_seed_and_differs_without():
    picture = synthetic_picture(200, 200)
    runs = [degrade(picture, np.random.default_rng(seed)) for seed in (4, 4, 5)]
    assert np.array_equal(runs[0], runs[1]) and not np.array_equal(runs[0], runs[2])


def test_perceptual_hash_survives_delivery_and_tells_pictures_apart():
    rng = np.random.default_rng(2)
    smooth = [np.kron(rng.integers(0, 256, (8, 8, 3), dtype=np.uint8), np.ones((90, 120, 1), np.uint8)) for _ in range(2)]
    same = (perceptual_hash(smooth[0]) != perceptual_hash(to_tier(smooth[0], "hard"))).sum()
    other = (perceptual_hash(smooth[0]) != perceptual_hash(smooth[1])).sum()
    assert same <= HASH_BITS < other
