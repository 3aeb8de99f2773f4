"""Remakes the full-image specialist's heads and manifest from collected data: the steps in order, each a command of its own.

    python -m full_image.make --tower ../encoder --pictures PICTURES --sources sources.csv --autoencoders TAESD
        --work FOLDER --model NEW_FOLDER [--rounds 2]

With `--tower clip_encoder.int8.onnx` WORK/calibration.npy is cut first and sets the int8 of a tower made anew; `encoder.package` then wants both. A step whose output is there is not run again; the step that was stopped goes on. WORK/heads.npz and WORK/drawn.npz then go into `encoder.package` with the
face specialist's heads. WORK/validation.csv and WORK/test.csv are what measure.promise, measure.table and measure.plots read.
"""

import argparse
from pathlib import Path

from export.steps import Step, into, run_steps
from full_image.plans import DEFAULT_VIEWS


def steps(a: argparse.Namespace) -> list[Step]:
    """All steps from collected pictures to the score files."""
    pictures = ["--pictures", a.pictures, "--sources", a.sources]
    drawn = ["--pictures", a.work / "drawn", "--sources", a.work / "drawn/index.csv"]
    tower, calibration = ["--tower", a.tower], a.work / "calibration.npy"
    heads, facts, manifest = a.work / "heads.npz", a.work / "facts.json", a.model / "manifest.json"
    medium, rule = a.work / "drawn.npz", a.work / "drawn.json"
    found = [Step(a.work / "drawn/index.csv", ["data.drawn", "--out", a.work / "drawn"])]
    if a.tower.is_file():
        found.append(Step(calibration, ["encoder.calibration", *pictures, "--out", calibration]))
        tower += ["--calibration", calibration]
    training = []
    for seed in range(1, a.rounds + 1):
        for name, listed in (("", pictures), ("_drawn", drawn)):
            folder = a.work / f"train{name}.{seed}"
            found.append(into(folder, ["encoder.features", "train", *tower, *listed, "--seed", seed]))
            training.append(folder)
    pairs = a.work / "pairs"
    found.append(into(pairs, ["full_image.pairs", *tower, *pictures, "--autoencoders", a.autoencoders]))
    parts = ("validation", "test")
    found += [into(a.work / part, ["encoder.features", "pictures", "--part", part, *tower, *pictures]) for part in parts]
    found += [
        Step(heads, ["full_image.train", "--features", *training, "--pairs", pairs, "--facts", facts, "--out", heads]),
        Step(rule, ["full_image.medium", "--features", *training, "--validation", a.work / "validation", "--out", medium, "--rule", rule]),
        Step(manifest, ["full_image.plans", "fit", "--features", a.work / "validation", "--heads", heads, medium, "--facts", facts,
                        "--rule", rule, "--manifest", manifest]),
    ]
    # Thresholds are set on all views, whose verdicts early exit keeps; rates are of what ships.
    views = {"validation": ["--views", DEFAULT_VIEWS], "test": []}
    return found + [
        Step(a.work / f"{part}.csv", ["full_image.plans", "score", "--part", part, "--features", a.work / part, "--heads", heads, medium,
                                      "--manifest", manifest, *views[part], "--out", a.work / f"{part}.csv"]) for part in parts]


def main() -> None:
    """Command line; stops at the first step that fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("tower", "pictures", "sources", "autoencoders", "work", "model"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=2, help="training views of each picture and kind")
    run_steps(steps(parser.parse_args()))


if __name__ == "__main__":
    main()
