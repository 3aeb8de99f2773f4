"""Files of rows of numbers with a JSON line each. Writing can be interrupted at any time and resumed.

Output: `NAME.SHARE.bin` ([rows, width], float16 by default) and `NAME.SHARE.jsonl`. SHARE is the number of the process
that wrote the file.
"""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

MAX_STORED = 6e4
"""Maximum magnitude of stored values, near float16's largest number. Larger values are clipped."""


def one_row(line: dict) -> int:
    """Returns 1, the number of rows that a line describes by default."""
    return 1


class RowFile:
    """Appends rows of `width` numbers to `NAME.SHARE.bin` and their JSON lines to `NAME.SHARE.jsonl`, a whole image at
    a time.

    `rows_of` returns the number of rows that a line describes. When a file is opened again, rows without a line are cut
    off: an interrupted process wrote them. `finish` writes `NAME.SHARE.done`. Values are float16, clipped to MAX_STORED,
    or uint8.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        share: int,
        width: int,
        rows_of: Callable[[dict], int] = one_row,
        numbers: type = np.float16,
    ):
        folder.mkdir(parents=True, exist_ok=True)
        index = folder / f"{name}.{share}.jsonl"
        lines = [json.loads(line) for line in index.read_text().splitlines()] if index.is_file() else []
        self.done = {line["sha256"] for line in lines}
        self._numbers = numbers
        self._finished = index.with_suffix(".done")
        self._finished.unlink(missing_ok=True)
        self._values, self._index = index.with_suffix(".bin").open("ab"), index.open("a")
        self._values.truncate(sum(map(rows_of, lines)) * width * np.dtype(numbers).itemsize)

    def add(self, lines: list[tuple[dict, np.ndarray]]) -> None:
        """Appends all lines of one image, each with its row [width] or rows [N, width]."""
        for _, values in lines:
            kept = values if self._numbers == np.uint8 else np.clip(values, -MAX_STORED, MAX_STORED)
            self._values.write(kept.astype(self._numbers).tobytes())
        self._values.flush()
        self._index.write("".join(json.dumps(line) + "\n" for line, _ in lines))
        self._index.flush()

    def finish(self) -> None:
        """Marks the file as complete."""
        self._finished.touch()


def require_finished(folder: Path, name: str) -> None:
    """Raises ValueError if a process left its file incomplete: training on part of the images would go unnoticed."""
    unfinished = [
        index.name for index in sorted(folder.glob(f"{name}.*.jsonl")) if not index.with_suffix(".done").is_file()
    ]
    if unfinished:
        raise ValueError(f"{folder}: {', '.join(unfinished)} not finished: run the command that writes it once more")


def read_rows(index: Path, width: int, rows_of: Callable[[dict], int] = one_row) -> tuple[list[dict], np.ndarray]:
    """Reads the lines of a RowFile's `.jsonl` and their rows float16 [rows, width]. Skips rows without a line."""
    lines = [json.loads(line) for line in index.read_text().splitlines()]
    count = sum(map(rows_of, lines))
    return lines, np.fromfile(index.with_suffix(".bin"), np.float16, count * width).reshape(count, width)
