"""Tests of packs (training crops in one file): how images are cut, batches are drawn and heads are compared."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from test_full_image import Dimmer, Identity
from test_tuning import LOWER, network

from data.split import ListedImage
from encoder.backbone import CROP_PX
from encoder.features import FEATURES, feature_file
from encoder.package import TUNED
from encoder.rows import RowFile
from tuning import blocks, pack, validate
from tuning.blocks import CONTENT, TRIOS, Pack, product_penalty
from tuning.tune import Run
from tuning.validate import Images, aggregate, difference, plan_of, planned_rows, table

PIXELS = np.random.default_rng(1).integers(0, 256, (61, 83, 3), np.uint8).repeat(9, 0).repeat(9, 1)


def listed(is_ai: bool = False) -> ListedImage:
    """Makes a training image."""
    generator = "x" if is_ai else "none"
    described = (is_ai, "some/repository", generator, "camera", "nature", "train", 747, 549)
    return ListedImage(Path("one.png"), "0123456789abcdef", *described)


def test_a_reconstruction_and_its_originals_are_treated_alike():
    rows = pack.trio_rows(listed(), PIXELS, {"taesd": Identity()}, np.random.default_rng(3))
    found = [(line["generator"], line["crop"], line["is_ai"]) for line, _ in rows]
    assert found == [
        (name, crop, name == "taesd") for name in ("none", "taesd", "softened") for crop in ("middle", "native")
    ]
    assert np.array_equal(rows[0][1], rows[2][1]) and np.array_equal(rows[1][1], rows[3][1])
    assert not np.array_equal(rows[1][1], rows[5][1])
    dimmed = pack.trio_rows(listed(), PIXELS, {"taesd": Dimmer()}, np.random.default_rng(3))
    assert 0.3 < dimmed[2][1].mean() / dimmed[0][1].mean() < 0.7


def test_every_way_of_cutting_gives_crops_of_every_head(monkeypatch):
    cuts = {}
    for seed in range(12):
        for line, crop in pack.training_rows(listed(), PIXELS, {"taesd": Identity()}, np.random.default_rng(seed)):
            assert crop.shape == (CROP_PX, CROP_PX, 3) and crop.dtype == np.uint8
            cuts.setdefault(line["cut"], set()).add(line["crop"])
    assert cuts == {
        "trio": {"middle", "native"},
        "resaved": {"whole", "middle", "native"},
        "sample": {"whole", "middle", "native", "web"},
    }
    assert {
        line["cut"]
        for seed in range(12)
        for line, _ in pack.training_rows(listed(True), PIXELS, {}, np.random.default_rng(seed))
    } == {"resaved", "sample"}


def test_resizing_keeps_images_large_enough_and_shrinks_large_ones():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        assert 256 <= min(pack.resized(PIXELS[:300], rng).shape[:2]) <= 300 * 1.3 + 1
        assert 768 - 1 <= max(pack.resized(np.zeros((1000, 3000, 3), np.uint8), rng).shape[:2]) <= 2048 + 1


def pack_of(folder: Path) -> list[dict]:
    """Writes a pack: two AI and three genuine images of source a, one AI image of source b, and a trio of source c."""
    sources = (("a/x", True), ("a/x", True), ("a/y", False), ("a/y", False), ("a/y", False), ("b/x", True))
    lines = [
        {"source": source, "is_ai": is_ai, "sha256": str(number), "generator": "g" if is_ai else "none"}
        | {"kind": "generated" if is_ai else "camera", "content": "x", "cut": "resaved", "crop": crop}
        for number, (source, is_ai) in enumerate(sources, 1)
        for crop in ("whole", "native")
    ]
    trio = {"source": "c/x", "sha256": "7", "kind": "camera", "content": "x", "cut": "trio"}
    lines += [
        trio | {"is_ai": generator == "taesd", "generator": generator, "crop": crop}
        for generator in ("none", "taesd", "softened")
        for crop in ("middle", "native")
    ]
    crops = RowFile(folder, "crops", 0, CROP_PX * CROP_PX * 3, numbers=np.uint8)
    features, rng = feature_file(folder, 0), np.random.default_rng(1)
    for row, line in enumerate(lines):
        crops.add([(line, np.full(CROP_PX * CROP_PX * 3, row, np.uint8))])
        features.add([(line, rng.normal(size=FEATURES))])
    return lines


def test_a_batch_has_pairs_of_one_source_and_type_and_whole_trios(tmp_path):
    lines = pack_of(tmp_path)
    drawn = Pack(tmp_path)
    pairs = {"images with a partner": 2, "sources with pairs": 1}
    assert drawn.counts() == {"crops": 18, "with features": 18, "images": 7, "trios": 2} | pairs
    assert np.array_equal(drawn.crops[:, 0, 0, 0], np.arange(18))
    rows = drawn.draw(30, np.random.default_rng(2))
    assert len(rows) == 30
    pairs = round(30 * CONTENT / 2)
    for one, other in rows[: 2 * pairs].reshape(-1, 2):
        assert lines[one]["is_ai"] and not lines[other]["is_ai"] and lines[one]["crop"] == lines[other]["crop"]
        assert lines[one]["source"].split("/")[0] == lines[other]["source"].split("/")[0] == "a"
    trio = rows[2 * pairs : 2 * pairs + 3 * round(30 * TRIOS / 3)]
    assert [lines[row]["generator"] for row in trio[:3]] == ["none", "taesd", "softened"]
    targets = drawn.targets(rows)
    assert (~targets.isnan()).sum(1).tolist() == [1] * 30
    assert targets[0, TUNED.index(lines[rows[0]]["crop"])] == 1


def test_crops_without_features_are_trained_but_keep_nothing(tmp_path):
    lines = pack_of(tmp_path)
    index = tmp_path / "features.0.jsonl"
    index.write_text("".join(index.read_text().splitlines(keepends=True)[:6]))
    drawn = Pack(tmp_path)
    assert drawn.counts()["crops"] == 18 and drawn.counts()["with features"] == 6
    rows = drawn.draw(30, np.random.default_rng(2))
    assert max(rows) > 5 and all(lines[other]["source"] == "a/y" for other in rows[1 : 2 * round(30 * CONTENT / 2) : 2])
    features = torch.zeros(3, FEATURES)
    taught = torch.from_numpy(drawn.features[4, :2].astype(np.float32))
    assert blocks.kept_loss(drawn, np.array([6, 17, 9]), features, None).item() == 0
    kept = blocks.kept_loss(drawn, np.array([6, 4, 17]), features, lambda values: values[:, :2])
    assert kept.item() == pytest.approx((taught**2).mean().item())


def test_both_classes_are_resaved_alike(monkeypatch):
    for name, made in {
        "resized": PIXELS,
        "compressed": PIXELS,
        "trio_rows": [({"cut": "trio"}, PIXELS)],
        "product_crops": [("whole", PIXELS)],
        "training_crops": {"whole": PIXELS},
    }.items():
        monkeypatch.setattr(pack, name, lambda *_, made=made: made)
    for is_ai in (True, False):
        cuts = [pack.training_rows(listed(is_ai), PIXELS, {}, np.random.default_rng(seed)) for seed in range(3000)]
        cuts = [rows[0][0]["cut"] for rows in cuts]
        assert cuts.count("resaved") / (len(cuts) - cuts.count("trio")) == pytest.approx(pack.RESAVED, abs=0.025)
        assert cuts.count("trio") / len(cuts) == pytest.approx(0 if is_ai else pack.REBUILT, abs=0.025)


def test_a_pack_is_read_up_to_its_last_whole_line(tmp_path):
    lines = pack_of(tmp_path)
    with (tmp_path / "features.0.jsonl").open("a") as stream:
        stream.write('{"half": ')
    assert pack.read_lines(tmp_path, "features") == lines


def test_features_follow_the_order_of_the_crops_and_resume(tmp_path, monkeypatch):
    lines = pack_of(tmp_path)
    kept = (tmp_path / "features.0.jsonl").read_text().splitlines(keepends=True)[:5]
    (tmp_path / "features.0.jsonl").write_text("".join(kept))
    session = SimpleNamespace(run=lambda _, inputs: [np.full((1, FEATURES), inputs["pixels"].mean())])
    monkeypatch.setattr(pack, "open_backbone", lambda *_: None)
    monkeypatch.setattr(pack, "feature_session", lambda *_: session)
    pack.pack_features(SimpleNamespace(out=tmp_path, backbone=None, calibration=None, watch=False))
    assert [json.loads(line) for line in (tmp_path / "features.0.jsonl").read_text().splitlines()] == lines
    values = np.fromfile(tmp_path / "features.0.bin", np.float16).reshape(-1, FEATURES)
    assert len(values) == 18 and np.array_equal(values[5:, 0], np.arange(5, 18))


def test_the_penalty_is_the_squared_norm_of_the_product_as_a_share_of_the_matrix():
    made = network()
    adapted = made.blocks[0].qkv
    wanted = sum(
        float(((part.up @ part.down).detach() ** 2).sum() / part.squared_norm)
        for part in (adapted, made.blocks[0].projection, made.blocks[0].widen, made.blocks[0].narrow)
    )
    assert product_penalty(made).item() == pytest.approx(wanted, rel=1e-4)
    assert adapted.squared_norm == pytest.approx(float((adapted._start.dense() ** 2).sum()), rel=1e-4)
    product_penalty(made).backward()
    assert torch.isfinite(adapted.up.grad).all() and (adapted.up.grad != 0).any()


def test_images_are_scored_by_the_first_crops_of_the_plan():
    plan = plan_of(3)
    lines = [
        {"sha256": image, "is_ai": image == "i", "source": f"{image}/x", "crop": crop}
        for image in ("i", "j")
        for crop in ("whole", "middle", "middle", "native", "native")
    ]
    rows = planned_rows(lines, plan)
    assert rows == [0, 1, 3, 5, 6, 8]
    images = aggregate([lines[row] for row in rows], np.array([1.0, 2, 3, -1, -2, -3]), plan)
    weights = [plan["kinds"][name]["weight"] for name in ("whole", "middle", "native")]
    assert images.scores == pytest.approx([plan["bias"] + np.dot(weights, side) for side in ([1, 2, 3], [-1, -2, -3])])
    assert images.labels.tolist() == [1, 0] and images.sources.tolist() == ["i", "j"]


def test_another_encoder_computes_features_of_its_own(monkeypatch):
    session = SimpleNamespace(run=lambda _, inputs: [np.full((1, FEATURES), inputs["pixels"].mean())])
    monkeypatch.setattr(validate, "open_backbone", lambda *_: None)
    monkeypatch.setattr(validate, "feature_session", lambda *_: session)
    crops = np.full((3, CROP_PX, CROP_PX, 3), np.array([1, 2, 3], np.uint8)[:, None, None, None])
    assert np.array_equal(validate.features_by(Path("new"), crops)[:, 7], [1, 2, 3])


def test_candidates_are_compared_on_the_same_images():
    labels, sources = np.array([1, 0] * 30), np.repeat([f"s{number}" for number in range(10)], 6)
    scores = np.random.default_rng(1).normal(size=60) + labels
    same, perfect = Images(labels, sources, scores), Images(labels, sources, labels * 1.0)
    lines = table("set", {"shipped": same, "new": perfect})
    assert (
        lines[0].startswith("| set: 30 AI, 30 genuine, 10 sources |")
        and lines[3].startswith("| new | 1.000 ")
        and lines[4].startswith("| difference | +")
    )
    assert difference(same, same, lambda labels, scores: float(scores.mean())) == "+0.000 (+0.000 to +0.000)"


def trained(folder: Path, monkeypatch, aucs: list[float], **args: object) -> tuple[Run, list[dict]]:
    """Trains a network of one block on the pack in `folder`. The validations return `aucs`, one after the other."""
    made, given = network(LOWER, (1,)), iter(aucs)
    width = len(made.mean)
    monkeypatch.setattr(blocks, "FEATURES", width)
    monkeypatch.setattr(blocks, "validate", lambda *_: {"matched": {"AUC": next(given)}})
    run = Run(made, folder / "state.pt", rate=blocks.RATE)
    settings = {
        "steps": 4,
        "batch": 6,
        "validate_every": 2,
        "hours": 1.0,
        "seed": 1,
        "validation": [],
        "state": folder / "state.pt",
    }
    blocks.train(
        run,
        folder,
        lambda features: features[:, :4],
        SimpleNamespace(**settings | {"report": folder / "report.jsonl"} | args),
    )
    return run, [json.loads(line) for line in (folder / "report.jsonl").read_text().splitlines()]


@pytest.fixture
def small_pack(tmp_path, monkeypatch) -> Path:
    """Writes a pack whose features have the width of a network with one block."""
    monkeypatch.setattr("test_pack.FEATURES", 2 * 768)
    monkeypatch.setattr("test_pack.feature_file", lambda folder, share: RowFile(folder, "features", share, 2 * 768))
    pack_of(tmp_path)
    return tmp_path


def test_training_validates_keeps_the_best_average_and_resumes(small_pack, monkeypatch):
    run, report = trained(small_pack, monkeypatch, [0.5, 0.7, 0.6])
    assert run.step == 4 and [line["step"] for line in report] == [0, 2, 4] and report[-1]["crops"] == 24
    best = torch.load(small_pack / "state.best", weights_only=True)
    assert not torch.equal(best["heads.0.4.weight"], run.average["heads.0.4.weight"])
    run, report = trained(small_pack, monkeypatch, [0.8], steps=6)
    assert run.step == 6 and [line["step"] for line in report] == [0, 2, 4, 6]
    assert torch.equal(
        torch.load(small_pack / "state.best", weights_only=True)["heads.0.4.weight"], run.average["heads.0.4.weight"]
    )


def test_training_stops_early_without_a_gain(small_pack, monkeypatch):
    monkeypatch.setattr(blocks, "PATIENCE", 2)
    run, report = trained(small_pack, monkeypatch, [0.7, 0.6, 0.7], steps=100, validate_every=1)
    assert run.step == 2 and [line["mean AUC"] for line in report] == [0.7, 0.6, 0.7]
