"""MesoNet and a former version of the face specialist on the faces that the shipped one is tested on, asked the same questions.

    python -m studies.baselines --part test --models .. --former FOLDER --mesonet Meso4_DF.h5 --finder ../face_detector --made MADE
        --pictures PICTURES --sources CSV --faces FACES --faces-csv CSV --out OUT [--share 0/2]

FORMER holds `model.onnx` and `manifest.json` of a version before 2.0.0, taken from the history. Each share appends to `faces.K.jsonl`, goes on
where it stopped and prints what all shares together have.
"""

import argparse
import json
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import torch
from tqdm import tqdm

from data.degrade import TIERS, to_tier
from data.pictures import read_picture
from encoder.reference_engine import ReferenceEngine
from encoder.tower import VIEW_PX
from export.session import open_session
from face_detector.find import FaceFinder
from face_specialist.align import crop_face, similarity
from face_specialist.evaluate import questions
from face_specialist.features import largest_finds
from face_specialist.face_scores import MOST_SCORED, ScoredFace, join_faces
from studies.mesonet import load_mesonet
from face_specialist.roster import FacePicture, from_faces, from_sources
from face_specialist.unseen import read_made
from measure.metrics import auc, recall_at

Baseline = tuple[int, Callable[[np.ndarray], np.ndarray]]


def load_former(folder: Path) -> Baseline:
    """Side of the crops in px, and a function from uint8 [N,side,side,3] RGB to logits [N], high for fake."""
    manifest = json.loads((folder / "manifest.json").read_text())
    session = open_session(folder / "model.onnx")
    return manifest["input"]["size_px"], lambda crops: session.run(["logit"], {"pixels": crops})[0]


def scored_faces(pixels: np.ndarray, finder: FaceFinder, models: ReferenceEngine) -> list[tuple[float, np.ndarray]]:
    """(side in px, points [5,2]) of the faces of a picture that the shipped specialist judges."""
    faces = ((side_px, points) for side_px, points in largest_finds(pixels, finder)
             if models.face_score(crop_face(pixels, similarity(points, VIEW_PX), VIEW_PX)) is not None)
    return list(islice(faces, MOST_SCORED))


def scored_faces(owner: FacePicture, finder: FaceFinder, models: ReferenceEngine, baselines: dict[str, Baseline]) -> list[dict]:
    """A line for each of a picture's faces in each tier, with the baselines' scores."""
    pixels, found = read_picture(owner.picture.path), []
    line = {"sha256": owner.picture.sha256, "source": owner.picture.source, "kind": owner.picture.kind, "label": owner.label,
            "method": owner.method, "group": owner.group}
    for tier in TIERS:
        delivered = np.ascontiguousarray(to_tier(pixels, tier))
        for face, (side_px, points) in enumerate(scored_faces(delivered, finder, models)):
            scores = {name: float(score(crop_face(delivered, similarity(points, crop_px), crop_px)[None])[0])
                      for name, (crop_px, score) in baselines.items()}
            found.append({**line, "tier": tier, "face": face, "side_px": round(side_px, 1), "scores": scores})
    return found


def table(lines: list[dict], names: list[str]) -> str:
    """AUC and recall at 1% of each question's genuine faces, by baseline and tier."""
    rows = [f"| | {' | '.join(TIERS)} |", "|---|---|---|---|"]
    for name in names:
        pictures = join_faces([ScoredFace(line, (0.0, 0.0)) for line in lines], [line["scores"][name] for line in lines])
        for question, chosen in questions(set()).items():
            cells = []
            for tier in TIERS:
                fakes, genuine = ([p.score for p in pictures if p.line["tier"] == tier and wanted(p.line)] for wanted in chosen)
                labels, scores = np.repeat([1, 0], [len(fakes), len(genuine)]), np.array(fakes + genuine)
                cells.append(f"{auc(labels, scores):.3f}, {recall_at(labels, scores, 0.01):.2f}" if fakes and genuine else "-")
            rows.append(f"| {name}: {question}: AUC, recall at 1% | {' | '.join(cells)} |")
    return "\n".join(rows)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("models", "former", "mesonet", "finder", "made", "pictures", "sources", "faces", "faces-csv", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--part", choices=("validation", "test"), required=True)
    parser.add_argument("--share", default="0/1")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    share, shares = map(int, arguments.share.split("/"))
    owners = [*from_sources(arguments.pictures, arguments.sources), *from_faces(arguments.faces, arguments.faces_csv)]
    owners = [*(owner for owner in owners if owner.part == arguments.part), *read_made(arguments.made, arguments.part)][share::shares]
    baselines = {"MesoNet": load_mesonet(arguments.mesonet), "former": load_former(arguments.former)}
    arguments.out.mkdir(parents=True, exist_ok=True)
    path, finder, models = arguments.out / f"faces.{share}.jsonl", FaceFinder(arguments.finder), ReferenceEngine(arguments.models)
    done = {json.loads(line)["sha256"] for line in path.read_text().splitlines()} if path.is_file() else set()
    with path.open("a") as stream:
        for owner in tqdm([owner for owner in owners if owner.picture.sha256 not in done], unit="picture", mininterval=30):
            try:
                stream.write("".join(json.dumps(line) + "\n" for line in scored_faces(owner, finder, models, baselines)))
            except OSError as error:
                print(f"left out {owner.picture.path.name}: {error}")
            stream.flush()
    lines = [json.loads(line) for file in sorted(arguments.out.glob("faces.*.jsonl")) for line in file.read_text().splitlines()]
    print(table(lines, list(baselines)))


if __name__ == "__main__":
    main()
