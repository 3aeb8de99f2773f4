"""Makes the full-image specialist's heads and manifest again from collected data, by running all steps in order.

    python -m full_image.make --backbone ../encoder --images IMAGES --sources sources.csv --autoencoders TAESD
        --work FOLDER --model NEW_FOLDER [--repeats 2]

With `--backbone clip_encoder.int8.onnx` the first step cuts WORK/calibration.npy, which sets the number ranges of the
new int8 backbone. `encoder.package` then needs both. Steps whose output exists are skipped, and an interrupted step
continues. `encoder.package` reads WORK/heads.npz and WORK/domain.npz together with the face specialist's heads.
measure.target_fpr, measure.table and measure.plots read WORK/validation.csv and WORK/test.csv.
"""

import argparse

from export.command import command_parser
from export.steps import Step, into, options, run_steps
from full_image.plans import DEFAULT_CROPS


def steps(a: argparse.Namespace) -> list[Step]:
    """Lists all steps, from collected images to the score files."""
    images = ["--images", a.images, "--sources", a.sources]
    graphics = ["--images", a.work / "graphics", "--sources", a.work / "graphics/index.csv"]
    backbone, calibration = ["--backbone", a.backbone], a.work / "calibration.npy"
    heads, facts, manifest = a.work / "heads.npz", a.work / "facts.json", a.model / "manifest.json"
    domain, rule = a.work / "domain.npz", a.work / "domain.json"
    found = [Step(a.work / "graphics/index.csv", ["data.graphics", "--out", a.work / "graphics"])]
    if a.backbone.is_file():
        found.append(Step(calibration, ["encoder.calibration", *images, "--out", calibration]))
        backbone += ["--calibration", calibration]
    training = []
    for seed in range(1, a.repeats + 1):
        for name, listed in (("", images), ("_graphics", graphics)):
            folder = a.work / f"train{name}.{seed}"
            found.append(into(folder, ["encoder.features", "train", *backbone, *listed, "--seed", seed]))
            training.append(folder)
    pairs = a.work / "pairs"
    found.append(into(pairs, ["full_image.pairs", *backbone, *images, "--autoencoders", a.autoencoders]))
    for split in ("validation", "test"):
        found.append(into(a.work / split, ["encoder.features", "images", "--split", split, *backbone, *images]))
    seen, judged = a.work / "validation", {"heads": [heads, domain], "manifest": manifest}
    found += [
        Step(heads, ["full_image.train", *options(features=training, pairs=pairs, facts=facts, out=heads)]),
        Step(rule, ["full_image.domain", *options(features=training, validation=seen, out=domain, rule=rule)]),
        Step(manifest, ["full_image.plans", "fit", *options(features=seen, **judged, facts=facts, rule=rule)]),
    ]
    # Thresholds are fitted to the scores of all crops, because early exit keeps their verdicts. Error rates are
    # measured with early exit, as released.
    for split, crops in (("validation", {"crops": DEFAULT_CROPS}), ("test", {})):
        scores, features = a.work / f"{split}.csv", a.work / split
        command = options(split=split, features=features, **judged, **crops, out=scores)
        found.append(Step(scores, ["full_image.plans", "score", *command]))
    return found


def main() -> None:
    """Stops at the first step that fails."""
    parser = command_parser(__doc__, "backbone", "images", "sources", "autoencoders", "work", "model")
    parser.add_argument("--repeats", type=int, default=2, help="training crops of each image and kind")
    run_steps(steps(parser.parse_args()))


if __name__ == "__main__":
    main()
