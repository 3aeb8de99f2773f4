"""Remakes the full-image specialist from collected data: the steps in order, each a command of its own.

    python -m full_image.make --pictures PICTURES --faces FACES --weights SHARED_WEIGHTS --work FOLDER
                              --model NEW_FOLDER [--minutes 40 75 16] [--pairs 4300]

SHARED_WEIGHTS has `imagenet/mobilenet_v2_imagenet.npz` and `taesd/`. A step whose output is there is not run again.
`--minutes` are those of the first round, of the second, which adds autoencoder pairs and hard pictures, and of a slow third.
"""
import argparse
from pathlib import Path

from export.steps import Step, run_steps


def steps(a: argparse.Namespace) -> list[Step]:
    """All steps from collected pictures to score files."""
    work, model = a.work, a.model
    data = ["--pictures", a.pictures, "--faces", a.faces]
    first, second, third = (work / f"runs/{run}/ema.pt" for run in ("first", "second", "third"))
    hard, manifest = work / "hard.json", model / "manifest.json"
    planes = ["--planes", work / "planes"]
    train = lambda out, minutes, *more: Step(out, ["full_image.train", *planes, "--run", out.parent, "--minutes", minutes, *more])
    bank = lambda part: Step(work / f"bank_{part}/rows.json", [
        "full_image.view_bank", "--pictures", a.pictures, "--part", part, "--px", 128, "--patches", 16, "--out", work / f"bank_{part}"])
    predict = lambda part: Step(work / f"{part}_logits.json", [
        "full_image.predict", "--model", model / "model.onnx", "--bank", work / f"bank_{part}", "--out", work / f"{part}_logits.json"])
    score = lambda part: Step(work / f"{part}.csv", [
        "full_image.evaluate", "--manifest", manifest, "--logits", work / f"{part}_logits.json", "--out", work / f"{part}.csv"])
    return [
        Step(a.pictures / "near_duplicates.csv", ["data.near_duplicates", *data]),
        Step(work / "drawn/index.csv", ["data.drawn", "--out", work / "drawn"]),
        Step(work / "planes/planes.json", ["data.plane_store", *data, "--drawn", work / "drawn", "--out", work / "planes"]),
        Step(work / "pairs/pairs.json", ["data.fakes", *planes, "--taesd", a.weights / "taesd", "--out", work / "pairs",
                                         "--count", a.pairs]),
        bank("validation"), bank("test"),
        train(first, a.minutes[0], "--imagenet", a.weights / "imagenet/mobilenet_v2_imagenet.npz"),
        Step(hard, ["full_image.hard_negatives", *planes, "--weights", first, "--out", hard]),
        train(second, a.minutes[1], "--start", first, "--pairs", work / "pairs", "--weights", hard, "--rate", "2e-4", "--seed", 2),
        train(third, a.minutes[2], "--start", second, "--pairs", work / "pairs", "--weights", hard, "--rate", "4e-5",
              "--global-share", "0.4", "--seed", 3),
        Step(model / "model.onnx", ["full_image.export", "--start", second, "--weights", third, "--px", 128, "--views", 17, "--out", model / "model.onnx"]),
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
    parser.add_argument("--minutes", type=float, nargs=3, default=(40, 75, 16))
    parser.add_argument("--pairs", type=int, default=4300)
    parser.add_argument("--model", type=Path, required=True, help="folder to write")
    run_steps(steps(parser.parse_args()))


if __name__ == "__main__":
    main()
