"""Makes the face specialist's heads and manifest again from collected data, by running all steps in order.

    python -m face_specialist.make --backbone ../encoder --images IMAGES --sources sources.csv --faces FACES
        --faces-csv faces.csv --weights SHARED_WEIGHTS --face-detector ../face_detector --work FOLDER
        --model NEW_FOLDER [--repeats 2]

SHARED_WEIGHTS contains `openseeface/` and `taesd/`. `--backbone` may also be the Python package's file, together with
`--calibration` as in full_image.make. Steps whose output exists are skipped, and an interrupted step continues.
"""

import argparse
from pathlib import Path

from export import VERSION
from export.command import command_parser
from export.steps import Step, into, options, run_steps


def steps(a: argparse.Namespace) -> list[Step]:
    """Lists all steps, from collected images to the score files."""
    roster = options(images=a.images, sources=a.sources, faces=a.faces, faces_csv=a.faces_csv)
    backbone, detector = ["--backbone", a.backbone], ["--face-detector", a.face_detector]
    if a.calibration:
        backbone += ["--calibration", a.calibration]
    landmarks = ["--landmarks", a.weights / "openseeface/lm_model0_opt.onnx"]
    made, groups, stored = a.work / "made", a.work / "groups", [a.work / "stored", a.work / "stored_faces"]
    heads, confirm, facts = (a.work / name for name in ("heads.npz", "confirm.npz", "facts.json"))
    manifest, found_faces = a.model / "manifest.json", a.work / "detections"
    judged = options(heads=[heads, confirm], manifest=manifest)
    found = [
        into(folder, ["face_specialist.stored", "--images", images, "--sources", listed, *detector])
        for folder, images, listed in zip(stored, (a.images, a.faces), (a.sources, a.faces_csv), strict=True)
    ]
    training = [a.work / f"train.{seed}" for seed in range(1, a.repeats + 1)]
    for seed, folder in enumerate(training, 1):
        fakes = ["--stored", *stored, *landmarks, "--autoencoders", a.weights / "taesd", "--seed", seed]
        found.append(into(folder, ["face_specialist.features", "train", *backbone, *roster, *fakes]))
    for split in ("validation", "test"):
        command = ["face_specialist.unseen", "--split", split, *detector, *landmarks, *roster, "--out", made]
        found.append(Step(made / f"{split}.csv", command))
        command = ["face_specialist.groups", "--split", split, *detector, *landmarks, *roster, "--out", groups]
        found.append(Step(groups / f"{split}.csv", command))
        command = ["face_specialist.features", "images", "--split", split, *backbone, *roster, *detector]
        found.append(into(a.work / split, [*command, *options(made=made, groups=groups)]))
    found += [
        into(found_faces, ["face_specialist.confirm", "features", *backbone, *roster, *detector]),
        Step(
            confirm,
            ["face_specialist.confirm", "train", *options(features=training, detections=found_faces, out=confirm)],
        ),
        Step(heads, ["face_specialist.train", *options(features=training, facts=facts, out=heads)]),
        Step(
            manifest,
            ["face_specialist.calibrate", "fit", "--features", a.work / "validation", *judged]
            + options(facts=facts, version=VERSION),
        ),
    ]
    for split in ("validation", "test"):
        scores, command = a.work / f"{split}.csv", ["face_specialist.calibrate", "score"]
        found.append(Step(scores, [*command, "--features", a.work / split, *judged, "--out", scores]))
    return found


def main() -> None:
    """Stops at the first step that fails."""
    parser = command_parser(
        __doc__, "backbone", "images", "sources", "faces", "faces-csv", "weights", "face-detector", "work", "model"
    )
    parser.add_argument("--calibration", type=Path, help="with clip_encoder.int8.onnx: the crops that set its int8")
    parser.add_argument("--repeats", type=int, default=2, help="crops of each face, with another paired fake each")
    run_steps(steps(parser.parse_args()))


if __name__ == "__main__":
    main()
