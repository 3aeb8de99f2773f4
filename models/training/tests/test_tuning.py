"""Tests of tuning the backbone: the same function as the graph, folded adapters, resumed runs and whole crops."""

import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnxruntime
import pytest
import torch
from test_encoder import BACKBONE, CROPS, shipped, smoothed, tokens_of  # noqa: F401 (fixtures)

from data.split import ListedImage
from encoder.backbone import Backbone
from encoder.export import build
from encoder.package import TUNED, packaged_heads
from encoder.unpack import read_constants, unpack_backbone
from export import arithmetic
from face_specialist.roster import FaceImage
from tuning import fold, producers, tune
from tuning.blocks import save_trained
from tuning.feed import SHARES, Feed, Ring
from tuning.fold import moved
from tuning.network import TunedBlock, TunedEncoder

LOWER = Backbone(BACKBONE.patch, BACKBONE.class_token, BACKBONE.positions, BACKBONE.before_blocks, BACKBONE.blocks[:1])
NONE = float("nan")
TARGETS = torch.tensor([[0, NONE, NONE, NONE, NONE], [NONE, 1, NONE, 0, 0], [NONE, NONE, 1, 1, NONE]])
PIXELS = torch.from_numpy(CROPS)


def network(backbone: Backbone = LOWER, blocks: tuple[int, ...] = (1,)) -> TunedEncoder:
    """Makes a TunedEncoder with standardised features, whose adapters and norms are not in their initial state."""
    torch.manual_seed(1)
    made = TunedEncoder(backbone, blocks)
    made.mean.normal_(0, 1)
    made.dev.uniform_(0.5, 2)
    for name, value in made.named_parameters():
        if name.endswith(".up") or ".norm" in name:
            value.data += torch.randn_like(value) * 0.03
    return made


def learn(run: tune.Run, batches: int, steps: int = 10) -> list[float]:
    """Trains on the same crops and returns the mean loss of each step. The step number determines the order."""
    run.network.train()
    orders = (np.random.default_rng(run.step).permutation(len(PIXELS)) for _ in range(batches))
    return [run.learn(PIXELS[order], TARGETS[order], steps).mean().item() for order in orders]


def test_a_block_starts_as_the_graph_computes_it():
    lower, wanted = tokens_of(LOWER, "float"), tokens_of(BACKBONE, "float")
    with torch.no_grad(), arithmetic.fast_products("cpu"):
        found = TunedBlock(BACKBONE.blocks[1])(torch.from_numpy(lower)).float().numpy()
    assert np.sqrt(((found - wanted) ** 2).mean()) < 0.02 * (wanted - lower).std()


@pytest.mark.parametrize(
    ("flags", "numbers"),
    [
        ("avx2 fma avx512f", torch.float32),
        ("avx512f avx512_bf16", torch.bfloat16),
        ("avx512_bf16 amx_bf16 amx_tile", torch.bfloat16),
    ],
)
def test_products_are_in_bfloat16_only_where_the_processor_multiplies_it(monkeypatch, flags: str, numbers: torch.dtype):
    monkeypatch.setattr(
        arithmetic, "HERE", arithmetic.multiplies_bfloat16(f"processor : 0\nflags : fpu {flags} sse2\n")
    )
    block, seen = TunedBlock(BACKBONE.blocks[0]), []
    block.qkv.register_forward_hook(lambda _, inputs, output: seen.append(output.dtype))
    with torch.no_grad(), arithmetic.fast_products("cpu"):
        block(torch.zeros(1, 2, 768))
    assert (block.qkv.weight.dtype, seen) == (numbers, [numbers])


def test_moved_tells_how_far_the_matrices_went():
    made = network()
    assert moved(LOWER, made.merged(0)) == pytest.approx([0], abs=1e-6)
    whole, half = moved(LOWER, made.merged(1)), moved(LOWER, made.merged(0.5))
    assert whole[0] > 0.01 and half == pytest.approx([whole[0] / 2], rel=1e-3)


def test_adapters_norms_and_standardisation_fold_into_what_the_graph_computes():
    made = network(BACKBONE, (1, 2)).eval()
    with torch.no_grad():
        found = made(PIXELS).numpy()

    def judged(share: float) -> np.ndarray:
        session = onnxruntime.InferenceSession(
            build(made.merged(share), (1, 2), made.folded_heads(), "float").SerializeToString()
        )
        return np.concatenate([session.run(None, {"pixels": crop[None]})[0] for crop in CROPS])

    assert np.abs(found - judged(1.0)).max() < 0.05 * found.std()
    assert np.abs(found - judged(0.0)).max() > 0.2 * found.std()


def test_a_run_from_a_shipped_encoder_folds_back_with_the_heads_that_were_not_trained(shipped, tmp_path, monkeypatch):  # noqa: F811
    start = shipped / "encoder"
    made = TunedEncoder(unpack_backbone(read_constants(start)), (1, 2), packaged_heads(start)).eval()
    for name, value in made.named_parameters():
        if name.endswith(".up") or name.startswith(("heads.0.", "heads.1.", "heads.2.")):
            value.data += torch.randn_like(value) * 0.03
    save_trained(tmp_path / "trained.npz", made.state_dict())
    np.save(tmp_path / "crops.npy", CROPS)
    monkeypatch.setattr(fold, "BLOCKS", (1, 2))
    args = {
        "backbone": start,
        "state": tmp_path / "trained.npz",
        "calibration": tmp_path / "crops.npy",
        "out": tmp_path / "new",
    }
    monkeypatch.setattr("sys.argv", ["fold", *(f"--{name}={value}" for name, value in args.items())])
    fold.main()
    before, after = packaged_heads(start), packaged_heads(tmp_path / "new")
    kept = [column for column in before if np.array_equal(before[column].second, after[column].second)]
    assert kept == ["manipulated", "generated", "face", "drawn", "token"]
    session = onnxruntime.InferenceSession(tmp_path / "new/cpu.onnx")
    found = np.concatenate([session.run(["logits"], {"pixels": crop[None]})[0] for crop in CROPS])[:, : len(TUNED)]
    with torch.no_grad():
        wanted = made(PIXELS).numpy()
    assert np.abs(found - wanted).max() < 0.3 * wanted.std()


def test_a_share_of_the_change_lies_between_the_towers():
    start, half, whole = (network().merged(share).blocks[0] for share in (0.0, 0.5, 1.0))
    assert np.array_equal(start.qkv.dense(), LOWER.blocks[0].qkv.dense())
    assert np.array_equal(start.before_mlp.bias, LOWER.blocks[0].before_mlp.bias)
    for middle, ends in (
        (half.qkv.dense(), (start.qkv.dense(), whole.qkv.dense())),
        (half.before_mlp.gain, (start.before_mlp.gain, whole.before_mlp.gain)),
    ):
        assert np.abs(ends[1] - ends[0]).max() > 0.01
        assert np.allclose(middle, sum(ends) / 2, atol=1e-6)


def test_a_run_that_was_stopped_goes_on_as_if_it_had_not(tmp_path):
    whole = tune.Run(network(), tmp_path / "whole.pt")
    learn(whole, 4)
    for _ in range(2):
        run = tune.Run(network(), tmp_path / "parts.pt")
        learn(run, 2)
        run.save()
    assert run.step == 4
    for name, value in whole.network.state_dict().items():
        assert torch.equal(value, run.network.state_dict()[name]), name
        assert torch.equal(whole.average[name], run.average[name]), name
    assert not torch.equal(whole.average["heads.0.4.weight"], whole.network.heads[0][4].weight)


def test_tuning_lowers_the_loss_and_leaves_the_towers_own_matrices(tmp_path):
    run = tune.Run(network(), tmp_path / "unused.pt")
    before = {name: value.clone() for name, value in run.network.named_buffers()}
    losses = learn(run, 25, 1000)
    assert np.mean(losses[-4:]) < 0.7 * np.mean(losses[:4])
    for name, value in run.network.named_buffers():
        assert torch.equal(value, before[name]), name


def test_a_step_in_parts_is_the_step_of_the_whole_batch(tmp_path):
    whole, parts = (tune.Run(network().eval(), tmp_path / "unused.pt") for _ in range(2))
    means = [run.learn(PIXELS, TARGETS, 10, at_once) for run, at_once in ((whole, None), (parts, 1))]
    assert torch.allclose(*means, rtol=1e-2)
    for mine, other in zip(whole.network.heads.parameters(), parts.network.heads.parameters(), strict=True):
        assert torch.nn.functional.cosine_similarity(mine.grad.flatten(), other.grad.flatten(), 0) > 0.999


def test_a_head_without_an_answer_gets_no_gradient():
    made = network()
    targets = TARGETS.clone()
    targets[:, TUNED.index("whole")] = NONE
    loss, by_column = tune.losses_of(made.eval()(PIXELS), targets)
    loss.backward()
    for column, head, mean in zip(TUNED, made.heads, by_column, strict=True):
        learns = column != "whole"
        assert all((parameter.grad != 0).any().item() == learns for parameter in head.parameters()), column
        assert (mean > 0).item() == learns


def test_a_generated_face_weighs_more_than_a_genuine_one():
    logits = torch.zeros(2, 5)
    answers = torch.full((2, 5), NONE)
    answers[:, 3], answers[:, 4] = torch.tensor([0.0, 1.0]), torch.tensor([0.0, 1.0])
    loss, by_column = tune.losses_of(logits, answers)
    log2 = np.log(2)
    assert by_column[3].item() == pytest.approx(log2) and by_column[4].item() == pytest.approx(
        log2 * (1 + tune.GENERATED_FACES) / 2
    )
    assert loss.item() == pytest.approx(log2 * (3 + tune.GENERATED_FACES) / 4)


def test_a_ring_gives_whole_crops_with_their_own_targets_while_it_is_written(tmp_path):
    ring, stop = Ring(tmp_path, "one", 4, new=True), threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            ring.put(np.uint8(number % 251), np.float32(number % 251))
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        reader, random = Ring(tmp_path, "one", 4), np.random.default_rng(1)
        while not reader.made:
            pass
        for _ in range(150):
            crops, targets = reader.draw(3, random)
            assert np.array_equal(crops.min((1, 2, 3)), crops.max((1, 2, 3)))
            assert np.array_equal(crops[:, 0, 0, 0], targets[:, 0])
    finally:
        stop.set()
        writer.join()
    assert ring.made > 50


def test_a_ring_gives_no_slot_that_was_never_filled(tmp_path):
    ring, random = Ring(tmp_path, "one", 50, new=True), np.random.default_rng(1)
    with pytest.raises(ValueError):
        ring.draw(1, random)
    for number in (1, 2):
        ring.put(np.uint8(number), producers.target_of(native=1))
    crops, targets = ring.draw(200, random)
    assert set(crops[:, 0, 0, 0]) == {1, 2}
    assert np.array_equal(targets, np.tile(producers.target_of(native=1), (200, 1)), equal_nan=True)


def test_a_batch_has_each_kind_of_crop_by_its_share(tmp_path):
    rings = {kind: [Ring(tmp_path, f"{kind}.{index}", 8, new=True) for index in (0, 1)] for kind in SHARES}
    feed = Feed(rings, 20, [1], "cpu")
    for number, kind in enumerate(SHARES):
        for _ in range(4):
            rings[kind][0].put(np.uint8(number), producers.target_of())
    assert feed.holds(5) and not feed.holds(6) and feed.made() == dict.fromkeys(SHARES, 4)
    for ring in rings["images"]:
        for _ in range(8):
            ring.put(np.uint8(0), producers.target_of())
    assert feed.holds(20) and not feed.holds(40)
    for kind in ("faces", "pairs"):
        for ring in rings[kind]:
            for _ in range(8):
                ring.put(np.uint8(list(SHARES).index(kind)), producers.target_of())
    assert feed.holds(1000)
    crops, targets = feed.next()
    assert np.bincount(crops[:, 0, 0, 0]).tolist() == [14, 4, 2] and targets.shape == (20, 5)


def test_crops_train_the_heads_that_may_learn_from_them():
    columns = {
        crop: TUNED[int(np.flatnonzero(producers.image_target({"crop": crop, "is_ai": True}) == 1)[0])]
        for crop in ("native", "web", "middle", "whole")
    }
    assert columns == {"native": "native", "web": "native", "middle": "middle", "whole": "whole"}
    wanted = {"genuine": [0, 0], "manipulated": [1, NONE], "generated": [NONE, 1]}
    for label, answers in wanted.items():
        assert np.array_equal(
            producers.face_target({"label": label}), np.array([NONE] * 3 + answers, np.float32), equal_nan=True
        )


def test_faces_are_drawn_by_their_share_and_paired_fakes_only_where_one_can_be_made():
    def face(label: str, source: str, drawable: bool) -> SimpleNamespace:
        entry = SimpleNamespace(label=label, method="", image=SimpleNamespace(source=source))
        return SimpleNamespace(entry=entry, points=np.zeros((66, 2)) if drawable else None)

    faces = [
        face("genuine", "a", True),
        face("genuine", "a", False),
        face("generated", "a", False),
        face("manipulated", "b", False),
    ]
    draw = producers.face_drawing(faces, np.random.default_rng(1))
    drawn = [draw() for _ in range(2000)]
    for sort, share in producers.FACE_SHARES.items():
        assert np.mean([found == sort for found, _ in drawn]) == pytest.approx(share, abs=0.04)
    assert all(face.points is not None if sort == "paired_fake" else face.entry.label == sort for sort, face in drawn)


def test_a_drawn_face_brings_its_paired_fake(monkeypatch):
    crop = np.random.default_rng(2).integers(0, 256, (288, 288, 3), dtype=np.uint8)
    image = ListedImage(Path("f.png"), "0" * 64, False, "a", "none", "camera", "face", "train", 288, 288)
    entry = FaceImage(image, "genuine", "", "g", "train")
    face = SimpleNamespace(entry=entry, index=0, name="f", points=np.zeros((66, 2)))
    pool = SimpleNamespace(faces=[face], pixels=lambda _: crop, partner=lambda *_: face)
    monkeypatch.setattr(producers, "FakeMaker", lambda _: SimpleNamespace(make=lambda *_: 255 - crop))
    monkeypatch.setattr(producers, "FACE_SHARES", {"paired_fake": 1.0})
    draw = producers.face_draw(
        SimpleNamespace(face_pool=lambda: pool, autoencoders=None), np.random.default_rng(1), "cpu"
    )
    (genuine, shown), (paired_fake, made) = draw()
    assert (
        genuine["label"] == "genuine"
        and paired_fake["label"] in ("manipulated", "generated")
        and genuine["pair"] == paired_fake["pair"]
    )
    assert shown.shape == made.shape and (shown != made).any()


def test_every_kind_of_crop_has_a_producer():
    assert producers.divide(18) == {"images": 13, "faces": 3, "pairs": 2}
    assert producers.divide(3) == {"images": 1, "faces": 1, "pairs": 1}
    with pytest.raises(ValueError, match="3 at least"):
        producers.divide(2)
