"""Follows heads that moved by a line of the embedding (studies.new_owners): validation's scores and the reference as those heads give them, and new pictures beside.

    python -m studies.move --line line.npz --features VALIDATION [VALIDATION ...] --models .. --scores full_image/run/validation_scores.csv --out ../reference

What a line adds to a picture is its embedding times the line, and the reference has the embedding of every validation picture in every tier; so neither their pictures nor
their features are wanted (its bytes round a score's log odds by 0.005 or so). Where a panel spoke for a picture it still does. FEATURES are of validation pictures that were
not there before (`encoder.features pictures`), scored by all views with the encoder of MODELS. Writes the score file and OUT. A line is taken once: run it on the files that
stood before.
"""

import argparse
import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from adaptation.embedding import default_plan
from adaptation.reference import NAME_DIGITS, join_embeddings, read_embeddings, write_reference
from encoder.features import read_features
from studies.line import load_line
from encoder.package import embedding_of
from full_image.delivered import read_delivered, see
from measure.medium_thresholds import log_odds
from measure.score_file import Scores, read_scores, write_scores


def moved(scores: Scores, embeddings: np.ndarray, line: np.ndarray) -> Scores:
    """The rows after the line."""
    return replace(scores, score=np.round(1 / (1 + np.exp(-log_odds(scores.score) - embeddings @ line)), 6))


def read_new(features: Path, models: Path) -> tuple[Scores, np.ndarray]:
    """Scores and embeddings of validation pictures by all views, with the heads that ship."""
    manifest, plan = json.loads((models / "full_image_specialist" / "manifest.json").read_text()), default_plan(models)
    pictures = read_delivered(features, [models / "encoder"], "validation")
    seen = see(pictures, plan, manifest["drawn"])
    joined = join_embeddings(*read_features(features), embedding_of(models / "encoder"), plan)
    lines = [picture.line for picture in pictures]
    column = lambda name: np.array([line[name] for line in lines])
    scores = Scores(column("sha256"), column("is_ai").astype(int), *map(column, ("source", "generator", "kind", "content", "tier")),
                    np.round(1 / (1 + np.exp(-seen.odds)), 6), np.round(seen.drawn, 6))
    return scores, np.stack([joined[line["sha256"], line["tier"]] for line in lines])


def joined_scores(parts: list[Scores]) -> Scores:
    """All rows."""
    return Scores(*(np.concatenate([getattr(part, column).astype(object) if column == "source" else getattr(part, column) for part in parts])
                    for column in vars(parts[0])))


def rows_of(scores: Scores) -> list[dict]:
    """The rows of a score file."""
    return [{"picture": scores.picture[row], "label": "ai" if scores.labels[row] else "real", "source": scores.source[row], "generator": scores.generator[row],
             "kind": scores.kind[row], "content": scores.content[row], "tier": scores.tier[row], "score": f"{scores.score[row]:.6f}",
             "drawn": f"{scores.drawn[row]:.6f}"} for row in range(len(scores.labels))]


def main() -> None:
    """Command line; prints how many rows there are."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("line", "models", "scores", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--features", type=Path, nargs="*", default=[])
    arguments = parser.parse_args()
    line, before = load_line(arguments.line), read_scores(arguments.scores)
    with (arguments.out / "rows.csv").open(newline="") as stream:
        place = {(row["picture"], row["tier"]): number for number, row in enumerate(csv.DictReader(stream))}
    order = [place[picture[:NAME_DIGITS], tier] for picture, tier in zip(before.picture, before.tier, strict=True)]
    embeddings = read_embeddings(arguments.out)[order]
    parts = [(moved(before, embeddings, line), embeddings), *(read_new(features, arguments.models) for features in arguments.features)]
    scores = joined_scores([scores for scores, _ in parts])
    write_scores(arguments.scores, rows_of(scores))
    version = json.loads((arguments.models / "full_image_specialist" / "manifest.json").read_text())["version"]
    write_reference(arguments.out, replace(scores, drawn=np.round(scores.drawn, 4)), np.concatenate([numbers for _, numbers in parts]), {"model": f"telltale-{version}"})
    print(f"{len(before.labels)} rows moved, {len(scores.labels) - len(before.labels)} new")


if __name__ == "__main__":
    main()
