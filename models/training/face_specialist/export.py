"""Command: write the trained face specialist as ONNX with its manifest, and check it against PyTorch.

    python -m face_specialist.export --run RUN --out ../face_specialist
"""

import argparse
import hashlib
import json
from pathlib import Path

import torch
from torch import Tensor, nn

from export.verify import milliseconds, verify
from face_specialist.align import TEMPLATE
from face_specialist.network import FaceNetwork
from face_specialist.samples import SampleSettings

OPSET = 17
SIDE_PX = SampleSettings().side_px


class Named(nn.Module):
    """The network with a tuple as its output, one member for each named output of the file."""

    def __init__(self, network: FaceNetwork):
        super().__init__()
        self.network = network

    def forward(self, pixels: Tensor) -> tuple[Tensor]:
        """Uint8 [N,side,side,3] -> (logit [N],)."""
        return (self.network(pixels),)


def export(network: FaceNetwork, path: Path) -> float:
    """Write `path`; gives the largest difference from PyTorch. Raises ValueError where it is over 1e-4."""
    named = Named(network).float().eval()
    torch.onnx.export(
        named,
        (torch.zeros(2, SIDE_PX, SIDE_PX, 3, dtype=torch.uint8),),
        str(path),
        input_names=["pixels"],
        output_names=["logit"],
        dynamic_axes={"pixels": {0: "n"}, "logit": {0: "n"}},
        opset_version=OPSET,
        dynamo=False,
    )
    return verify(path, named, (SIDE_PX, SIDE_PX, 3))


def write_manifest(folder: Path, config: dict) -> None:
    """manifest.json beside model.onnx; `face_specialist.calibrate` sets the calibration."""
    manifest = {
        "id": "face_specialist",
        "version": "1.2.0",
        "file": "model.onnx",
        "sha256": hashlib.sha256((folder / "model.onnx").read_bytes()).hexdigest(),
        "licence": "Apache-2.0",
        "input": {
            "name": "pixels",
            "type": "uint8",
            "layout": "NHWC",
            "color": "RGB",
            "size_px": SIDE_PX,
            "normalisation": "in the graph: (x-127.5)/127.5",
        },
        "outputs": {"logit": "logit"},
        "crop": {"template": TEMPLATE.tolist(), "border": "replicate"},
        "calibration": {"scale": 1.0, "offset": 0.0},
        "cost": {
            "ms_a_face": round(milliseconds(folder / "model.onnx", (1, SIDE_PX, SIDE_PX, 3)), 1),
            "threads": 1,
            "command": "python -m face_specialist.export",
        },
        "training_data": {
            "start": "MobileNetV2 1.0, ImageNet (Apache-2.0)",
            "experiment": config["experiment"],
            "trained": config.get("trained", "whole network"),
            "from": "public repositories listed in sources.csv and faces.csv, training part",
        },
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")


def main() -> None:
    """Read the arguments, export, verify, write the manifest."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    network = FaceNetwork()
    network.load_state_dict(torch.load(arguments.run / "weights.pt", weights_only=True))
    worst = export(network, arguments.out / "model.onnx")
    write_manifest(arguments.out, json.loads((arguments.run / "config.json").read_text()))
    print(f"largest difference from PyTorch {worst:.1e}")


if __name__ == "__main__":
    main()
