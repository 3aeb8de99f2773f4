"""Scores the images of a stored run again with the engine in this checkout, after a new encoder or plan.

    python -m measure.rescore --run test --images IMAGES [MORE ...] --work FOLDER [--keep]

RUN is `validation`, `test` or `later`: `RUN_scores.csv` in `full_image/run` and `face_specialist/run` name the images,
their sources, kinds and levels; a detector without that file is left out. IMAGES are folders that `data.collect` wrote.
`telltale models eval` scores the images; TELLTALE_MODELS_DIR may name other models. `--keep` replaces the score files,
otherwise new ones are written to FOLDER. Thresholds need scores by all crops: use models without `early_exit` in the
manifest for `validation`.

Left out: images that are not in IMAGES, rows that the engine gives no score, and images of the training split: a run
`later` holds sources that the next model learns from. `--untrained` keeps the latter, for models that have not been
trained since the run was stored. The command prints their number. Started again, it scores only images without a score.
"""

from pathlib import Path

from data.degrade import LEVELS
from data.split import SPLIT_FILE, read_csv
from export.command import command_parser
from measure.matched import RUNS
from measure.perturbed import DETECTORS, score, write_list
from measure.score_file import write_scores

SHORT = 16
"""Hexadecimal digits of the SHA-256 in the names of files that data.collect writes."""
PART = 200
"""Number of images that are scored at once. An interruption loses the scores of one part at most."""
Rows = list[dict[str, str]]


def find_files(folders: list[Path]) -> dict[str, Path]:
    """Finds the images in `folders`, by the first SHORT digits of their SHA-256."""
    return {path.stem[:SHORT]: path for folder in folders for path in sorted(folder.iterdir()) if path.is_file()}


def scored_rows(work: Path, detector: str) -> dict[tuple[str, str], dict[str, str]]:
    """Reads the scores of a detector in all parts of `work`, by SHORT digits of the SHA-256 and level."""
    rows = [row for part in sorted(work.glob(f"part-*/{detector}.csv")) for row in read_csv(part)]
    return {(Path(row["picture"]).stem[:SHORT], row["tier"]): row for row in rows}


def rescored(stored: Rows, scored: dict[tuple[str, str], dict[str, str]]) -> Rows:
    """Replaces the scores of rows by the scores in `scored`. Leaves out rows that it lacks."""
    found = [(row, scored.get((row["picture"][:SHORT], row["tier"]))) for row in stored]
    names = ("score", "drawn")
    return [row | {name: row[name] and f"{float(new[name]):.6f}" for name in names} for row, new in found if new]


def main() -> None:
    parser = command_parser(__doc__, "images+", "work")
    parser.add_argument("--run", choices=("validation", "test", "later"), required=True)
    parser.add_argument("--keep", action="store_true", help="replace the stored score files")
    parser.add_argument("--untrained", action="store_true", help="keep images of the training split")
    args = parser.parse_args()
    splits = {row["repo"].lower(): row["split"] for row in read_csv(SPLIT_FILE)}
    files = {detector: folder / f"{args.run}_scores.csv" for detector, folder in RUNS.items()}
    stored = {detector: read_csv(path) for detector, path in files.items() if path.is_file()}
    images = {row["picture"]: row for rows in stored.values() for row in rows}
    allowed = {
        picture for picture, row in images.items() if args.untrained or splits.get(row["source"].lower()) != "train"
    }
    files = find_files(args.images)
    there = {picture: files[picture[:SHORT]] for picture in sorted(allowed) if picture[:SHORT] in files}
    print(f"{args.run}: {len(there)} of {len(images)} images; {len(images) - len(allowed)} left out as training images")
    done = {short for short, _ in scored_rows(args.work, DETECTORS[0])}
    listed = [
        (path, images[picture] | {"repo": images[picture]["source"]})
        for picture, path in there.items()
        if picture[:SHORT] not in done
    ]
    for start in range(0, len(listed), PART):
        part = args.work / f"part-{listed[start][0].stem}"
        part.mkdir(parents=True, exist_ok=True)
        score(write_list(listed[start : start + PART], part / "list.csv"), part, tuple(LEVELS))
    for detector, rows in stored.items():
        kept = rescored(rows, scored_rows(args.work, detector))
        folder = RUNS[detector] if args.keep else args.work / detector
        folder.mkdir(exist_ok=True)
        write_scores(folder / f"{args.run}_scores.csv", kept)
        missing = sum(row["picture"] in there for row in rows) - len(kept)
        print(f"{detector}: {len(kept)} of {len(rows)} rows; {missing} rows of images that are there have no score")


if __name__ == "__main__":
    main()
