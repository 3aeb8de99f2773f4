"""Brings the scores of both heads to one scale on validation faces, writes the manifest, and scores images.

    python -m face_specialist.calibrate fit --features VALIDATION --heads heads.npz confirm.npz --facts facts.json
        --version 2.0.0 --manifest manifest.json
    python -m face_specialist.calibrate score --features TEST --heads heads.npz confirm.npz --manifest manifest.json
        --out test.csv

The probability of a head is sigmoid(scale x logit + offset), if a share PRIOR of faces were such fakes. The score of a
face is 1 - (1 - manipulated)(1 - generated). A score file has one row for each image and level: the highest score of
its faces, the kind of face for `measure.bands`, and the number of faces scored. Group images in which one face was
changed are measured by `face_specialist.evaluate` instead.
"""

import json
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from data.split import read_csv
from encoder.backbone import CROP_PX
from export.command import command_parser
from face_specialist.align import TEMPLATE
from face_specialist.confirm import COLUMN as CONFIRM_COLUMN, MIN_LOGIT
from face_specialist.face_scores import ScoredFace, ScoredImage, aggregate_faces, face_kind, read_faces, scores_of
from face_specialist.groups import MADE_GROUP
from face_specialist.train import COLUMNS, rows_for
from measure.metrics import balance_cells
from measure.score_file import score_row, write_scores

PRIOR = 0.02
"""Assumed share of fakes for each head. If half of all faces were fakes, small doubts of one head would hide a certain
result of the other. With 0.02, half as many fakes again were detected on validation faces at the same false positives.
"""


SHARING, CONTRAST = 0.75, 0.6
"""Weights with which the faces of one image affect each other's scores (native/engine/inspection.h, ScoreFaces), chosen
on validation groups (experiments/0012)."""


def fit_scale(logits: np.ndarray, labels: np.ndarray, sources: np.ndarray) -> tuple[float, float]:
    """Fits scale and offset from logits to log odds by logistic regression, as if half of all faces were fakes.

    Both classes have the same weight, and so have the sources of a class. Raises ValueError if the head ranks fakes
    below genuine faces, because no scale corrects that.
    """
    weights = np.zeros(len(labels))
    for label in (0, 1):
        mine = labels == label
        weights[mine] = balance_cells(sources[mine]) / mine.sum()
    model = LogisticRegression(C=1e6).fit(logits[:, None], labels, weights * len(labels) / 2)
    scale, offset = float(model.coef_[0, 0]), float(model.intercept_[0])
    if scale <= 0:
        raise ValueError(f"the head ranks fakes below genuine faces (scale {scale:.3f})")
    return scale, offset


def fit_heads(faces: list[ScoredFace]) -> dict[str, dict]:
    """Returns the field `heads` of the manifest: scale and offset of each head.

    Only the largest face of an image counts, because it is unknown which of several faces is the fake. Group images in
    which one face was changed are left out.
    """
    largest = [face for face in faces if face.line["face"] == 0 and face.line["kind"] != MADE_GROUP]
    lines, heads = [face.line for face in largest], {}
    for index, column in enumerate(COLUMNS):
        rows = rows_for(column, lines)
        labels = np.array([lines[row]["label"] == column for row in rows]).astype(int)
        scale, offset = fit_scale(
            np.array([largest[row].logits[index] for row in rows]),
            labels,
            np.array([lines[row]["source"] for row in rows]),
        )
        heads[column] = {
            "column": column,
            "scale": round(scale, 5),
            "offset": round(offset + float(np.log(PRIOR / (1 - PRIOR))), 5),
        }
    return heads


def aggregation_of(faces: list[ScoredFace], heads: dict[str, dict]) -> dict:
    """Returns the field `joining` of the manifest. `genuine` is the median log odds of genuine faces."""
    head, column = heads["manipulated"], COLUMNS.index("manipulated")
    logits = [face.logits[column] for face in faces if face.line["label"] == "genuine"]
    return {
        "sharing": SHARING,
        "contrast": CONTRAST,
        "genuine": round(float(head["scale"] * np.median(logits) + head["offset"]), 5),
    }


def row_of(image: ScoredImage) -> dict:
    """Returns the row of an image in a score file."""
    line, is_fake = image.line, image.line["label"] != "genuine"
    described = {"generator": line["method"] if is_fake else "none", "kind": face_kind(image)}
    return score_row(line | described, is_fake, image.score, faces=image.faces)


def kept_rows(path: Path | None, rows: list[dict]) -> list[dict]:
    """Reads the rows of an earlier score file, without images in `rows`. A missing file counts as empty."""
    scored = {row["picture"] for row in rows}
    return [row for row in read_csv(path) if row["picture"] not in scored] if path else []


def main() -> None:
    parser = command_parser(__doc__, "features", "manifest", "heads+")
    parser.add_argument("what", choices=("fit", "score"))
    parser.add_argument("--facts", type=Path, help="for fit: what face_specialist.train wrote")
    parser.add_argument("--version", help="for fit")
    parser.add_argument("--out", type=Path, help="for score")
    parser.add_argument("--beside", type=Path, help="for score: a score file by the same heads whose other images stay")
    args = parser.parse_args()
    faces = read_faces(args.features, args.heads)
    if args.what == "fit":
        heads = fit_heads(faces)
        manifest = {
            "id": "face_specialist",
            "version": args.version,
            "licence": "Apache-2.0",
            "size_px": CROP_PX,
            "crop": {"template": TEMPLATE.tolist(), "border": "replicate"},
            "heads": heads,
            "confirm": {"column": CONFIRM_COLUMN, "least_logit": MIN_LOGIT},
            "joining": aggregation_of(faces, heads),
            "training_data": json.loads(args.facts.read_text()),
        }
        args.manifest.write_text(json.dumps(manifest, indent=2) + "\n")
        print(json.dumps(manifest["heads"]), f"from {len(faces)} faces")
        return
    manifest = json.loads(args.manifest.read_text())
    images = aggregate_faces(faces, scores_of(faces, manifest))
    rows = [row_of(image) for image in images if image.line["kind"] != MADE_GROUP]
    write_scores(args.out, kept_rows(args.beside, rows) + rows)


if __name__ == "__main__":
    main()
