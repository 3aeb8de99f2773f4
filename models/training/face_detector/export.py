"""Writes the trained face detector as ONNX with its manifest, and compares it with PyTorch.

    python -m face_detector.export --teacher yunet_n.pth --run RUNS/face_detector --out ../face_detector

The released weights are a mean of the teacher's and the trained weights (weight-space ensembles, Wortsman 2022). The
trained weights are better on our images and worse on others.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from export import VERSION
from export.command import command_parser
from export.session import milliseconds, open_session
from face_detector.network import Detector

OPSET = 17
LONG_SIDE_PX = 640
"""Longer side in px of the network's input. A square of this size takes less than 20 ms on one core, and a face of 64
px in an image of 4,000 px still has 10 px."""
TRAINED_SHARE = 0.3
"""Share of the trained weights in the mean. Of 0, 0.3, 0.6 and 1 it was the best on validation scenes."""
TOLERANCE = 1e-4
"""Maximum difference of ONNX Runtime and PyTorch: absolute for scores, by the input's side for boxes and points."""


def between(start: Mapping[str, Tensor], end: Mapping[str, Tensor], share: float) -> dict[str, Tensor]:
    """Returns the weighted mean of two sets of weights. `share` 0 returns `start` and 1 returns `end`.

    Integer values, such as the batch counters of normalisation layers, come from `end` (Wortsman 2022).
    """
    return {
        name: torch.lerp(start[name], value, share) if value.is_floating_point() else value
        for name, value in end.items()
    }


def export(network: Detector, path: Path) -> float:
    """Writes the ONNX file and returns its largest difference from PyTorch, on random pixels in two sizes and batches.

    Raises ValueError if the difference exceeds TOLERANCE.
    """
    network.eval()
    example = torch.zeros(1, 64, 96, 3, dtype=torch.uint8)
    names = ["scores", "boxes", "points"]
    torch.onnx.export(
        network,
        (example,),
        str(path),
        input_names=["pixels"],
        output_names=names,
        dynamic_axes={"pixels": {0: "n", 1: "height", 2: "width"}} | {name: {0: "n", 1: "cells"} for name in names},
        opset_version=OPSET,
        dynamo=False,
    )
    session = open_session(path)
    worst = 0.0
    for shape in ((2, 224, 320, 3), (1, 640, 480, 3)):
        pixels = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
        with torch.no_grad():
            wanted = network(torch.from_numpy(pixels))
        for name, given, expected in zip(names, session.run(names, {"pixels": pixels}), wanted, strict=True):
            difference = np.abs(given - expected.numpy()).max() / (1 if name == "scores" else max(shape[1:3]))
            worst = max(worst, float(difference))
    if worst > TOLERANCE:
        raise ValueError(f"ONNX differs from PyTorch by {worst:.2e}, allowed is {TOLERANCE:.0e}")
    return worst


def write_manifest(folder: Path, score_threshold: float, config: dict) -> None:
    """Writes manifest.json next to model.onnx. It also states the time for one input on one core of this machine."""
    square, wide = (
        round(milliseconds(folder / "model.onnx", (1, rows, LONG_SIDE_PX, 3)), 1) for rows in (LONG_SIDE_PX, 480)
    )
    manifest = {
        "id": "face_detector",
        "version": VERSION,
        "file": "model.onnx",
        "sha256": hashlib.sha256((folder / "model.onnx").read_bytes()).hexdigest(),
        "licence": "Apache-2.0",
        "input": {
            "name": "pixels",
            "type": "uint8",
            "layout": "NHWC",
            "color": "RGB",
            "long_side_px": LONG_SIDE_PX,
            "multiple": 32,
            "normalisation": "in the graph: x/64",
        },
        "outputs": {"scores": "scores", "boxes": "boxes", "points": "points"},
        "detect": {"score_threshold": score_threshold, "nms_iou": 0.3, "max_faces": 64},
        "cost": {"ms_640x640": square, "ms_640x480": wide, "threads": 1, "command": "python -m face_detector.export"},
        "training_data": {
            "start": "YuNet-n (libfacedetection.train, Apache-2.0)",
            "trained_share": config["trained_share"],
            "teacher": "YuNet-n at several scales",
            "pictures": config["pictures"] + config["portraits"],
            "from": "public repositories listed in sources.csv and faces.csv, training split",
        },
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")


def main() -> None:
    parser = command_parser(__doc__, "run", "out")
    parser.add_argument("--teacher", type=Path, required=True, help="yunet_n.pth")
    parser.add_argument("--trained-share", type=float, default=TRAINED_SHARE)
    parser.add_argument("--score-threshold", type=float, default=0.35)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    teacher, trained = Detector(), Detector()
    teacher.load_teacher(args.teacher)
    trained.load_state_dict(torch.load(args.run / "weights.pt", weights_only=True))
    network = Detector()
    network.load_state_dict(between(teacher.state_dict(), trained.state_dict(), args.trained_share))
    worst = export(network, args.out / "model.onnx")
    config = json.loads((args.run / "config.json").read_text()) | {"trained_share": args.trained_share}
    write_manifest(args.out, args.score_threshold, config)
    print(f"largest difference from PyTorch {worst:.1e}")


if __name__ == "__main__":
    main()
