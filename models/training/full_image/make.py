"""Remakes the full-image specialist from collected data: the steps in order, each a command of its own.

    python -m full_image.make --pictures PICTURES --faces FACES --weights SHARED_WEIGHTS --work FOLDER [--minutes 40 38]
                              [--model ../full_image_specialist]

SHARED_WEIGHTS has `imagenet/mobilenet_v2_imagenet.npz` and `taesd/`. A step whose output is there is not run again.
`--minutes` are those of the first round and of the second, which adds autoencoder pairs and hard pictures.
"""
import argparse
import subprocess
import sys
from pathlib import Path


def steps(a: argparse.Namespace) -> list[tuple[Path, list[str]]]:
    """(what the step writes, its command) in order."""
    work, model = a.work, a.model
    data = ["--pictures", a.pictures, "--faces", a.faces]
    first, second = work / "runs/first/ema.pt", work / "runs/second/ema.pt"
    bank = lambda part: ["full_image.view_bank", "--pictures", a.pictures, "--part", part, "--px", "128", "--patches", "16",
                         "--out", work / f"bank_{part}"]
    manifest = model / "manifest.json"
    predict = lambda part: ["full_image.predict", "--model", model / "model.onnx", "--bank", work / f"bank_{part}", "--out",
                            work / f"{part}_logits.json"]
    score = lambda part: ["full_image.evaluate", "--manifest", manifest, "--logits", work / f"{part}_logits.json", "--out", work / f"{part}.csv"]
    return [
        (a.pictures / "near_duplicates.csv", ["data.near_duplicates", *data]),
        (work / "planes/planes.json", ["data.plane_store", *data, "--out", work / "planes"]),
        (work / "pairs/pairs.json", ["data.fakes", "--planes", work / "planes", "--taesd", a.weights / "taesd", "--out", work / "pairs"]),
        (work / "bank_validation/rows.json", bank("validation")),
        (work / "bank_test/rows.json", bank("test")),
        (first, ["full_image.train", "--planes", work / "planes", "--imagenet", a.weights / "imagenet/mobilenet_v2_imagenet.npz",
                 "--run", first.parent, "--minutes", a.minutes[0]]),
        (work / "hard.json", ["full_image.hard_negatives", "--planes", work / "planes", "--weights", first, "--out", work / "hard.json"]),
        (second, ["full_image.train", "--planes", work / "planes", "--start", first, "--pairs", work / "pairs", "--weights",
                  work / "hard.json", "--run", second.parent, "--minutes", a.minutes[1], "--rate", "2e-4", "--seed", "2"]),
        (model / "model.onnx", ["full_image.export", "--weights", second, "--px", "128", "--views", "17", "--out", model / "model.onnx"]),
        (work / "validation_logits.json", predict("validation")),
        (work / "test_logits.json", predict("test")),
        (manifest, ["full_image.calibrate", "--logits", work / "validation_logits.json", "--model", model / "model.onnx",
                    "--manifest", manifest]),
        (work / "validation.csv", score("validation")),
        (work / "test.csv", score("test")),
    ]


def main() -> None:
    """Command line; stops at the first step that fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=Path, required=True)
    parser.add_argument("--faces", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--minutes", type=float, nargs=2, default=(40, 38))
    parser.add_argument("--model", type=Path, default=Path("../full_image_specialist"))
    for output, command in steps(parser.parse_args()):
        if output.is_file():
            continue
        print("python -m", *command, flush=True)
        subprocess.run([sys.executable, "-m", *map(str, command)], check=True)


if __name__ == "__main__":
    main()
