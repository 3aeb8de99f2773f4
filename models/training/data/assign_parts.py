"""Places repositories that split.csv does not name yet, before anything of theirs is scored.

    python -m data.assign_parts --sources sources.csv [found.csv ...]

A repository goes where its owner stands already: to training where any of the owner's repositories trains, else to validation. Other owners go to a
part by the hash of their name, in lower case, by SHARES. The rows are written into split.csv, which stays in order, and what each part got is printed. Nothing that stands there moves.
"""

import argparse
import csv
import hashlib
from collections import Counter
from pathlib import Path

from data.mix import owner_of
from data.split import SPLIT_FILE, read_csv

SHARES = {"train": 0.60, "validation": 0.25, "test": 0.15}
"""Of new owners, in the long run."""


def part_by_hash(owner: str) -> str:
    """The part of an owner that nobody has placed."""
    drawn, bound = int(hashlib.sha256(owner.lower().encode()).hexdigest()[:12], 16) / 16 ** 12, 0.0
    for part, share in SHARES.items():
        bound += share
        if drawn < bound:
            return part
    return part


def assign(repositories: set[str], parts: dict[str, str]) -> dict[str, str]:
    """Parts of those of `repositories` that `parts` does not name."""
    stands: dict[str, set[str]] = {}
    for repository, part in parts.items():
        stands.setdefault(owner_of(repository).lower(), set()).add(part)
    placed = {}
    for repository in sorted(repositories - set(parts)):
        owner = owner_of(repository)
        known = [part for part in SHARES if part in stands.get(owner.lower(), ())]
        placed[repository] = known[0] if known else part_by_hash(owner)
    return placed


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sources", type=Path, nargs="+", required=True)
    arguments = parser.parse_args()
    rows = [row for path in arguments.sources for row in read_csv(path)]
    parts = {row["repo"]: row["part"] for row in read_csv(SPLIT_FILE)}
    placed = assign({row["repo"] for row in rows}, parts)
    with SPLIT_FILE.open("w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(("repo", "part"))
        writer.writerows(sorted((parts | placed).items()))
    for part in SHARES:
        mine = {repository for repository, where in placed.items() if where == part}
        labels = Counter("genuine" if row["label"] == "real" else "AI" for row in rows if row["repo"] in mine)
        print(f"{part}: {len(mine)} repositories of {len(set(map(owner_of, mine)))} owners, {labels['AI']} AI and {labels['genuine']} genuine pictures")


if __name__ == "__main__":
    main()
