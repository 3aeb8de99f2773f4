"""Tests of released heads that are trained further: equal results at first, a fixed backbone, and averaged logits."""

from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch

from encoder.heads import average_heads, load_heads, logits_of, save_heads
from encoder.package import TUNED, packaged_heads
from full_image.train import CROPS_OF
from tuning.heads import RATE, averaged_heads, load_for_head_training, read_averaged_heads
from tuning.network import TunedEncoder
from tuning.tune import Run

ENCODER = Path(__file__).parents[2] / "encoder"
random = np.random.default_rng(1)
CROPS = np.stack([np.kron(random.integers(0, 256, (28, 28, 3)), np.ones((8, 8, 1))) for _ in range(4)]).astype(np.uint8)
NONE = float("nan")
TARGETS = torch.tensor(
    [
        [1.0, NONE, NONE, NONE, NONE],
        [NONE, 0.0, NONE, NONE, NONE],
        [NONE, NONE, 1.0, NONE, NONE],
        [0.0, NONE, NONE, NONE, NONE],
    ]
)


@pytest.fixture(scope="module", name="features")
def features_of_crops() -> torch.Tensor:
    with torch.no_grad():
        return load_for_head_training(ENCODER).features(torch.from_numpy(CROPS))


def network(features: torch.Tensor) -> TunedEncoder:
    torch.manual_seed(1)
    made = load_for_head_training(ENCODER)
    made.standardise(features)
    return made


def test_at_first_they_judge_as_the_encoder_that_ships(features):
    session = onnxruntime.InferenceSession(ENCODER / "cpu.onnx")
    wanted = np.concatenate([session.run(["logits"], {"pixels": crop[None]})[0] for crop in CROPS])[:, : len(TUNED)]
    made = network(features).eval()
    assert made.mean.abs().max() > 0.1
    with torch.no_grad():
        found = made(torch.from_numpy(CROPS)).numpy()
    # On average only, because the graph computes in int8 and heads differ in steepness.
    assert np.abs(found - wanted).mean() < 0.05 * wanted.std()


def test_heads_learn_and_the_backbone_stays(features, tmp_path):
    made = load_for_head_training(ENCODER)
    before, run = made.merged(1.0), Run(made.train(), tmp_path / "state.pt", rate=3)
    made.standardise(features)
    losses = [run.learn(torch.from_numpy(CROPS), TARGETS, 100).mean().item() for _ in range(8)]
    assert losses[-1] < losses[0]
    for mine, then in zip(made.merged(1.0).blocks, before.blocks, strict=True):
        assert np.array_equal(mine.qkv.dense(), then.qkv.dense()) and np.array_equal(
            mine.before_mlp.gain, then.before_mlp.gain
        )
    kept, shipped = dict(zip(TUNED, made.folded_heads(), strict=True)), packaged_heads(ENCODER)
    moved = {column: np.abs(kept[column].second - shipped[column].second).max() for column in TUNED}
    # The crops have no labels for faces, so the face heads change only by weight decay.
    assert min(moved[column] for column in CROPS_OF) > 10 * max(moved["manipulated"], moved["generated"])


def test_a_run_learns_at_its_share_of_the_rates(features, tmp_path):
    rates = []
    for share in (1.0, RATE):
        run = Run(network(features).train(), tmp_path / "state.pt", rate=share)
        run.learn(torch.from_numpy(CROPS), TARGETS, 100)
        rates.append([group["lr"] for group in run.optimiser.param_groups])
    assert rates[1] == pytest.approx([RATE * rate for rate in rates[0]]) and min(rates[0]) > 0


def test_joined_logits_are_the_mean_of_all(features, tmp_path):
    made = network(features)
    for head in made.heads:
        head[4].bias.data += 3
    mine = dict(zip(TUNED, made.folded_heads(), strict=True))
    save_heads(tmp_path / "others.npz", [average_heads([mine[column], mine[column]]) for column in CROPS_OF])
    others = read_averaged_heads([ENCODER, tmp_path / "others.npz"])
    save_heads(tmp_path / "out.npz", averaged_heads(made, others))
    joined = {head.columns[0]: head for head in load_heads(tmp_path / "out.npz")}
    assert list(joined) == list(CROPS_OF)
    for column, head in joined.items():
        wanted = np.mean([logits_of(one[column], features.numpy()) for one in (*others, mine)], axis=0)
        assert np.allclose(logits_of(head, features.numpy()), wanted, atol=0.02)
        assert np.abs(wanted - logits_of(others[0][column], features.numpy())).min() > 1


def test_a_file_that_lacks_a_head_is_refused_before_anything_is_learned(tmp_path):
    save_heads(tmp_path / "faces.npz", [packaged_heads(ENCODER)["native"]])
    with pytest.raises(ValueError, match=r"faces\.npz has no head middle, whole"):
        read_averaged_heads([ENCODER, tmp_path / "faces.npz"])
