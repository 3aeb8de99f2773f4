"""
Loading the project's models for the Python baseline. Sessions have one thread, because one process runs per core.
"""
import json
import math
import os
from dataclasses import dataclass
from pathlib import Path

import onnxruntime

FOLDER = Path(os.environ.get("TELLTALE_MODELS_DIR", Path(__file__).parents[3] / "models"))


@dataclass
class Model:
    """A network and its manifest."""

    manifest: dict
    session: onnxruntime.InferenceSession

    def run(self, pixels) -> dict:
        """Runs the network on uint8 [N,H,W,3] and returns its outputs by name."""
        names = [output.name for output in self.session.get_outputs()]
        return dict(zip(names, self.session.run(names, {"pixels": pixels})))


def read(name: str) -> dict:
    """Reads a manifest or the file of thresholds."""
    return json.loads((FOLDER / name).read_text())


def load(name: str, file: str) -> Model:
    """Loads a network from the folder `name` of the models."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    path = str(FOLDER / name / file)
    return Model(read(f"{name}/manifest.json"), onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]))


def sigmoid(logit: float) -> float:
    """Converts log odds to a probability."""
    return 1 / (1 + math.exp(-logit))


def logit(probability: float) -> float:
    """Converts a probability to log odds, which are finite even for 0 and 1."""
    inside = min(max(probability, 1e-9), 1 - 1e-9)
    return math.log(inside / (1 - inside))


ENCODER = load("encoder", read("encoder/manifest.json")["files"]["cpu"]["file"])
DETECTOR = load("face_detector", read("face_detector/manifest.json")["file"])
FULL = read("full_image_specialist/manifest.json")
FACE = read("face_specialist/manifest.json")
BANDS = read("bands.json")["profiles"]["balanced"]


def picture_threshold(drawn: float) -> float:
    """
    Returns the threshold of an image that is drawn with probability `drawn`. Interpolates in log odds between the
    thresholds for photographs and drawings, and rounds up to four decimals.
    """
    share, bands = round(drawn, 4), BANDS["full_image_specialist"]
    odds = (1 - share) * logit(bands["photographed"]["threshold"]) + share * logit(bands["drawn"]["threshold"])
    return math.ceil(sigmoid(odds) * 1e4 - 1e-6) / 1e4


def encode(view) -> dict[str, float]:
    """
    Returns the logits of one crop, by column of the encoder's output. Runs one crop at a time, because the
    encoder's quantisation depends on all crops of a run.
    """
    outputs = ENCODER.manifest["outputs"]
    return dict(zip(outputs["columns"], ENCODER.run(view[None])[outputs["logits"]][0].tolist()))
