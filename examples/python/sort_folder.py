"""Checks every image of a folder and writes a CSV of the results. Images for a person to review come first:

TELLTALE_URL=http://127.0.0.1:8080 TELLTALE_KEY=tt_live_... python3 examples/python/sort_folder.py FOLDER > verdicts.csv

Requires `pip install ./client-python`.
"""

import csv
import os
import sys
from pathlib import Path

from telltale_client import Telltale, headline_of

ENDINGS = {".jpg", ".jpeg", ".png", ".webp", ".avif", ".gif", ".bmp", ".tif", ".tiff"}
#: Order of the rows: images for a person to review come first.
ORDER = ["AI detected", "Unclear", "refused", "No AI detected"]


def main(folder: str) -> None:
    pictures = sorted(path for path in Path(folder).rglob("*") if path.suffix.lower() in ENDINGS)
    rows = []
    with Telltale(os.environ["TELLTALE_URL"], os.environ.get("TELLTALE_KEY")) as telltale:
        for outcome in telltale.check_many(pictures, progress=sys.stderr.isatty()):
            if outcome.result is None:
                rows.append(["refused", outcome.image, outcome.error.code, str(outcome.error)])
            else:
                rows.append([headline_of(outcome.result), outcome.image, outcome.result["id"], outcome.result["reason"]])
    rows.sort(key=lambda row: ORDER.index(row[0]))
    writer = csv.writer(sys.stdout)
    writer.writerow(["result", "file", "check or code", "reason"])
    writer.writerows(rows)


if __name__ == "__main__":
    main(sys.argv[1])
