"""Remakes the face specialist from collected data, after the face finder: the steps in order, each a command of its own.

    python -m face_specialist.make --pictures PICTURES --faces FACES --weights SHARED_WEIGHTS --csv FOLDER --labels LABELS
                                   --finder ../face_detector --work FOLDER --model NEW_FOLDER [--steps 3000]

LABELS is what `face_detector.label` wrote. SHARED_WEIGHTS has `imagenet/` and `taesd/`; the folder of `--csv` has
`faces.csv` and `sources.csv`. A step whose output is there is not run again.
"""

import argparse
from pathlib import Path

from export.steps import Step, run_steps


def steps(a: argparse.Namespace) -> list[Step]:
    """All steps from collected pictures to score files and measures."""
    crops, start, run = a.work / "crops", a.work / "start", a.work / "run"
    lists = ["--faces-csv", a.csv / "faces.csv", "--sources-csv", a.csv / "sources.csv"]
    pictures = ["--pictures", a.faces, a.pictures, "--labels", a.labels]
    trained = ["--crops", crops, "--imagenet", a.weights / "imagenet/mobilenet_v2_imagenet.npz", *lists]

    def scores(part: str) -> Step:
        out = a.work / f"{part}.csv"
        models = ["--finder", a.finder, "--specialist", a.model]
        return Step(out, ["face_specialist.predict", *pictures, *models, *lists, "--part", part, "--out", out])

    validation, test, calibrated = scores("validation"), scores("test"), a.work / "calibrated.csv"
    return [
        Step(
            crops / "crops.npy",
            ["face_specialist.crops", *pictures, "--csv", a.csv / "faces.csv", a.csv / "sources.csv", "--out", crops],
        ),
        Step(
            crops / "made_of.npy",
            ["face_specialist.reconstruct", "--crops", crops, "--autoencoders", a.weights / "taesd", *lists],
        ),
        Step(start / "weights.pt", ["face_specialist.probe", *trained, "--run", start]),
        Step(
            run / "weights.pt",
            ["face_specialist.train", *trained, "--start", start / "weights.pt", "--run", run, "--steps", a.steps],
        ),
        Step(a.model / "model.onnx", ["face_specialist.export", "--run", run, "--out", a.model]),
        validation,
        Step(
            calibrated,
            ["face_specialist.calibrate", "--scores", validation.output, "--model", a.model, "--out", calibrated],
        ),
        test,
        Step(
            a.work / "test.json",
            ["face_specialist.evaluate", "--scores", test.output, "--thresholds-from", calibrated]
            + ["--out", a.work / "test.json"],
        ),
    ]


def main() -> None:
    """Command line; stops at the first step that fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("pictures", "faces", "weights", "csv", "labels", "finder", "work", "model"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=3000)
    run_steps(steps(parser.parse_args()))


if __name__ == "__main__":
    main()
