"""Writes models/reference/: embeddings and scores, no pictures, of validation pictures of all kinds in every tier.

    python -m adaptation.reference --features VALIDATION --models .. [--beside ../reference] --out ../reference

A correction (`telltale models adapt`) is fitted on an operator's pictures and on these together, and its thresholds on the genuine ones among these, as
`measure.bands` fits the shipped ones. With `--beside` the pictures of a reference by the same heads stay as they are, and
those that it lacks come to them.

    reference.json    the model, how many numbers an embedding has, the scale of each, and the rules by which thresholds are fitted
    rows.csv          a line a picture and tier, as score files have it, with the group and the weight of genuine ones (measure.medium_thresholds)
    embeddings.bin    int8 [rows, numbers]: times the scales, the weighted mean of the views' embeddings (SPECIFICATION.md, "Embedding")
"""

import argparse
import csv
import json
from pathlib import Path

import numpy as np

from adaptation.embedding import default_plan
from encoder.features import VIEW_KINDS, read_features
from encoder.export import Embedding
from encoder.package import embedding_of
from full_image.delivered import read_delivered, see
from measure.bands import PROFILES
from measure.kinds import group_of
from measure.medium_thresholds import MEDIUMS, WORST_KIND, genuine_of, is_drawn, weights_of
from measure.score_file import COLUMNS, Scores, read_scores

LEVELS = 127
"""Of int8: a number of an embedding is a whole multiple of its scale, at most so many."""
NAME_DIGITS = 16
"""Of a picture's hash, which tells rows of one picture."""


def join_embeddings(lines: list[dict], values: np.ndarray, embedding: Embedding, plan: dict) -> dict[tuple, np.ndarray]:
    """By picture and tier the mean of the embeddings of each kind of view, weighted as the plan weighs the kinds' logits: as the engine joins them."""
    counts = {kind.name: kind.count for kind in VIEW_KINDS}
    rows: dict[tuple, dict[str, list[int]]] = {}
    for row, line in enumerate(lines):
        rows.setdefault((line["sha256"], line["tier"]), {}).setdefault(line["view"], []).append(row)
    found, of_views = {}, embedding.of(values)
    for picture, kinds in rows.items():
        parts = [(plan["kinds"][kind]["weight"], of_views[of_kind[:counts[kind]]].mean(0)) for kind, of_kind in kinds.items() if kind in plan["kinds"]]
        found[picture] = sum(weight * mean for weight, mean in parts) / sum(weight for weight, _ in parts)
    return found


def threshold_columns(scores: Scores) -> tuple[np.ndarray, np.ndarray]:
    """Group and weight of each row in the fit of thresholds; '' and 0 of AI pictures."""
    groups, weights = np.full(len(scores.labels), "", dtype=object), np.zeros(len(scores.labels))
    mine = np.flatnonzero(scores.labels == 0)
    groups[mine] = group_of(scores.kind[mine], scores.content[mine])
    for medium in MEDIUMS:
        rows = mine[is_drawn(scores.drawn[mine]) == (medium == "drawn")]
        weights[rows] = weights_of(genuine_of(scores.where(rows)), medium)
    return groups, weights


def read_embeddings(folder: Path) -> np.ndarray:
    """float [rows, numbers] of a reference."""
    facts = json.loads((folder / "reference.json").read_text())
    values = np.fromfile(folder / "embeddings.bin", np.int8).reshape(facts["rows"], facts["numbers"])
    return values * np.array(facts["scale"])


def joined_with(folder: Path, scores: Scores, embeddings: np.ndarray) -> tuple[Scores, np.ndarray]:
    """The rows of the reference in `folder`, then those of pictures that it lacks, with their embeddings float [rows, numbers].

    Raises ValueError where the two have embeddings of different lengths: they are of different encoders.
    """
    old, stored = read_scores(folder / "rows.csv"), read_embeddings(folder)
    if stored.shape[1] != embeddings.shape[1]:
        raise ValueError(f"{folder} has embeddings of {stored.shape[1]} numbers, the features give {embeddings.shape[1]}")
    known = set(old.picture)
    new = np.array([picture[:NAME_DIGITS] not in known for picture in scores.picture])
    added = scores.where(new)
    return Scores(*(np.concatenate([getattr(old, name), getattr(added, name)]) for name in vars(scores))), np.concatenate([stored, embeddings[new]])


def write_reference(out: Path, scores: Scores, embeddings: np.ndarray, facts: dict) -> None:
    """Writes the three files; `embeddings` float [rows, numbers]."""
    out.mkdir(parents=True, exist_ok=True)
    scale = np.maximum(np.abs(embeddings).max(0), 1e-6) / LEVELS
    (out / "embeddings.bin").write_bytes(np.rint(embeddings / scale).astype(np.int8).tobytes())
    groups, weights = threshold_columns(scores)
    with (out / "rows.csv").open("w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([*COLUMNS, "group", "weight"])
        for row in range(len(scores.labels)):
            writer.writerow([scores.picture[row][:NAME_DIGITS], "ai" if scores.labels[row] else "real", scores.source[row], scores.generator[row], scores.kind[row],
                             scores.content[row], scores.tier[row], f"{scores.score[row]:.6f}", f"{scores.drawn[row]:.4f}", groups[row], f"{weights[row]:.4g}"])
    content = facts | {"rows": len(scores.labels), "numbers": embeddings.shape[1], "rates": PROFILES, "worst_group": WORST_KIND,
                       "scale": [float(f"{value:.6g}") for value in scale]}
    (out / "reference.json").write_text(json.dumps(content) + "\n")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--features", type=Path, required=True, help="of encoder.features pictures")
    parser.add_argument("--models", type=Path, required=True, help="folder of the encoder and the full-image specialist")
    parser.add_argument("--beside", type=Path, help="a reference whose pictures stay")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    encoder = arguments.models / "encoder"
    manifest = json.loads((arguments.models / "full_image_specialist" / "manifest.json").read_text())
    pictures = read_delivered(arguments.features, [encoder], "validation")
    plan = default_plan(arguments.models)
    seen = see(pictures, plan, manifest["drawn"])
    joined = join_embeddings(*read_features(arguments.features), embedding_of(encoder), plan)
    lines = [picture.line for picture in pictures]
    column = lambda name: np.array([line[name] for line in lines])
    scores = Scores(column("sha256"), column("is_ai").astype(int), column("source"), column("generator"), column("kind"), column("content"), column("tier"),
                    1 / (1 + np.exp(-seen.odds)), np.round(seen.drawn, 4))
    embeddings = np.stack([joined[line["sha256"], line["tier"]] for line in lines])
    if arguments.beside:
        scores, embeddings = joined_with(arguments.beside, scores, embeddings)
    write_reference(arguments.out, scores, embeddings, {"model": f"telltale-{manifest['version']}"})
    size = sum(path.stat().st_size for path in arguments.out.iterdir())
    print(f"{arguments.out}: {len(scores.labels)} rows of {len({picture[:NAME_DIGITS] for picture in scores.picture})} pictures, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
