"""Lists images whose sources were found after a model was made, to test it on images that it never learned from.

    python -m data.later --lists data/found.csv --earlier sources.csv EARLIER.csv --images IMAGES --out LIST.csv
        [--most 8]

`telltale models eval` reads the list. EARLIER is `data/found.csv` at the time when the version was made (`git show
COMMIT:...`). IMAGES is the output of `data.collect`. Each source contributes at most `--most` AI images and as many
genuine ones, chosen by digest. The command prints the number of listed images and sources, and how many images are
missing.
"""

from collections import Counter

from data.collect import file_name, read_lists, write_csv
from data.mix import source_of
from export.command import command_parser

COLUMNS = ["path", "label", "source", "generator", "kind", "content"]


def later_rows(rows: list[dict], earlier: list[dict], most: int) -> list[dict]:
    """Selects rows of sources that `earlier` lacks in any letter case, at most `most` per source and label."""
    known = {source_of(row["repo"]).lower() for row in earlier}
    taken: Counter = Counter()
    chosen = []
    for row in sorted(rows, key=lambda row: row["sha256"]):
        source = source_of(row["repo"]).lower()
        if source not in known and taken[source, row["label"]] < most:
            taken[source, row["label"]] += 1
            chosen.append(row | {"source": source})
    return sorted(chosen, key=lambda row: (row["source"], row["sha256"]))


def main() -> None:
    parser = command_parser(__doc__, "images", "out", "lists+", "earlier+")
    parser.add_argument("--most", type=int, default=8)
    args = parser.parse_args()
    rows = later_rows(read_lists(args.lists), read_lists(args.earlier), args.most)
    there = [row | {"path": path} for row in rows if (path := (args.images / file_name(row)).resolve()).is_file()]
    write_csv(args.out, there, COLUMNS)
    for label in ("ai", "real"):
        mine = [row for row in there if row["label"] == label]
        print(f"{label}: {len(mine)} images of {len({row['source'] for row in mine})} sources")
    print(f"not there: {len(rows) - len(there)}")


if __name__ == "__main__":
    main()
