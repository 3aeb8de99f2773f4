"""Copies the original images of CSV lists out of local clones of their public repositories.

    python -m data.collect --csv data/sources.csv.xz data/found.csv --clones CLONES --out IMAGES [--jobs 4]

CLONES contains one clone per repository, named `OWNER+NAME`, `OWNER/NAME` or `NAME` (bare or with a work tree). The
command looks for a file by its git object (column `blob`, if the CSV has it), then at its commit, then at the clone's
newest commit. It writes `<sha256[:16]>.<ext>` for each file, and `index.csv`, which has the rows of the lists with an
additional column `file`. A run can be repeated after an interruption, because files with the right digest are kept.
Missing files are counted by repository.
"""

import csv
import hashlib
import lzma
import os
import subprocess
import threading
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tqdm import tqdm

from export.command import command_parser

EXTENSIONS = {"JPEG": "jpg", "PNG": "png", "WEBP": "webp", "TIFF": "tif", "AVIF": "avif", "GIF": "gif"}


def find_clone(clones: Path, repo: str) -> Path | None:
    """Returns the Git directory of `repo` ("owner/name") below `clones`, or None if there is no clone."""
    source, name = repo.split("/")
    for folder in (f"{source}+{name}", f"{source}/{name}", name):
        for tail in ("repo/.git", "repo", ".git", ""):
            candidate = clones / folder / tail
            if (candidate / "HEAD").is_file() and (candidate / "objects").is_dir():
                return candidate
    return None


class BlobReader:
    """Reads files from one clone through a single `git cat-file --batch` process. Never fetches missing objects."""

    def __init__(self, git_dir: Path):
        self._process = subprocess.Popen(
            ["git", f"--git-dir={git_dir}", "cat-file", "--batch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={
                "PATH": "/usr/bin:/bin",
                "GIT_NO_LAZY_FETCH": "1",
                "GIT_DIR": str(git_dir),
                "GIT_CONFIG_COUNT": "1",
                "GIT_CONFIG_KEY_0": "safe.directory",
                "GIT_CONFIG_VALUE_0": "*",
            },
        )

    def read(self, name: str) -> bytes | None:
        """Reads an object such as `COMMIT:path`. Returns None if the clone lacks the object."""
        if "\n" in name:
            return None
        self._process.stdin.write(name.encode() + b"\n")
        self._process.stdin.flush()
        header = self._process.stdout.readline().split()
        if len(header) != 3 or not header[2].isdigit():
            return None
        content = self._process.stdout.read(int(header[2]))
        self._process.stdout.read(1)
        return content if header[1] == b"blob" else None

    def close(self) -> None:
        """Ends the git process."""
        self._process.stdin.close()
        self._process.wait()


def names_of(row: dict) -> list[str]:
    """Lists the names by which Git may find the file of a row, the most reliable first."""
    blob = [row["blob"]] if row.get("blob") else []
    return [*blob, f"{row['commit']}:{row['path']}", f"HEAD:{row['path']}"]


def read_original(reader: BlobReader, row: dict) -> bytes | None:
    """Reads the file of a row. Returns None unless the SHA-256 is the one in the row."""
    for name in names_of(row):
        content = reader.read(name)
        if content is not None and hashlib.sha256(content).hexdigest() == row["sha256"]:
            return content
    return None


def file_name(row: dict) -> str:
    """Returns the name under which the file of a row is stored: `<sha256[:16]>.<ext>`."""
    return f"{row['sha256'][:16]}.{EXTENSIONS.get(row['format'], row['format'].lower())}"


def is_collected(path: Path, sha256: str) -> bool:
    """Returns whether the file exists and has this digest."""
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == sha256


def write_original(reader: BlobReader | None, row: dict, path: Path) -> bool:
    """Writes the file of a row completely or not at all. Returns whether the clone contains the file."""
    content = read_original(reader, row) if reader else None
    if content is None:
        return False
    partial = path.with_suffix(f".{threading.get_ident()}.part")
    partial.write_bytes(content)
    partial.replace(path)
    return True


def collect_repository(git_dir: Path | None, rows: list[dict], out: Path, bar: tqdm) -> list[dict]:
    """Writes the files of one repository. Returns the rows whose file exists, with the file's name."""
    reader, collected = BlobReader(git_dir) if git_dir else None, []
    for row in rows:
        path = out / file_name(row)
        if is_collected(path, row["sha256"]) or write_original(reader, row, path):
            collected.append({**row, "file": path.name})
        bar.update()
    if reader:
        reader.close()
    return collected


def read_csv(path: Path) -> list[dict[str, str]]:
    """Reads the rows of a CSV file with a header, compressed (`.csv.xz`) or not."""
    with (lzma.open if path.suffix == ".xz" else open)(path, "rt", newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def write_csv(path: Path, rows: list[dict], columns: Iterable[str] | None = None) -> None:
    """Writes these columns of the rows (default: the columns of the first row) with a header."""
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(columns or rows[0]), extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read_lists(paths: list[Path]) -> list[dict]:
    """Reads the rows of all lists. A file that two lists contain is returned once."""
    rows: dict[str, dict] = {}
    for path in paths:
        for row in read_csv(path):
            rows.setdefault(row["sha256"], row)
    return list(rows.values())


def collect(paths: Path | list[Path], clones: Path, out: Path, jobs: int = 1) -> tuple[int, dict[str, int]]:
    """Writes the files and `index.csv`, working on `jobs` repositories at a time.

    Returns the number of files, and the number of missing files by repository.
    """
    rows = read_lists([paths] if isinstance(paths, Path) else paths)
    out.mkdir(parents=True, exist_ok=True)
    by_repo = defaultdict(list)
    for row in rows:
        by_repo[row["repo"]].append(row)
    with tqdm(total=len(rows), unit="file") as bar, ThreadPoolExecutor(jobs) as pool:
        collect_one = lambda repo: collect_repository(find_clone(clones, repo), by_repo[repo], out, bar)
        found = list(pool.map(collect_one, by_repo))
    missing = {repo: len(by_repo[repo]) - len(members) for repo, members in zip(by_repo, found, strict=True)}
    collected = [row for members in found for row in members]
    write_csv(out / "index.csv", collected, [*rows[0], "file"])
    return len(collected), {repo: count for repo, count in missing.items() if count}


def main() -> None:
    """Exits with code 1 if no file was found."""
    parser = command_parser(__doc__, "clones", "out")
    parser.add_argument("--csv", type=Path, nargs="+", required=True, help="lists of the same columns, .csv or .csv.xz")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="repositories that are read at a time")
    args = parser.parse_args()
    count, missing = collect(args.csv, args.clones, args.out, args.jobs)
    print(f"{count} files in {args.out}, {sum(missing.values())} unavailable")
    for repo, number in sorted(missing.items(), key=lambda item: -item[1]):
        print(f"missing {number:5d} of {repo}")
    raise SystemExit(0 if count else 1)


if __name__ == "__main__":
    main()
