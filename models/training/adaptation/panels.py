"""Puts the panels that speak for their pictures (full_image.panel_scores) into a reference that adaptation.reference wrote: their scores and embeddings.

    python -m adaptation.panels --work SEEN.jsonl --pictures PICTURES --sources CSV --models .. --out ../reference
"""

import argparse
import csv
import json
from pathlib import Path

import numpy as np

from adaptation.reference import NAME_DIGITS, read_embeddings, write_reference
from data.degrade import to_tier
from data.pictures import read_picture
from data.split import load_pictures
from encoder.reference_engine import ReferenceEngine
from full_image.panel_scores import read_panels, speaker
from measure.score_file import read_scores


def main() -> None:
    """Command line; prints how many rows changed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("pictures", "sources", "models", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--work", type=Path, nargs="+", required=True)
    arguments = parser.parse_args()
    manifest = json.loads((arguments.models / "full_image_specialist/manifest.json").read_text())
    paths = {picture.sha256[:NAME_DIGITS]: picture.path for picture in load_pictures(arguments.pictures, arguments.sources)}
    panels = {sha256[:NAME_DIGITS]: line for sha256, line in read_panels(arguments.work).items()}
    scores, embeddings, models, changed = read_scores(arguments.out / "rows.csv"), read_embeddings(arguments.out), ReferenceEngine(arguments.models), 0
    for row, (picture, tier) in enumerate(zip(scores.picture, scores.tier, strict=True)):
        seen = panels[picture][tier]
        found = speaker((scores.score[row], scores.drawn[row]), seen["panels"], manifest["panels"]["drawn_odds"])
        if found is None:
            continue
        x, y, width, height = seen["boxes"][found]
        scores.score[row], scores.drawn[row] = seen["panels"][found][0], round(seen["panels"][found][1], 4)
        embeddings[row] = models.embedding(np.ascontiguousarray(to_tier(read_picture(paths[picture]), tier)[y:y + height, x:x + width]))
        changed += 1
    write_reference(arguments.out, scores, embeddings, {"model": f"telltale-{manifest['version']}"})
    print(f"{changed} of {len(scores.labels)} rows are of a panel")


if __name__ == "__main__":
    main()
