"""Makes the face detector again from collected images, by running the commands of all steps in order.

    python -m face_detector.make --images IMAGES --faces FACES --weights SHARED_WEIGHTS --csv FOLDER --work FOLDER
                                 --model NEW_FOLDER [--steps 3200]

SHARED_WEIGHTS contains `yunet/`. The folder given by `--csv` contains `faces.csv.xz` and `sources.csv.xz`. Steps whose
output exists are skipped. The measures on the test split are written to WORK/test.json.
"""

import argparse

from export.command import command_parser
from export.steps import Step, run_steps


def steps(a: argparse.Namespace) -> list[Step]:
    """Lists all steps, from collected images to the measures."""
    labels, run = a.work / "labels", a.work / "run"
    start = ["--teacher", a.weights / "yunet/yunet_n.pth"]
    teacher = ["--teacher", a.weights / "yunet/yunet_n_dynamic.onnx"]
    lists = ["--faces-csv", a.csv / "faces.csv.xz", "--sources-csv", a.csv / "sources.csv.xz"]
    measure = [
        Step(
            a.work / f"{split}.json",
            ["face_detector.evaluate", "--labels", labels, "--images", a.faces, a.images, "--model", a.model]
            + [*teacher, *lists, "--split", split, "--out", a.work / f"{split}.json"],
        )
        for split in ("validation", "test")
    ]
    return [
        Step(labels / "labels.jsonl", ["face_detector.label", a.faces, a.images, *teacher, "--out", labels]),
        Step(
            run / "weights.pt",
            ["face_detector.train", *start, "--labels", labels, *lists, "--run", run, "--steps", a.steps],
        ),
        Step(a.model / "model.onnx", ["face_detector.export", *start, "--run", run, "--out", a.model]),
        *measure,
    ]


def main() -> None:
    """Stops at the first step that fails."""
    parser = command_parser(__doc__, "images", "faces", "weights", "csv", "work", "model")
    parser.add_argument("--steps", type=int, default=3200)
    run_steps(steps(parser.parse_args()))


if __name__ == "__main__":
    main()
