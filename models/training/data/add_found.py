"""Adds newly found images to found.csv, the list of training images in addition to sources.csv.

    python -m data.add_found --sources sources.csv --found NEW/found.csv [...]

The rows have the columns of sources.csv and are ordered by repository and path. Images that either list already
contains are not added again. Kinds that the project calls by another name are renamed. The command prints the number of
added images by label and kind. Run `data.assign_splits` afterwards: it assigns new repositories to training, validation
or test.
"""

from collections import Counter

from data.collect import write_csv
from data.split import FOUND_FILE, read_csv
from export.command import command_parser

RENAMED = {"portrait": "portrait-photo", "group": "group-photo"}
"""New names of image kinds. `portrait` is taken: it already names a kind of face (measure/kinds.py)."""


def add_found(found: list[dict], known: list[dict], taken: list[dict]) -> list[dict]:
    """Adds to `taken` the rows of `found` that neither `taken` nor `known` has, so that no image is listed twice."""
    had = {row["sha256"] for row in (*known, *taken)}
    rows = list(taken)
    for row in found:
        if row["sha256"] not in had:
            had.add(row["sha256"])
            rows.append(row | {"kind": RENAMED.get(row["kind"], row["kind"])})
    return sorted(rows, key=lambda row: (row["repo"], row["path"], row["sha256"]))


def main() -> None:
    args = command_parser(__doc__, "sources", "found+").parse_args()
    known, taken = read_csv(args.sources), read_csv(FOUND_FILE) if FOUND_FILE.is_file() else []
    rows = add_found([row for path in args.found for row in read_csv(path)], known, taken)
    write_csv(FOUND_FILE, rows, known[0])
    sources = {row["repo"].split("/")[0] for row in rows}
    print(
        f"{len(rows)} images of {len({row['repo'] for row in rows})} repositories of {len(sources)} sources, {len(rows) - len(taken)} of them new"
    )
    for (label, kind), count in sorted(Counter((row["label"], row["kind"]) for row in rows).items()):
        print(f"{label:5s} {kind:16s} {count:5d}")


if __name__ == "__main__":
    main()
