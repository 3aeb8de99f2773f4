"""Exports one network of the full-image specialist: cast, transposition and normalisation inside the graph, dynamic batch.

    python -m full_image.export --role patch --weights RUN/ema.pt --out model.onnx --views 16
"""
import argparse
import warnings
from pathlib import Path

import onnx
import torch

from export.verify import milliseconds, verify
from full_image.networks import BUILD, PX, ViewNetwork, load_network

OPSET = 17


def export(network: ViewNetwork, px: int, out: Path) -> float:
    """Writes the ONNX file and returns its greatest difference from PyTorch in logits."""
    network = network.cpu().to(memory_format=torch.contiguous_format).eval()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(network, (torch.zeros(2, px, px, 3, dtype=torch.uint8),), str(out), dynamo=False, opset_version=OPSET,
                          input_names=["pixels"], output_names=["logit"], dynamic_axes={"pixels": {0: "N"}, "logit": {0: "N"}})
    onnx.checker.check_model(onnx.load(out))
    return verify(out, network, (px, px, 3))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--role", choices=list(BUILD), required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--views", type=int, default=1, help="rows of the timed run")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    px = PX[arguments.role]
    worst = export(load_network(arguments.role, arguments.weights), px, arguments.out)
    print(f"{arguments.out}: {arguments.out.stat().st_size / 1e6:.2f} MB, differs from PyTorch by {worst:.1e}")
    taken = milliseconds(arguments.out, (arguments.views, px, px, 3))
    print(f"{arguments.views} views of {px} px: {taken:.1f} ms on one thread")


if __name__ == "__main__":
    main()
