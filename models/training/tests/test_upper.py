"""Tuning the upper blocks: it starts as the encoder that ships, learns from rows of the lower ones, and leaves those as they are."""
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch
from test_encoder import TOWER, tokens_of

from encoder.quantise import even_tower, with_loud
from encoder.unpack import read_constants, unpack_tower
from encoder.package import TUNED, packaged_heads
from encoder.tower import Tower
from tuning.lower import LOWER, lower_file, lower_row, lower_session
from tuning.tune import Run
from tuning.upper import LowerRows, UpperEncoder, drawn

ENCODER = Path(__file__).parents[2] / "encoder"
random = np.random.default_rng(1)
VIEWS = np.stack([np.kron(random.integers(0, 256, (28, 28, 3)), np.ones((8, 8, 1))) for _ in range(4)]).astype(np.uint8)


@pytest.fixture(scope="module", name="tower")
def shipped_tower() -> Tower:
    return unpack_tower(read_constants(ENCODER))


@pytest.fixture(scope="module", name="rows")
def lower_rows(tower: Tower, tmp_path_factory: pytest.TempPathFactory) -> LowerRows:
    session, folder = lower_session(tower), tmp_path_factory.mktemp("lower")
    for share in range(2):
        lower_file(folder, share).add([({"sha256": f"{share}.{number}"}, lower_row(session, VIEWS[2 * share + number])) for number in range(2)])
    return LowerRows(folder)


def network(tower: Tower, rows: LowerRows) -> UpperEncoder:
    made = UpperEncoder(tower, packaged_heads(ENCODER))
    with torch.no_grad():
        made.standardise(made.features(rows.of(np.arange(4))))
    return made


def test_before_it_learns_it_judges_as_the_encoder_that_ships(tower, rows):
    session = onnxruntime.InferenceSession(ENCODER / "cpu.onnx")
    wanted = np.concatenate([session.run(["logits"], {"pixels": view[None]})[0] for view in VIEWS])[:, :len(TUNED)]
    with torch.no_grad():
        found = network(tower, rows).eval()(rows.of(np.arange(4))).numpy()
    # On average: a single logit may differ by more, because the graph computes in int8 and heads differ in steepness.
    assert np.abs(found - wanted).mean() < 0.05 * wanted.std()
    assert np.abs(found[::-1] - wanted).mean() > 0.08 * wanted.std()


def test_it_learns_and_leaves_the_lower_blocks_bit_for_bit(tower, rows, tmp_path):
    made, targets = network(tower, rows), torch.tensor([[1.0] * 5, [0.0] * 5] * 2)
    run = Run(made.train(), tmp_path / "state.pt", 0.9)
    losses = [run.learn(rows.of(np.arange(4)), targets, 100).mean().item() for _ in range(12)]
    assert np.mean(losses[-3:]) < np.mean(losses[:3])
    tuned = even_tower(made.merged(1.0), VIEWS, LOWER)
    for index, (before, after) in enumerate(zip(tower.blocks, tuned.blocks, strict=True)):
        same = np.array_equal(before.widen.values, after.widen.values) and np.array_equal(before.before_mlp.gain, after.before_mlp.gain)
        assert same == (index < LOWER)


def test_loud_units_put_back_compute_the_same():
    evened = even_tower(TOWER, VIEWS)
    assert evened.blocks[0].loud is not None
    whole = Tower(evened.patch, evened.class_token, evened.positions, evened.before_blocks, [with_loud(block) for block in evened.blocks])
    wanted = tokens_of(evened, "float")
    assert np.abs(tokens_of(whole, "float") - wanted).max() < 1e-3 * wanted.std()


def test_each_pass_draws_every_row_once_in_another_order():
    passes = [np.concatenate([drawn(step, 10, 3) for step in range(first, first + 3)]) for first in (0, 3)]
    assert all(len(set(rows)) == 9 for rows in passes) and not np.array_equal(*passes)


def test_a_folder_without_rows_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="no rows"):
        LowerRows(tmp_path)
