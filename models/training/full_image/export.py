"""Exports the full-image network: cast, transposition and normalisation inside the graph, dynamic batch, fixed size.

    python -m full_image.export --weights RUN/ema.pt [--start FORMER/ema.pt --share 0.7] --px 192 --out model.onnx

With `--start`, what is written lies that share of the way from the former run's weights to RUN's.
"""
import argparse
import warnings
from pathlib import Path

import onnx
import torch

from export.between import between
from export.verify import milliseconds, verify
from full_image.networks import FullImageNetwork

OPSET = 17


def export(network: FullImageNetwork, px: int, out: Path) -> float:
    """Writes the ONNX file and returns its greatest difference from PyTorch in logits."""
    network = network.cpu().to(memory_format=torch.contiguous_format).eval()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(network, (torch.zeros(2, px, px, 3, dtype=torch.uint8),), str(out), dynamo=False, opset_version=OPSET,
                          input_names=["pixels"], output_names=["patch_logit", "global_logit"],
                          dynamic_axes={name: {0: "N"} for name in ("pixels", "patch_logit", "global_logit")})
    onnx.checker.check_model(onnx.load(out))
    return verify(out, network, (px, px, 3))


def load_network(weights: Path, start: Path | None = None, share: float = 1.0) -> FullImageNetwork:
    """The network of a run's weights, or of those `share` of the way to them from `start`, in evaluation mode."""
    state = torch.load(weights, weights_only=True)
    if start:
        state = between(torch.load(start, weights_only=True), state, share)
    network = FullImageNetwork()
    network.load_state_dict(state)
    return network.eval()


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="weights of a former run")
    parser.add_argument("--share", type=float, default=0.7)
    parser.add_argument("--px", type=int, default=192)
    parser.add_argument("--views", type=int, default=9)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    worst = export(load_network(arguments.weights, arguments.start, arguments.share), arguments.px, arguments.out)
    print(f"{arguments.out}: {arguments.out.stat().st_size / 1e6:.2f} MB, differs from PyTorch by {worst:.1e}")
    shape = (arguments.views, arguments.px, arguments.px, 3)
    print(f"{arguments.views} views of {arguments.px} px: {milliseconds(arguments.out, shape):.1f} ms on one thread")


if __name__ == "__main__":
    main()
