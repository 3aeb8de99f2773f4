"""Assigns new repositories of images to training, validation or test, before any of their images is scored.

    python -m data.assign_splits --sources sources.csv [found.csv ...]

A source is the owner of one or more repositories. If the source already has a repository in training, its new
repositories also go to training, otherwise to validation. New sources are assigned by the hash of their lower-case
name, in the proportions SHARES. The command adds the rows to split.csv in order and prints the number of images in each
split. It never changes existing rows.
"""

import hashlib
from collections import Counter

from data.collect import write_csv
from data.mix import source_of
from data.split import SPLIT_FILE, read_csv
from export.command import command_parser

SHARES = {"train": 0.60, "validation": 0.25, "test": 0.15}
"""Shares of new sources that go to each split, on average."""


def split_by_hash(source: str) -> str:
    """Chooses the split of a new source from the hash of its name, so that the choice is random but repeatable."""
    drawn, bound = int(hashlib.sha256(source.lower().encode()).hexdigest()[:12], 16) / 16**12, 0.0
    for split, share in SHARES.items():
        bound += share
        if drawn < bound:
            return split
    return split


def assign(repositories: set[str], splits: dict[str, str]) -> dict[str, str]:
    """Returns the split of each repository that `splits` lacks."""
    stands: dict[str, set[str]] = {}
    for repository, split in splits.items():
        stands.setdefault(source_of(repository).lower(), set()).add(split)
    placed = {}
    for repository in sorted(repositories - set(splits)):
        source = source_of(repository)
        known = [split for split in SHARES if split in stands.get(source.lower(), ())]
        placed[repository] = known[0] if known else split_by_hash(source)
    return placed


def main() -> None:
    args = command_parser(__doc__, "sources+").parse_args()
    rows = [row for path in args.sources for row in read_csv(path)]
    splits = {row["repo"]: row["split"] for row in read_csv(SPLIT_FILE)}
    placed = assign({row["repo"] for row in rows}, splits)
    write_csv(SPLIT_FILE, [{"repo": repo, "split": split} for repo, split in sorted((splits | placed).items())])
    for split in SHARES:
        mine = {repository for repository, where in placed.items() if where == split}
        labels = Counter("genuine" if row["label"] == "real" else "AI" for row in rows if row["repo"] in mine)
        print(
            f"{split}: {len(mine)} repositories of {len(set(map(source_of, mine)))} sources, {labels['AI']} AI and {labels['genuine']} genuine images"
        )


if __name__ == "__main__":
    main()
