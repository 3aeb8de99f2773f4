"""Remakes the full-image specialist from collected data: the steps in order, each a command of its own.

    python -m full_image.make --pictures PICTURES --faces FACES --weights SHARED_WEIGHTS --work FOLDER
                              --model NEW_FOLDER [--minutes 60 60]

SHARED_WEIGHTS has `imagenet/mobilenet_v2_imagenet.npz` and `taesd/`. A step whose output is there is not run again.
`--minutes` are those of the patch network and of the global network.
"""
import argparse
from pathlib import Path

from export.steps import Step, run_steps


def steps(a: argparse.Namespace) -> list[Step]:
    """All steps from collected pictures to score files."""
    work, model = a.work, a.model
    data = ["--pictures", a.pictures, "--faces", a.faces]
    runs = {"patch": work / "runs/patch", "global": work / "runs/global"}
    files = {"patch": model / "model.onnx", "global": model / "model_global.onnx"}
    train = lambda role, minutes, *more: Step(runs[role] / "ema.pt", [
        "full_image.train", "--role", role, "--planes", work / "planes", "--imagenet", a.weights / "imagenet/mobilenet_v2_imagenet.npz",
        "--run", runs[role], "--minutes", minutes, *more])
    export = lambda role, views: Step(files[role], [
        "full_image.export", "--role", role, "--weights", runs[role] / "ema.pt", "--views", views, "--out", files[role]])
    bank = lambda part: Step(work / f"bank_{part}/rows.json", [
        "full_image.view_bank", "--pictures", a.pictures, "--part", part, "--out", work / f"bank_{part}"])
    predict = lambda part: Step(work / f"{part}_logits.json", [
        "full_image.predict", "--patch-model", files["patch"], "--global-model", files["global"], "--bank", work / f"bank_{part}",
        "--out", work / f"{part}_logits.json"])
    score = lambda part: Step(work / f"{part}.csv", [
        "full_image.evaluate", "--manifest", model / "manifest.json", "--logits", work / f"{part}_logits.json",
        "--out", work / f"{part}.csv"])
    return [
        Step(a.pictures / "near_duplicates.csv", ["data.near_duplicates", *data]),
        Step(work / "planes/planes.json", ["data.plane_store", *data, "--out", work / "planes"]),
        Step(work / "pairs/pairs.json", ["data.fakes", "--planes", work / "planes", "--taesd", a.weights / "taesd",
                                         "--out", work / "pairs"]),
        bank("validation"), bank("test"),
        train("patch", a.minutes[0], "--pairs", work / "pairs"), train("global", a.minutes[1]),
        export("patch", 16), export("global", 1),
        predict("validation"), predict("test"),
        Step(model / "manifest.json", ["full_image.calibrate", "--logits", work / "validation_logits.json", "--folder", model]),
        score("validation"), score("test"),
    ]


def main() -> None:
    """Command line; stops at the first step that fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=Path, required=True)
    parser.add_argument("--faces", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--minutes", type=float, nargs=2, default=(60, 60))
    parser.add_argument("--model", type=Path, required=True, help="folder that model.onnx, model_global.onnx and manifest.json are written to")
    run_steps(steps(parser.parse_args()))


if __name__ == "__main__":
    main()
