"""Tests of the encoder with a tiny random backbone: arithmetic, smoothing of ranges, heads and files."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest

from encoder import heads, quantise
from encoder.backbone import CROP_PX, TOKENS, WIDTH, Backbone, Block, Matrix, Norm
from encoder.crops import CropType, cut_crops, region_logit
from encoder.export import TOKEN_COLUMN, WEIGHTS_FILE, FoldedHead, build, digest, write_encoder
from encoder.graph import HALVES, GraphWriter
from encoder.heads import HeadSettings, average_heads, cell_weights, logits_of, moments, save_heads, train_head
from encoder.package import COLUMNS, FACTS, HEADS, facts_of, gather_heads, packaged_heads
from encoder.quantise import OUTLIER_CHANNELS, smooth_backbone
from encoder.reference_engine import ReferenceEngine, sigmoid
from encoder.rows import RowFile, require_finished
from encoder.unpack import read_constants, unpack_backbone
from full_image.delivered import Delivered, fit_plan, see
from full_image.suspicious_region import fit_domain, region_odds, show
from measure.bands import PROFILES
from measure.domain_thresholds import log_odds

OUTLIERS = 1234
"""Index of the MLP unit with much larger values than the others, in each block."""


def random_backbone() -> Backbone:
    """Makes two blocks of plausible size, with channels of different range and one outlier channel each."""
    rng = np.random.default_rng(1)
    normal = lambda *shape: rng.normal(0, 1, shape).astype(np.float32)
    norm = lambda: Norm(np.exp(normal(WIDTH)), 0.1 * normal(WIDTH))
    matrix = lambda rows, columns: quantise.quantise(normal(rows, columns) / np.sqrt(rows), 0.1 * normal(columns))

    def block() -> Block:
        widen = matrix(WIDTH, 4 * WIDTH)
        widen.bias[OUTLIERS] = 300
        return Block(norm(), matrix(WIDTH, 3 * WIDTH), matrix(WIDTH, WIDTH), norm(), widen, matrix(4 * WIDTH, WIDTH))

    return Backbone(
        0.03 * normal(WIDTH, 3, 16, 16), normal(WIDTH), 0.3 * normal(TOKENS + 1, WIDTH), norm(), [block(), block()]
    )


BACKBONE = random_backbone()
CROPS = (
    np.random.default_rng(2).integers(0, 256, (3, CROP_PX // 8, CROP_PX // 8, 3), np.uint8).repeat(8, 1).repeat(8, 2)
)


def tokens_of(backbone: Backbone, arithmetic: str) -> np.ndarray:
    """Returns the tokens after the last block, computed one crop at a time, float32 [N,197,768]."""
    writer = GraphWriter(arithmetic)
    last = writer.tokens(backbone)[-1]
    session = quantise.session_of(writer, [last], threads=1)
    return np.concatenate([session.run(None, {"pixels": crop[None]})[0] for crop in CROPS])


@pytest.fixture(scope="module")
def wanted() -> np.ndarray:
    """Returns the tokens of the float graph."""
    return tokens_of(BACKBONE, "float")


@pytest.fixture(scope="module")
def smoothed() -> Backbone:
    """Returns the backbone quantised as for a release."""
    return smooth_backbone(BACKBONE, CROPS)


def error(found: np.ndarray, wanted: np.ndarray) -> float:
    """Returns the root mean square difference in standard deviations."""
    return float(np.sqrt(((found - wanted) ** 2).mean()) / wanted.std())


def test_int8_stays_near_float_once_evened(wanted, smoothed):
    as_it_is = error(tokens_of(BACKBONE, "int8"), wanted)
    assert error(tokens_of(smoothed, "int8"), wanted) < min(0.05, 0.5 * as_it_is)


def test_evening_keeps_the_function(wanted, monkeypatch):
    monkeypatch.setattr(
        quantise, "quantise", lambda dense, bias: Matrix(dense, np.ones(dense.shape[1], np.float32), bias)
    )
    assert error(tokens_of(smooth_backbone(BACKBONE, CROPS), "float"), wanted) < 1e-4


def test_the_loud_unit_is_kept_in_float_and_weights_take_seven_bits(smoothed):
    for block in smoothed.blocks:
        assert block.outliers.bias.max() == 300 and block.outliers.narrow.shape == (OUTLIER_CHANNELS, WIDTH)
        assert block.narrow.values.shape == (4 * WIDTH - OUTLIER_CHANNELS, WIDTH)
        assert (
            max(np.abs(m.values.astype(int)).max() for m in (block.qkv, block.projection, block.widen, block.narrow))
            <= 64
        )


def random_head(column: str, seed: int, features: int) -> FoldedHead:
    """Makes a head whose logits are about 1 in magnitude."""
    rng = np.random.default_rng(seed)
    first = rng.normal(0, 0.5 / np.sqrt(features), (features, 8)).astype(np.float32)
    return FoldedHead(
        [column],
        first,
        np.ones(8, np.float32),
        rng.normal(0, 1, (8, 1)).astype(np.float32),
        np.array([0.25], np.float32),
    )


@pytest.fixture(scope="module")
def shipped(tmp_path_factory, smoothed) -> Path:
    """Writes a folder of models: the tiny encoder with the full-image specialist's manifest."""
    folder = tmp_path_factory.mktemp("models")
    parts = [random_head(column, seed, 4 * WIDTH) for seed, column in enumerate(COLUMNS)]
    parts.append(random_head(TOKEN_COLUMN, len(parts), 2 * WIDTH))
    write_encoder(
        folder / "encoder", smoothed, (1, 2), parts, {"version": "0", "training_data": {"tuning": "all blocks"}}
    )
    kinds = {"native": {"short_side_px": None, "column": "native"}, "whole": {"short_side_px": 224, "column": "whole"}}
    plan = {
        "views": 3,
        "kinds": {"native": {"count": 2, "weight": 0.5}, "whole": {"count": 1, "weight": 2.0}},
        "bias": -0.5,
    }
    illustration = {"column": "drawn", "kinds": ["native"], "scale": 2.0, "offset": -0.5}
    rule = {
        "kind": "whole",
        "side": 3,
        "photographed": {"scale": 2.0, "offset": -1.0},
        "drawn": {"scale": 1.0, "offset": -3.0},
    }
    manifest = {"kinds": kinds, "drawn": illustration, "part": rule, "default_views": 3, "plans": [plan]}
    (folder / "full_image_specialist").mkdir()
    (folder / "full_image_specialist/manifest.json").write_text(json.dumps(manifest))
    return folder


def test_all_graphs_read_one_file_of_weights_and_agree(shipped):
    folder, logits = shipped / "encoder", {}
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["outputs"]["columns"] == list(COLUMNS)
    for name in ("cpu", "gpu", "tensorrt"):
        assert manifest["files"][name]["sha256"] == digest(folder / f"{name}.onnx")
        outside = [
            c for c in onnx.load(folder / f"{name}.onnx", load_external_data=False).graph.initializer if c.external_data
        ]
        assert {entry.value for c in outside for entry in c.external_data if entry.key == "location"} == {WEIGHTS_FILE}
        assert (folder / f"{name}.onnx").stat().st_size < (folder / WEIGHTS_FILE).stat().st_size / 20
        session = onnxruntime.InferenceSession(folder / f"{name}.onnx")
        for output in ("logits", "tokens"):
            assert manifest["outputs"][output] == output
            logits[name, output] = np.concatenate([session.run([output], {"pixels": crop[None]})[0] for crop in CROPS])
    for output, size in (("logits", len(COLUMNS)), ("tokens", 196)):
        assert logits["cpu", output].shape == (len(CROPS), size)
        for name, least in (("cpu", 0.1), ("tensorrt", 0.01)):
            assert np.abs(logits[name, output] - logits["gpu", output]).mean() < least * logits["gpu", output].std()


def test_tensorrt_gets_operators_of_onnx_alone(shipped):
    model = onnx.load(shipped / "encoder" / "tensorrt.onnx", load_external_data=False)
    assert [(imported.domain, imported.version) for imported in model.opset_import] == [("", 17)]
    onnx.checker.check_model(shipped / "encoder" / "tensorrt.onnx")


def test_other_operators_compute_the_same(smoothed):
    heads, found = [random_head("whole", 1, 4 * WIDTH)], {}
    for arithmetic in HALVES:
        session = onnxruntime.InferenceSession(build(smoothed, (1, 2), heads, arithmetic).SerializeToString())
        found[arithmetic] = np.concatenate([session.run(["logits"], {"pixels": crop[None]})[0] for crop in CROPS])
    for logits in found.values():
        assert np.abs(logits - found["half"]).mean() < 0.1 * found["half"].std()


def test_a_shipped_encoder_is_read_back_and_ships_again_as_it_was(shipped, tmp_path):
    folder = shipped / "encoder"
    heads = packaged_heads(folder)
    kept = gather_heads([], heads)
    write_encoder(tmp_path / "again", unpack_backbone(read_constants(folder)), (1, 2), kept, {"version": "0"})
    again = read_constants(tmp_path / "again")
    for name, values in read_constants(folder).items():
        # The bias contains a sum over weights with normalisation, which may be rounded differently.
        assert np.allclose(values, again[name], rtol=0, atol=1e-6 if name == "patch.bias" else 0), name
    new = random_head("whole", 99, 4 * WIDTH)
    save_heads(tmp_path / "new.npz", [new])
    replaced = gather_heads([tmp_path / "new.npz"], heads)
    assert [np.array_equal(a.second, b.second) for a, b in zip(kept, replaced, strict=True)] == [
        column != "whole" for column in HEADS
    ]


def test_an_encoder_that_ships_again_still_tells_how_it_was_tuned(shipped, tmp_path):
    assert facts_of(shipped / "encoder") == FACTS | {"training_data": FACTS["training_data"] | {"tuning": "all blocks"}}
    assert facts_of(tmp_path / "clip_encoder.int8.onnx") == FACTS


def test_the_shipped_scores_follow_the_manifests(shipped):
    models = ReferenceEngine(shipped)
    pixels = np.concatenate(CROPS, axis=1)
    native_logits = [models.logits(crop) for crop in cut_crops(pixels, CropType("native", None, 2))]
    native = [logits["native"] for logits in native_logits]
    whole = models.logits(cut_crops(pixels, CropType("whole", 224, 1))[0])["whole"]
    score, illustration = models.full_image(pixels)
    assert score == pytest.approx(sigmoid(0.5 * np.mean(native) + 2 * whole - 0.5))
    assert illustration == pytest.approx(sigmoid(2 * np.mean([logits["drawn"] for logits in native_logits]) - 0.5))
    tokens = models.session.run(["tokens"], {"pixels": cut_crops(pixels, CropType("whole", 224, 1))[0][None]})[0][0]
    assert models.suspicious_region(pixels, 0.25) == pytest.approx(sigmoid(1.75 * region_logit(tokens) - 1.5))
    assert models.full_image(np.full((300, 400, 3), 255, np.uint8))[0] == 0.5
    for shift, ends in ((-1, True), (1, False)):
        odds = {"below": sigmoid(0.25 + 0.01 * native[0] - shift), "above": 1 - 1e-9}
        round = {
            "views": 1,
            "kinds": {"native": {"count": 1, "weight": 0.01}},
            "bias": 0.25,
            "bounds": {"photographed": odds, "drawn": odds},
        }
        models._full_image["early_exit"] = {"rounds": [round]}
        assert models.full_image(pixels)[0] == pytest.approx(sigmoid(0.25 + 0.01 * native[0]) if ends else score)
        assert models.full_image(pixels, models._full_image["default_views"])[0] == score


def test_a_folded_head_gives_the_logits_of_the_network_that_was_trained(monkeypatch):
    built, sequential = [], heads.nn.Sequential
    monkeypatch.setattr(heads.nn, "Sequential", lambda *layers: built.append(sequential(*layers)) or built[-1])
    rng = np.random.default_rng(3)
    features = (rng.normal(3, 5, (400, 24)) * np.linspace(0.1, 4, 24)).astype(np.float16)
    labels = (features[:, 0] > features[:, 1]).astype(int)
    weights = cell_weights([("source", label) for label in labels], labels)
    head = train_head(features, labels, weights, "whole", HeadSettings(hidden=16, steps=30, batch=32))
    mean, deviation = moments(features, weights)
    values = heads.torch.from_numpy((features.astype(np.float32) - mean) / deviation)
    wanted = built[0].eval()(values).detach().numpy()
    assert np.abs(logits_of(head, features) - wanted).max() < 0.02 * wanted.std()
    twice = average_heads([head, head])
    assert np.abs(logits_of(twice, features) - logits_of(head, features)).max() < 1e-4


def test_classes_and_the_roots_of_cells_weigh_alike():
    cells = [("a", 1)] * 4 + [("b", 1)] + [("c", 0)]
    weights = cell_weights(cells, np.array([1, 1, 1, 1, 1, 0]))
    assert weights[5] == pytest.approx(0.5)
    assert weights[:4].sum() == pytest.approx(2 * weights[4])


def test_the_encoder_ships_with_every_column_once(tmp_path):
    made = {column: random_head(column, 1, 12) for column in HEADS}
    save_heads(tmp_path / "faces.npz", [made["generated"], made["face"], made["manipulated"]])
    save_heads(tmp_path / "full.npz", [made["whole"], made["native"], made["middle"]])
    save_heads(tmp_path / "drawn.npz", [made["drawn"]])
    save_heads(tmp_path / "less.npz", [made["whole"]])
    save_heads(tmp_path / "token.npz", [made["token"]])
    found = gather_heads([tmp_path / f"{name}.npz" for name in ("full", "token", "faces", "drawn")])
    assert [head.columns for head in found] == [[column] for column in HEADS]
    with pytest.raises(ValueError, match="wanted native, middle"):
        gather_heads([tmp_path / "less.npz", tmp_path / "faces.npz"])
    with pytest.raises(ValueError, match="second head whole"):
        gather_heads([tmp_path / "full.npz", tmp_path / "less.npz"])


def delivered(is_ai: bool, source: str, whole: float, middle: float, native: float) -> Delivered:
    """Makes an image with one whole, two middle and two native crops."""
    logits = np.array([whole]), np.array([middle, middle + 1]), np.array([native, native + 2])
    return Delivered(
        {"is_ai": is_ai, "source": source, "kind": "edited-local" if is_ai else "camera"},
        logits,
        tuple(-kind for kind in logits),
    )


def test_a_plan_takes_the_means_of_the_crops_that_it_names():
    plan = {
        "views": 3,
        "kinds": {"middle": {"count": 1, "weight": 2.0}, "native": {"count": 2, "weight": 0.5}},
        "bias": 0.25,
    }
    head = {"column": "drawn", "kinds": ["whole", "middle"], "scale": 2.0, "offset": 0.5}
    image = delivered(True, "a", 9.0, -1.0, 3.0)
    seen = see([image], plan, head)
    assert (seen.odds[0], seen.crops[0]) == (pytest.approx(2 * -1.0 + 0.5 * 4.0 + 0.25), 3)
    assert seen.illustration[0] == pytest.approx(sigmoid(2 * 1.0 + 0.5))
    plan["kinds"] |= {"whole": {"count": 1, "weight": 1.0}, "middle": {"count": 2, "weight": 1.0}}
    assert see([image], plan, head).illustration[0] == pytest.approx(sigmoid(2 * (-9.0 + 1.0 + 0.0) / 3 + 0.5))


def test_genuine_regions_reach_the_thresholds_as_often_as_the_profiles_target():
    thresholds = {"strict": 0.97, "balanced": 0.9, "sensitive": 0.6}
    regions = np.random.default_rng(5).normal(0, 2, 20000)
    fitted = fit_domain(regions, thresholds)
    reached = {
        name: (fitted["scale"] * regions + fitted["offset"] >= log_odds(value)).mean()
        for name, value in thresholds.items()
    }
    assert reached == {name: pytest.approx(rate, rel=0.35) for name, rate in PROFILES.items()}
    rule = {"photographed": {"scale": 2.0, "offset": -1.0}, "drawn": {"scale": 1.0, "offset": -3.0}}
    assert region_odds(np.array([4.0, 1.0]), np.array([0.25, 1.0]), rule).tolist() == [0.75 * 7 + 0.25 * 1, -2.0]


def test_only_regions_of_images_that_stay_below_are_warned_of():
    manifest = {
        "drawn": {"column": "drawn", "kinds": ["whole"], "scale": 0.0, "offset": -9.0},
        "default_views": 1,
        "plans": [{"views": 1, "kinds": {"whole": {"count": 1, "weight": 1.0}}, "bias": 0.0}],
        "part": {"photographed": {"scale": 1.0, "offset": 0.0}, "drawn": {"scale": 1.0, "offset": 0.0}},
    }
    images = [
        replace(image, line=image.line | {"tier": level}, region=region)
        for level in ("clean", "web", "hard")
        for image, region in (
            (delivered(False, "a", -2, 0, 0), 3.0),
            (delivered(False, "a", -2, 0, 0), 1.0),
            (delivered(True, "b", 4, 0, 0), 3.0),
        )
    ]
    table = show(images, manifest, {"balanced": {"photographed": 0.9, "drawn": 0.9}})
    assert "| balanced: genuine photographs | 0.5000 | 0.5000 | 0.5000 |" in table
    assert "| balanced: AI | 0.0000 | 0.0000 | 0.0000 |" in table
    assert f"| balanced: local edits by people, 1 sources {3 * '| 1 detected, 0 warned of 1 '}|" in table
    assert (
        "| suspicious region, AUC of local edits by people against genuine images | 0.750 (0.750 to 0.750) |" in table
    )


def test_the_region_is_the_highest_mean_of_neighbours():
    tokens = np.zeros((14, 14), np.float32)
    tokens[0, 0], tokens[5:8, 11:14] = 9, 2
    assert region_logit(tokens.ravel()) == 2
    assert region_logit(tokens.ravel(), side=1) == 9


def test_a_fitted_plan_trusts_what_tells_and_never_turns_a_kind_round():
    rng = np.random.default_rng(4)
    images = [
        delivered(is_ai, f"{is_ai}{index % 5}", rng.normal(), 2.5 * (is_ai - 0.5) + rng.normal(), -is_ai + rng.normal())
        for index in range(300)
        for is_ai in (True, False)
    ]
    weights, _ = fit_plan(images, (1, 2, 2))
    assert weights.min() >= 0 and weights[1] > 5 * weights[2]
    assert fit_plan(images, (0, 1, 0))[0][[0, 2]].tolist() == [0, 0]


def test_features_that_were_not_finished_are_refused(tmp_path):
    for share in (0, 1):
        RowFile(tmp_path, "features", share, 4).add([({"sha256": f"{share}"}, np.zeros(4))])
    RowFile(tmp_path, "features", 0, 4).finish()
    with pytest.raises(ValueError, match="features.1.jsonl not finished"):
        require_finished(tmp_path, "features")
    RowFile(tmp_path, "features", 1, 4).finish()
    require_finished(tmp_path, "features")
    RowFile(tmp_path, "features", 0, 4)
    with pytest.raises(ValueError, match="features.0.jsonl not finished"):
        require_finished(tmp_path, "features")
