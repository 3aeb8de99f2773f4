"""Tests of collecting, splitting and degrading, where errors would leak test images or reveal the class of an image."""

import csv
import hashlib
import lzma
import subprocess
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from data import near_duplicates
from data.collect import collect
from data.degrade import LEVELS, degrade, jpeg, shrink_to, to_level
from data.graphics import KINDS, draw
from data.images import read_image
from data.mix import MAX_RELATIVE_WEIGHT, draw_weights, effective_number, match_classes
from data.near_duplicates import nearest
from data.split import DUPLICATES_FILE, SPLIT_FILE, Split, load_images, read_csv
from encoder.features import FEATURES, feature_file
from encoder.golden import synthetic_image

SOURCES = Path(__file__).resolve().parents[1] / "data/sources.csv.xz"


@pytest.fixture
def clone(tmp_path: Path) -> tuple[Path, dict]:
    """Returns a clone with one file, and the file's CSV row."""
    repo = tmp_path / "clones" / "owner+name"
    repo.mkdir(parents=True)
    (repo / "a.png").write_bytes(b"content")
    git = ["git", "-C", str(repo), "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for command in (["init", "-q"], ["add", "a.png"], ["commit", "-q", "-m", "add"]):
        subprocess.run([*git, *command], check=True)
    commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    return tmp_path, {
        "label": "real",
        "repo": "owner/name",
        "commit": commit,
        "path": "a.png",
        "format": "PNG",
        "sha256": hashlib.sha256(b"content").hexdigest(),
    }


def write_csv(path: Path, *rows: dict) -> Path:
    """Writes a CSV with these rows, compressed if the file name says so."""
    with (lzma.open if path.suffix == ".xz" else open)(path, "wt", newline="") as stream:
        writer = csv.DictWriter(stream, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
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
    assert collect(write_csv(folder / "c.csv.xz", other), folder / "clones", folder / "out")[0] == 1


def test_collect_finds_a_file_by_its_object_when_its_path_is_gone(clone):
    folder, row = clone
    blob = hashlib.sha1(b"blob 7\0content").hexdigest()
    lost = {**row, "commit": "1" * 40, "path": "elsewhere.png"}
    assert collect(write_csv(folder / "d.csv", lost), folder / "clones", folder / "out") == (0, {"owner/name": 1})
    assert collect(write_csv(folder / "d.csv", {**lost, "blob": blob}), folder / "clones", folder / "out", jobs=2) == (
        1,
        {},
    )


def test_no_repository_is_in_two_splits():
    rows = read_csv(SPLIT_FILE)
    assert len({row["repo"] for row in rows}) == len(rows)
    assert {row["split"] for row in rows} == {"train", "validation", "test"}


def test_near_duplicates_leave_the_later_split():
    duplicates = read_csv(DUPLICATES_FILE)
    order = ("train", "validation", "test")
    assert duplicates and all(order.index(row["duplicate_split"]) < order.index(row["split"]) for row in duplicates)
    source = next(row["repo"] for row in read_csv(SPLIT_FILE) if row["split"] == duplicates[0]["split"])
    assert not Split().holds(duplicates[0]["split"], source, duplicates[0]["sha256"])
    assert Split().holds(duplicates[0]["split"], source, "0" * 64)


def test_the_test_split_is_broad():
    splits = Split()
    test = [row for row in read_csv(SOURCES) if splits.split_of(row["repo"]) == "test"]
    assert len({row["repo"] for row in test}) >= 40
    assert len({row["repo"] for row in test if row["label"] == "ai"}) >= 15
    assert len({row["generator"] for row in test if row["label"] == "ai"}) >= 25
    assert len({row["repo"] for row in test if row["label"] == "real"}) >= 25


def test_no_repository_outweighs_the_rest_of_validation(tmp_path):
    repo = next(row["repo"] for row in read_csv(SPLIT_FILE) if row["split"] == "validation")
    row = {"label": "real", "repo": repo, "format": "PNG", "width": "9", "height": "9", "generator": ""}
    row |= {"kind": "art", "content": "art"}
    rows = [{**row, "sha256": hashlib.sha256(bytes([index])).hexdigest()} for index in range(40)]
    for image in rows:
        (tmp_path / f"{image['sha256'][:16]}.png").touch()
    for name, listed in (
        ("validation.csv", rows),
        ("train.csv", [{**image, "repo": "drawn"} for image in rows]),
        ("nobody.csv", [{**image, "repo": "of/nobody"} for image in rows]),
    ):
        write_csv(tmp_path / name, *listed)
    assert len(load_images(tmp_path, tmp_path / "validation.csv")) == 30
    assert len(load_images(tmp_path, tmp_path / "train.csv")) == 40
    with pytest.raises(ValueError, match="of/nobody is not in split.csv"):
        load_images(tmp_path, tmp_path / "nobody.csv")


def described(source: str, generator: str, kind: str, count: int, is_ai: bool = True) -> list[SimpleNamespace]:
    return [SimpleNamespace(source=source, generator=generator, kind=kind, is_ai=is_ai)] * count


def test_a_gallery_of_many_generators_counts_once_and_sources_of_one_class_half():
    images = [
        *(each for name in "abcdefgh" for each in described("gallery/of-many", name, "generated", 4)),
        *described("gallery/real", "none", "camera", 8, False),
        *described("other/one", "x", "generated", 32),
        *described("other/real", "none", "camera", 8, False),
        *described("lone/one", "x", "generated", 32),
    ]
    weights = draw_weights(images)
    share = {
        source: sum(weight for image, weight in zip(images, weights, strict=True) if image.source == source)
        for source in ("gallery/of-many", "other/one", "lone/one")
    }
    assert share["gallery/of-many"] == pytest.approx(share["other/one"])
    assert share["lone/one"] == pytest.approx(share["other/one"] / 2)
    assert weights[[image.is_ai for image in images]].sum() == pytest.approx(0.5)
    assert effective_number(["a", "a", "b", "b"], np.ones(4)) == pytest.approx(2)


def test_edits_are_drawn_half_as_often_and_no_image_too_often():
    images = [
        *described("a/a", "x", "generated", 50),
        *described("b/b", "y", "edited", 50),
        *described("c/c", "z", "generated", 1),
        *described("d/d", "none", "art", 10, False),
    ]
    weights = draw_weights(images)
    assert weights[:50].sum() == pytest.approx(2 * weights[50:100].sum())
    assert weights[100] <= MAX_RELATIVE_WEIGHT * weights[:101].mean() * 1.001


def test_matched_classes_have_the_same_contents():
    labels, clusters = np.repeat([0, 1], 50), np.array([0] * 40 + [1] * 10 + [0] * 20 + [1] * 30)
    matched = match_classes(np.full(100, 0.01), labels, clusters)
    share = [matched[(labels == label) & (clusters == 0)].sum() / matched[labels == label].sum() for label in (0, 1)]
    assert share[0] == pytest.approx(share[1], abs=0.02)


@pytest.mark.parametrize("kind", KINDS)
def test_a_drawn_image_repeats_with_its_seed_and_is_no_blank(kind):
    first, again, other = (np.asarray(draw(kind, np.random.default_rng(seed))) for seed in (5, 5, 6))
    assert np.array_equal(first, again)
    assert first.shape != other.shape or not np.array_equal(first, other)
    assert first.shape[0] >= 480 and first.std() > 5


def test_levels_hold_their_size_and_leave_small_images_unscaled():
    image = synthetic_image(1000, 500)
    assert to_level(image, "clean") is image
    assert to_level(image, "web").shape == (384, 768, 3)
    assert to_level(image, "hard").shape == (256, 512, 3)
    assert shrink_to(image[:100, :100], LEVELS["hard"][0]).shape == (100, 100, 3)


def test_lower_jpeg_quality_is_further_from_the_image():
    image = synthetic_image(256, 256)
    errors = [np.abs(jpeg(image, quality).astype(int) - image).mean() for quality in (95, 60, 30)]
    assert errors == sorted(errors) and errors[0] > 0


def test_degrade_repeats_with_its_seed_and_differs_without():
    image = synthetic_image(200, 200)
    runs = [degrade(image, np.random.default_rng(seed)) for seed in (4, 4, 5)]
    assert np.array_equal(runs[0], runs[1]) and not np.array_equal(runs[0], runs[2])


def test_near_duplicates_are_found_by_direction_not_by_length():
    rng = np.random.default_rng(2)
    earlier = rng.normal(0, 1, (50, 16)).astype(np.float32)
    middle = earlier.mean(0)
    index, cosine = nearest(middle + 3 * (earlier[[7, 30]] - middle), earlier)
    assert index.tolist() == [7, 30] and cosine.min() > 0.999
    assert nearest(rng.normal(0, 1, (5, 16)).astype(np.float32), earlier)[1].max() < 0.95


def test_near_duplicates_of_several_folders_are_found_and_those_of_images_not_at_hand_are_kept(
    tmp_path: Path, monkeypatch
):
    rng = np.random.default_rng(3)
    values = {name: rng.normal(0, 1, FEATURES).astype(np.float32) for name in "abcdef"}
    values["e"] = values["b"]  # an image of the test split that is also in a second training folder
    folders = {"one": "ac", "two": "ba", "validation": "d", "test": "ef"}
    for folder, names in folders.items():
        file = feature_file(tmp_path / folder, 0)
        file.add([({"sha256": name, "crop": "whole", "tier": "clean"}, values[name]) for name in names])
        file.finish()
    kept = tmp_path / "near_duplicates.csv"
    kept.write_text(
        "sha256,split,duplicate_of,duplicate_split,similarity\nd,validation,gone,train,0.9\nf,test,a,train,0.88\n"
    )
    monkeypatch.setattr(near_duplicates, "DUPLICATES_FILE", kept)
    parts = [["--train", "one", "two"], ["--validation", "validation"], ["--test", "test"]]
    monkeypatch.setattr(
        "sys.argv",
        [
            "near_duplicates",
            *(word if word.startswith("--") else str(tmp_path / word) for words in parts for word in words),
        ],
    )
    near_duplicates.main()
    assert [row["sha256"] + row["duplicate_of"] for row in read_csv(kept)] == ["dgone", "eb"]


def test_an_image_with_damaged_exif_data_is_read_as_it_is_stored(tmp_path):
    path = tmp_path / "image.png"
    Image.new("RGB", (8, 4)).save(path, exif=b"Exif\0\0\xff\xff\xbeZ\x17#\xff\xff")
    assert read_image(path).shape == (4, 8, 3)
