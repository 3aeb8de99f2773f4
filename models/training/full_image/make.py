"""Remakes the full-image specialist from collected data: the steps in order, each a command of its own.

    python -m full_image.make --pictures PICTURES --faces FACES --weights SHARED_WEIGHTS --work FOLDER
                              --model NEW_FOLDER [--minutes 40 75 60]

SHARED_WEIGHTS has `imagenet/mobilenet_v2_imagenet.npz` and `taesd/`. A step whose output is there is not run again.
`--minutes` are those of the trunk's first round, of its second, which adds autoencoder pairs and hard pictures, and of the branches.
"""
import argparse
from pathlib import Path

from export.steps import Step, run_steps


def steps(a: argparse.Namespace) -> list[Step]:
    """All steps from collected pictures to score files."""
    work, model = a.work, a.model
    data = ["--pictures", a.pictures, "--faces", a.faces]
    first, second, branches = (work / "runs" / name / "ema.pt" for name in ("first", "second", "branches"))
    voted, hard, manifest = work / "voted.pt", work / "hard.json", model / "manifest.json"
    planes = ["--planes", work / "planes"]
    imagenet = ["--imagenet", a.weights / "imagenet/mobilenet_v2_imagenet.npz"]
    pairs = ["--pairs", work / "pairs"]
    train = lambda out, minutes, *more: Step(out, ["full_image.train", *planes, "--run", out.parent, "--minutes", minutes, *more])
    bank = lambda part: Step(work / f"bank_{part}/rows.json", [
        "full_image.view_bank", "--pictures", a.pictures, "--part", part, "--px", 128, "--patches", 16, "--out", work / f"bank_{part}"])
    predict = lambda part: Step(work / f"{part}_logits.json", [
        "full_image.predict", "--model", model / "model.onnx", "--bank", work / f"bank_{part}", "--out", work / f"{part}_logits.json"])
    score = lambda part: Step(work / f"{part}.csv", [
        "full_image.evaluate", "--manifest", manifest, "--logits", work / f"{part}_logits.json", "--out", work / f"{part}.csv"])
    return [
        Step(a.pictures / "near_duplicates.csv", ["data.near_duplicates", *data]),
        Step(work / "planes/planes.json", ["data.plane_store", *data, "--out", work / "planes"]),
        Step(work / "pairs/pairs.json", ["data.fakes", *planes, "--taesd", a.weights / "taesd", "--out", work / "pairs"]),
        bank("validation"), bank("test"),
        train(first, a.minutes[0], *imagenet, "--part", "trunk"),
        Step(hard, ["full_image.hard_negatives", *planes, "--weights", first, "--out", hard]),
        train(second, a.minutes[1], "--part", "trunk", "--start", first, *pairs, "--weights", hard, "--rate", "2e-4", "--seed", 2),
        train(branches, a.minutes[2], *imagenet, "--part", "branches", *pairs, "--rate", "3e-4", "--seed", 3),
        Step(voted, ["full_image.votes", "--weights", second, branches, "--bank", work / "bank_validation", "--out", voted]),
        Step(model / "model.onnx", ["full_image.export", "--weights", voted, "--out", model / "model.onnx"]),
        predict("validation"), predict("test"),
        Step(manifest, ["full_image.calibrate", "--logits", work / "validation_logits.json", "--model", model / "model.onnx",
                        "--manifest", manifest]),
        score("validation"), score("test"),
    ]


def main() -> None:
    """Command line; stops at the first step that fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=Path, required=True)
    parser.add_argument("--faces", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--minutes", type=float, nargs=3, default=(40, 75, 60))
    parser.add_argument("--model", type=Path, required=True, help="folder to write")
    run_steps(steps(parser.parse_args()))


if __name__ == "__main__":
    main()
