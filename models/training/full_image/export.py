"""Exports the full-image network: cast, transposition and normalisation inside the graph, dynamic batch, fixed size.

    python -m full_image.export --weights RUN/voted.pt --out model.onnx
"""
import argparse
import warnings
from pathlib import Path

import onnx
import torch

from export.verify import milliseconds, verify
from full_image.networks import PX, FullImageNetwork, load_network

OPSET = 17


def export(network: FullImageNetwork, out: Path) -> float:
    """Writes the ONNX file and returns its greatest difference from PyTorch in logits."""
    network = network.cpu().to(memory_format=torch.contiguous_format).eval()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(network, (torch.zeros(2, PX, PX, 3, dtype=torch.uint8),), str(out), dynamo=False, opset_version=OPSET,
                          input_names=["pixels"], output_names=["patch_logit", "global_logit"],
                          dynamic_axes={name: {0: "N"} for name in ("pixels", "patch_logit", "global_logit")})
    onnx.checker.check_model(onnx.load(out))
    return verify(out, network, (PX, PX, 3))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--views", type=int, default=17, help="rows of the timed run")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    worst = export(load_network(arguments.weights), arguments.out)
    print(f"{arguments.out}: {arguments.out.stat().st_size / 1e6:.2f} MB, differs from PyTorch by {worst:.1e}")
    shape = (arguments.views, PX, PX, 3)
    print(f"{arguments.views} views of {PX} px: {milliseconds(arguments.out, shape):.1f} ms on one thread")


if __name__ == "__main__":
    main()
