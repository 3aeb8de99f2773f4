"""Runs the steps that make a model again. Each is a command of this code, and is skipped if its output exists.

Input: a list of `Step`s. Output: the files that they write.
"""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Step:
    """A step: `command` is a module of this code with its arguments, and `output` is the file that it writes at its
    end.

    `resumes` is true if the command continues an interrupted run. Its files may then be incomplete, so the step ends by
    writing `output`.
    """

    output: Path
    command: list
    resumes: bool = False


def options(**values: object) -> list:
    """Writes options of a command: `faces_csv=path` becomes `--faces-csv path`. A list gives several values."""
    found = []
    for name, value in values.items():
        found += [f"--{name.replace('_', '-')}", *(value if isinstance(value, list) else [value])]
    return found


def into(folder: Path, command: list) -> Step:
    """Makes a step whose command fills a folder given by `--out` and continues an interrupted run."""
    return Step(folder / "done", [*command, "--out", folder], resumes=True)


def run_steps(steps: list[Step]) -> None:
    """Runs the steps in order. Stops at the first that fails (subprocess.CalledProcessError)."""
    for step in steps:
        if step.output.is_file():
            continue
        print("python -m", *step.command, flush=True)
        step.output.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", *map(str, step.command)], check=True)
        if step.resumes:
            step.output.touch()
