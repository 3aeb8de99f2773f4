"""The models of the project, as the Python peer loads them: one thread a session, since there is a process a core."""
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
        """Outputs by name for uint8 [N,H,W,3]."""
        names = [output.name for output in self.session.get_outputs()]
        return dict(zip(names, self.session.run(names, {"pixels": pixels})))

    def score(self, logit: float) -> float:
        """The calibrated score of a logit."""
        calibration = self.manifest["calibration"]
        return 1 / (1 + math.exp(-(calibration["scale"] * logit + calibration["offset"])))


def load(name: str) -> Model:
    """Loads the network `name`."""
    manifest = json.loads((FOLDER / name / "manifest.json").read_text())
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    path = str(FOLDER / name / manifest["file"])
    return Model(manifest, onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]))


FULL = load("full_image_specialist")
DETECTOR = load("face_detector")
FACE = load("face_specialist")
BANDS = json.loads((FOLDER / "bands.json").read_text())["profiles"]["balanced"]
