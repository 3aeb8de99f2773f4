"""Files of numbers with lines that tell of them, written by processes that may be stopped at any time and go on.

In: rows of numbers and a JSON line each. Out: `NAME.SHARE.bin` (float16 [rows, width]) and `NAME.SHARE.jsonl`.
"""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

LARGEST = 6e4
"""Near float16's largest number; what lies beyond is cut to it."""


class RowFile:
    """Appends float16 rows of `width` numbers to `NAME.SHARE.bin`, with lines of JSON in `NAME.SHARE.jsonl`; whole images only.

    `rows_of` says how many rows a line tells of. What a stopped process wrote without its line is cut off. `NAME.SHARE.done` stands beside them once `finish`
    was called.
    """

    def __init__(self, folder: Path, name: str, share: int, width: int, rows_of: Callable[[dict], int] = lambda line: 1):
        folder.mkdir(parents=True, exist_ok=True)
        index = folder / f"{name}.{share}.jsonl"
        lines = [json.loads(line) for line in index.read_text().splitlines()] if index.is_file() else []
        self.done = {line["sha256"] for line in lines}
        self._finished = index.with_suffix(".done")
        self._finished.unlink(missing_ok=True)
        self._values, self._index = index.with_suffix(".bin").open("ab"), index.open("a")
        self._values.truncate(sum(map(rows_of, lines)) * width * 2)

    def add(self, lines: list[tuple[dict, np.ndarray]]) -> None:
        """All lines of one image, each with its rows [width] or [N, width]."""
        for _, values in lines:
            self._values.write(np.clip(values, -LARGEST, LARGEST).astype(np.float16).tobytes())
        self._values.flush()
        self._index.write("".join(json.dumps(line) + "\n" for line, _ in lines))
        self._index.flush()

    def finish(self) -> None:
        """Says that nothing is missing."""
        self._finished.touch()


def require_finished(folder: Path, name: str) -> None:
    """Raises ValueError where a share was not finished: what is fitted on some of the images looks like what is fitted on all."""
    unfinished = [index.name for index in sorted(folder.glob(f"{name}.*.jsonl")) if not index.with_suffix(".done").is_file()]
    if unfinished:
        raise ValueError(f"{folder}: {', '.join(unfinished)} not finished: run the command that writes it once more")


def read_rows(index: Path, width: int, rows_of: Callable[[dict], int] = lambda line: 1) -> tuple[list[dict], np.ndarray]:
    """Lines of a `.jsonl` that a RowFile wrote, and their rows float16 [rows, width]; rows without a line are left out."""
    lines = [json.loads(line) for line in index.read_text().splitlines()]
    count = sum(map(rows_of, lines))
    return lines, np.fromfile(index.with_suffix(".bin"), np.float16, count * width).reshape(count, width)
