"""Sets the int8 that ships against the same encoder in float: what quantising activations costs in AUC.

    python -m studies.arithmetic --models ../ --pictures PICTURES --sources CSV --part validation --most 200 --out SCORES [--share K/N]

Each picture is scored with both by the plan that ships, in the three tiers; each share appends to `arithmetic.K.jsonl`, goes on where it stopped and prints what
all shares together have.
"""

import argparse
import json
from pathlib import Path

import cv2
import numpy as np
import onnxruntime
from tqdm import tqdm

from data.degrade import TIERS, to_tier
from data.split import load_pictures
from encoder.export import build
from encoder.features import BLOCKS, open_picture, open_tower, training_order
from encoder.package import HEADS, packaged_heads
from encoder.reference_engine import ReferenceEngine
from measure.metrics import auc, recall_at


def float_session(encoder: Path) -> onnxruntime.InferenceSession:
    """The encoder of a folder with its weights as they ship and nothing else quantised, on one thread."""
    heads = packaged_heads(encoder)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    model = build(open_tower(encoder, None), BLOCKS, [heads[name] for name in HEADS], "float")
    return onnxruntime.InferenceSession(model.SerializeToString(), options)


def summary(lines: list[dict]) -> str:
    """AUC and recall at 1% of both, by tier, and how far scores lie apart."""
    rows = ["| | " + " | ".join(TIERS) + " |", "|---|---|---|---|"]
    by_tier = {tier: [line for line in lines if line["tier"] == tier] for tier in TIERS}
    for name in ("int8", "float"):
        cells = []
        for mine in by_tier.values():
            labels, scores = np.array([line["is_ai"] for line in mine]).astype(int), np.array([line[name] for line in mine])
            cells.append(f"{auc(labels, scores):.4f}, {recall_at(labels, scores, 0.01):.2f}")
        rows.append(f"| {name}: AUC, recall at 1% | {' | '.join(cells)} |")
    apart = [np.abs([line["int8"] - line["float"] for line in mine]) for mine in by_tier.values()]
    return "\n".join([*rows, f"| scores apart: median, most | {' | '.join(f'{np.median(found):.4f}, {found.max():.3f}' for found in apart)} |",
                      f"{len(by_tier['clean'])} pictures, {sum(line['is_ai'] for line in by_tier['clean'])} of them AI"])


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("models", "pictures", "sources", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--part", choices=("validation", "test"), default="validation")
    parser.add_argument("--most", type=int, default=200, help="pictures, small cells first")
    parser.add_argument("--share", default="0/1")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    share, shares = map(int, arguments.share.split("/"))
    models = {"int8": ReferenceEngine(arguments.models), "float": ReferenceEngine(arguments.models, float_session(arguments.models / "encoder"))}
    pictures = [picture for picture in load_pictures(arguments.pictures, arguments.sources) if picture.part == arguments.part]
    pictures = training_order(pictures, 1)[:arguments.most][share::shares]
    arguments.out.mkdir(parents=True, exist_ok=True)
    path = arguments.out / f"arithmetic.{share}.jsonl"
    done = {json.loads(line)["sha256"] for line in path.read_text().splitlines()} if path.is_file() else set()
    with path.open("a") as stream:
        for picture in tqdm([picture for picture in pictures if picture.sha256 not in done], unit="picture", mininterval=30):
            if (pixels := open_picture(picture)) is None:
                continue
            delivered = {tier: np.ascontiguousarray(to_tier(pixels, tier)) for tier in TIERS}
            stream.write("".join(json.dumps({"sha256": picture.sha256, "is_ai": picture.is_ai, "tier": tier,
                                             **{name: model.full_image(seen)[0] for name, model in models.items()}}) + "\n"
                                 for tier, seen in delivered.items()))
            stream.flush()
    print(summary([json.loads(line) for file in sorted(arguments.out.glob("arithmetic.*.jsonl")) for line in file.read_text().splitlines()]))


if __name__ == "__main__":
    main()
