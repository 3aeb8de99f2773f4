"""Runs the steps that remake a model: each is a command of this code and is skipped if its output exists.

In: a list of `Step`s. Out: the files that they write.
"""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Step:
    """A step: `output` is the file that shows it is done; `command` is a module of this code and its arguments.

    `resumes`: the command resumes, so its files don't show that it is done; `output` is written when it has ended.
    """

    output: Path
    command: list
    resumes: bool = False


def into(folder: Path, command: list) -> Step:
    """Makes a step that fills a folder by `--out` and resumes."""
    return Step(folder / "done", [*command, "--out", folder], resumes=True)


def run_steps(steps: list[Step]) -> None:
    """Runs them in order; stops at the first that fails (subprocess.CalledProcessError)."""
    for step in steps:
        if step.output.is_file():
            continue
        print("python -m", *step.command, flush=True)
        step.output.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", *map(str, step.command)], check=True)
        if step.resumes:
            step.output.touch()
