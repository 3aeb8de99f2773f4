"""Runs the steps that remake a model: each a command of this code, left out where what it writes is there already.

In: a list of `Step`s. Out: the files that they write.
"""
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Step:
    """`output`: the file that says the step is done; `command`: a module of this code and its arguments.

    `resumes`: the command goes on where it stopped, so that its files tell nothing: `output` is written when it has ended.
    """

    output: Path
    command: list
    resumes: bool = False


def into(folder: Path, command: list) -> Step:
    """A command that fills a folder by `--out` and goes on where it stopped."""
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
