"""Tuning the upper blocks: the same function as the graph's, adapters folded in without a loss, and runs that go on as if they had not stopped."""
import numpy as np
import pytest
import torch
from test_encoder import TOWER, VIEWS, random_head, tokens_of

from encoder.export import add_heads
from encoder.graph import GraphWriter
from encoder.quantise import session_of
from encoder.tower import WIDTH, Tower
from encoder.upper import TunedBlock
from full_image import tune
from full_image.tuned import tuned_tower

FEATURES = 4 * WIDTH
LOWER = tokens_of(Tower(TOWER.patch, TOWER.class_token, TOWER.positions, TOWER.before_blocks, TOWER.blocks[:1]), "float")


@pytest.fixture(autouse=True)
def two_blocks(monkeypatch):
    """The tiny tower has two blocks: the lower stays, the upper is tuned, heads see both."""
    monkeypatch.setattr(tune, "FROZEN", 1)
    monkeypatch.setattr("full_image.tuned.FROZEN", 1)
    monkeypatch.setattr(tune, "BLOCKS", (1, 2))


def network() -> tune.Tuned:
    """A Tuned of the tiny tower, its adapters no longer idle."""
    torch.manual_seed(1)
    heads = {column: random_head(column, seed, FEATURES) for seed, column in enumerate(tune.VIEWS_OF)}
    rng = np.random.default_rng(3)
    made = tune.Tuned(TOWER, heads, rng.normal(0, 1, FEATURES).astype(np.float32), rng.uniform(0.5, 2, FEATURES).astype(np.float32))
    for name, value in tune.trained(made).items():
        if name.endswith(".up"):
            value.data.normal_(0, 0.01)
    return made


def test_a_tuned_block_starts_as_the_graph_computes_it():
    block = TunedBlock(TOWER.blocks[1])
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        found = block(torch.from_numpy(LOWER)).float().numpy()
    wanted = tokens_of(TOWER, "float")
    assert np.sqrt(((found - wanted) ** 2).mean()) < 0.02 * (wanted - LOWER).std()


def test_adapters_and_standardisation_fold_into_what_the_graph_computes(monkeypatch):
    monkeypatch.setattr("full_image.tuned.even_block", lambda block, index, ranges: block)
    made = network().eval()
    tower = tuned_tower(TOWER, made, VIEWS)
    writer = GraphWriter("float")
    tokens = writer.tokens(tower)
    pooled = [part for index in (0, 1) for part in writer.pool(tokens[index], f"pool{index}")]
    logits = add_heads(writer, writer.node("Concat", pooled, "features", axis=1), list(made.folded_heads().values()))
    graph = session_of(writer, [logits]).get_outputs()[0].name
    session = session_of(writer, [logits])
    wanted = np.concatenate([session.run([graph], {"pixels": view[None]})[0] for view in VIEWS])
    with torch.no_grad():
        found = np.stack([made(torch.from_numpy(LOWER), [column] * len(VIEWS)).numpy() for column in tune.VIEWS_OF], axis=1)
    assert np.abs(found - wanted).max() < 0.03 * wanted.std()


def test_a_run_that_was_stopped_goes_on_as_if_it_had_not(tmp_path):
    batches = [(torch.from_numpy(np.random.default_rng(step).permutation(LOWER)), ["native", "middle", "whole"], torch.tensor([0.0, 1.0, 0.0]))
               for step in range(4)]
    whole = tune.Run(network(), tmp_path / "whole.pt")
    for batch in batches:
        whole.learn(*batch, steps=10)
    for part in (batches[:2], batches[2:]):
        run = tune.Run(network(), tmp_path / "parts.pt")
        for batch in part:
            run.learn(*batch, steps=10)
        run.save()
    assert run.step == 4
    for name, value in tune.trained(whole.network).items():
        assert torch.equal(value, tune.trained(run.network)[name]), name
        assert torch.equal(whole.average[name], run.average[name]), name


def test_tuning_lowers_the_loss_and_leaves_the_towers_own_matrices():
    run = tune.Run(network(), tune.Path("unused.pt"))
    before = run.network.blocks[0].qkv.weight.clone()
    batch = torch.from_numpy(LOWER), ["native", "middle", "whole"], torch.tensor([0.0, 1.0, 0.0])
    losses = [run.learn(*batch, steps=1000).mean() for _ in range(40)]
    assert np.mean(losses[-5:]) < 0.7 * np.mean(losses[:5])
    assert torch.equal(run.network.blocks[0].qkv.weight, before)
