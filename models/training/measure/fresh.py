"""What ships, on pictures of owners that nobody had seen when it was made: AUC, recall at 1%, what the verdict finds and accuses, with intervals over owners.

    telltale models eval LIST.csv --tiers clean,web,hard --scores SCORES
    python -m measure.fresh --full-image SCORES/full_image_specialist.csv --faces SCORES/face_specialist.csv --bands ../bands.json

Scores come from the product, panels and early ends included. Several files of a detector are one. Genuine pictures count alike. The second table tells of AI pictures by kind, and of
generated ones by the family of their generator, how many the verdict finds, of genuine ones by kind how many it accuses.
"""

import argparse
import json
from pathlib import Path

import numpy as np

from data.degrade import TIERS
from data.mix import owner_of
from measure.accused import cell
from measure.beside import MEASURES
from measure.kinds import ai_group_of, family_of
from measure.medium_thresholds import Classified, apply_thresholds
from measure.metrics import source_bootstrap
from measure.score_file import read_all
from measure.verdict import either


def row_of(rows: Classified, tier: str) -> str:
    """The cells of a tier: how many, of how many owners, and each of MEASURES."""
    mine = rows.where(rows.tier == tier)
    owners = np.array([owner_of(source) for source in mine.source])
    cells = [f"{(mine.labels == label).sum()} of {len(set(owners[mine.labels == label]))}" for label in (1, 0)]
    for measure in MEASURES.values():
        low, high = source_bootstrap(mine.labels, owners, lambda chosen: measure(mine.where(chosen)))
        cells.append(f"{measure(mine):.3f} ({low:.3f} to {high:.3f})")
    return f"| {tier} | {' | '.join(cells)} |"


def table_of(rows: Classified, name: str, groups: np.ndarray) -> list[str]:
    """A row for each of `groups`, str [rows], the most pictures first: its owners, and in each tier how many fire, with the interval over owners in percent."""
    owners, told = np.array([owner_of(source) for source in rows.source]), []
    names, counts = np.unique(groups, return_counts=True)
    for group in names[np.argsort(-counts, kind="stable")]:
        cells = [cell(rows.fires[mine], owners[mine]) for mine in ((groups == group) & (rows.tier == tier) for tier in TIERS)]
        told.append(f"| {name} | {group} | {len(np.unique(owners[groups == group]))} | {' | '.join(cells)} |")
    return told


def kinds_of(rows: Classified) -> list[str]:
    """AI pictures by kind, what was generated as a whole by the family of its generator, genuine ones by kind."""
    ai, genuine = rows.where(rows.labels == 1), rows.where(rows.labels == 0)
    generated = ai.where(ai_group_of(ai.kind) == "generated")
    return [*table_of(ai, "AI", ai.kind), *table_of(generated, "generated", family_of(generated.generator)), *table_of(genuine, "genuine", genuine.kind)]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("full-image", "faces"):
        parser.add_argument(f"--{name}", type=Path, nargs="+", required=True)
    parser.add_argument("--bands", type=Path, required=True)
    parser.add_argument("--profile", default="balanced")
    arguments = parser.parse_args()
    profile = json.loads(arguments.bands.read_text())["profiles"][arguments.profile]
    whole, faces = (apply_thresholds(read_all(paths), profile[detector])
                    for paths, detector in ((arguments.full_image, "full_image_specialist"), (arguments.faces, "face_specialist")))
    rows = either(whole, faces)
    print(f"| | AI, of owners | genuine, of owners | {' | '.join(MEASURES)} |\n|---|---|---|{'---|' * len(MEASURES)}")
    for tier in TIERS:
        print(row_of(rows, tier))
    print(f"\n| | kind or generator | owners | {' | '.join(TIERS)} |\n|---|---|---|---|---|---|", *kinds_of(rows), sep="\n")


if __name__ == "__main__":
    main()
