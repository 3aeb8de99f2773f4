"""Collecting, splitting, degrading: what a leak or a class-dependent trace would come through."""
import csv
import hashlib
import subprocess
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from data.collect import collect
from data.degrade import TIERS, degrade, jpeg, shrink_to, to_tier
from data.drawn import KINDS, draw
from data.mix import MOST_DRAWN, draw_weights, effective_number, match_classes
from data import near_duplicates
from data.near_duplicates import nearest
from data.split import DUPLICATES_FILE, SPLIT_FILE, Split, load_pictures, read_csv
from encoder.features import FEATURES, feature_file
from encoder.golden import synthetic_picture

SOURCES = Path(__file__).resolve().parents[4] / "shared/data/sources.csv"


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


def test_collect_finds_a_file_by_its_object_when_its_path_is_gone(clone):
    folder, row = clone
    blob = hashlib.sha1(b"blob 7\0content").hexdigest()
    lost = {**row, "commit": "1" * 40, "path": "elsewhere.png"}
    assert collect(write_csv(folder / "d.csv", lost), folder / "clones", folder / "out") == (0, {"owner/name": 1})
    assert collect(write_csv(folder / "d.csv", {**lost, "blob": blob}), folder / "clones", folder / "out", jobs=2) == (1, {})


def test_no_repository_is_in_two_parts():
    rows = read_csv(SPLIT_FILE)
    assert len({row["repo"] for row in rows}) == len(rows)
    assert {row["part"] for row in rows} == {"train", "validation", "test"}


def test_twins_leave_the_later_part():
    twins = read_csv(DUPLICATES_FILE)
    order = ("train", "validation", "test")
    assert twins and all(order.index(row["twin_part"]) < order.index(row["part"]) for row in twins)
    source = next(row["repo"] for row in read_csv(SPLIT_FILE) if row["part"] == twins[0]["part"])
    assert not Split().holds(twins[0]["part"], source, twins[0]["sha256"])
    assert Split().holds(twins[0]["part"], source, "0" * 64)


@pytest.mark.skipif(not SOURCES.is_file(), reason="the list of pictures is not beside the project")
def test_the_test_part_is_broad():
    split = Split()
    test = [row for row in read_csv(SOURCES) if split.part_of(row["repo"]) == "test"]
    assert len({row["repo"] for row in test}) >= 40
    assert len({row["repo"] for row in test if row["label"] == "ai"}) >= 15
    assert len({row["generator"] for row in test if row["label"] == "ai"}) >= 25
    assert len({row["repo"] for row in test if row["label"] == "real"}) >= 25


def test_no_repository_outweighs_the_rest_of_validation(tmp_path):
    repo = next(row["repo"] for row in read_csv(SPLIT_FILE) if row["part"] == "validation")
    row = {"label": "real", "repo": repo, "format": "PNG", "width": "9", "height": "9", "kind": "art", "content": "art", "generator": ""}
    rows = [{**row, "sha256": hashlib.sha256(bytes([index])).hexdigest()} for index in range(40)]
    for picture in rows:
        (tmp_path / f"{picture['sha256'][:16]}.png").touch()
    for name, listed in (("validation.csv", rows), ("train.csv", [{**picture, "repo": "drawn"} for picture in rows]),
                         ("nobody.csv", [{**picture, "repo": "of/nobody"} for picture in rows])):
        with (tmp_path / name).open("w", newline="") as stream:
            writer = csv.DictWriter(stream, fieldnames=list(listed[0]))
            writer.writeheader()
            writer.writerows(listed)
    assert len(load_pictures(tmp_path, tmp_path / "validation.csv")) == 30
    assert len(load_pictures(tmp_path, tmp_path / "train.csv")) == 40
    with pytest.raises(ValueError, match="of/nobody is not in split.csv"):
        load_pictures(tmp_path, tmp_path / "nobody.csv")


def described(source: str, generator: str, kind: str, count: int, is_ai: bool = True) -> list[SimpleNamespace]:
    return [SimpleNamespace(source=source, generator=generator, kind=kind, is_ai=is_ai)] * count


def test_a_gallery_of_many_generators_counts_once_and_owners_of_one_class_half():
    pictures = [*(each for name in "abcdefgh" for each in described("gallery/of-many", name, "generated", 4)), *described("gallery/real", "none", "camera", 8, False),
                *described("other/one", "x", "generated", 32), *described("other/real", "none", "camera", 8, False), *described("lone/one", "x", "generated", 32)]
    weights = draw_weights(pictures)
    share = {source: sum(weight for picture, weight in zip(pictures, weights, strict=True) if picture.source == source)
             for source in ("gallery/of-many", "other/one", "lone/one")}
    assert share["gallery/of-many"] == pytest.approx(share["other/one"])
    assert share["lone/one"] == pytest.approx(share["other/one"] / 2)
    assert weights[[picture.is_ai for picture in pictures]].sum() == pytest.approx(0.5)
    assert effective_number(["a", "a", "b", "b"], np.ones(4)) == pytest.approx(2)


def test_edits_are_drawn_half_as_often_and_no_picture_too_often():
    pictures = [*described("a/a", "x", "generated", 50), *described("b/b", "y", "edited", 50), *described("c/c", "z", "generated", 1), *described("d/d", "none", "art", 10, False)]
    weights = draw_weights(pictures)
    assert weights[:50].sum() == pytest.approx(2 * weights[50:100].sum())
    assert weights[100] <= MOST_DRAWN * weights[:101].mean() * 1.001


def test_matched_classes_have_the_same_contents():
    labels, clusters = np.repeat([0, 1], 50), np.array([0] * 40 + [1] * 10 + [0] * 20 + [1] * 30)
    matched = match_classes(np.full(100, 0.01), labels, clusters)
    share = [matched[(labels == label) & (clusters == 0)].sum() / matched[labels == label].sum() for label in (0, 1)]
    assert share[0] == pytest.approx(share[1], abs=0.02)


@pytest.mark.parametrize("kind", KINDS)
def test_a_drawn_picture_repeats_with_its_seed_and_is_no_blank(kind):
    first, again, other = (np.asarray(draw(kind, np.random.default_rng(seed))) for seed in (5, 5, 6))
    assert np.array_equal(first, again)
    assert first.shape != other.shape or not np.array_equal(first, other)
    assert first.shape[0] >= 480 and first.std() > 5


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


def test_twins_are_found_by_direction_not_by_length():
    rng = np.random.default_rng(2)
    earlier = rng.normal(0, 1, (50, 16)).astype(np.float32)
    middle = earlier.mean(0)
    index, cosine = nearest(middle + 3 * (earlier[[7, 30]] - middle), earlier)
    assert index.tolist() == [7, 30] and cosine.min() > 0.999
    assert nearest(rng.normal(0, 1, (5, 16)).astype(np.float32), earlier)[1].max() < 0.95


def test_twins_of_several_folders_are_found_and_those_of_pictures_not_at_hand_are_kept(tmp_path: Path, monkeypatch):
    rng = np.random.default_rng(3)
    values = {name: rng.normal(0, 1, FEATURES).astype(np.float32) for name in "abcdef"}
    values["e"] = values["b"]  # a picture of test that a second folder of training has
    folders = {"one": "ac", "two": "ba", "validation": "d", "test": "ef"}
    for folder, names in folders.items():
        file = feature_file(tmp_path / folder, 0)
        file.add([({"sha256": name, "view": "whole", "tier": "clean"}, values[name]) for name in names])
        file.finish()
    kept = tmp_path / "near_duplicates.csv"
    kept.write_text("sha256,part,twin_sha256,twin_part,similarity\nd,validation,gone,train,0.9\nf,test,a,train,0.88\n")
    monkeypatch.setattr(near_duplicates, "DUPLICATES_FILE", kept)
    parts = [["--train", "one", "two"], ["--validation", "validation"], ["--test", "test"]]
    monkeypatch.setattr("sys.argv", ["near_duplicates", *(word if word.startswith("--") else str(tmp_path / word) for words in parts for word in words)])
    near_duplicates.main()
    assert [row["sha256"] + row["twin_sha256"] for row in read_csv(kept)] == ["dgone", "eb"]
