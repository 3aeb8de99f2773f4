"""Runs the steps that remake a model: each a command of this room, left out where what it writes is there already."""
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Step:
    """`output`: the file that says the step is done; `command`: a module of this room and its arguments."""

    output: Path
    command: list


def run_steps(steps: list[Step]) -> None:
    """Runs them in order; stops at the first that fails (subprocess.CalledProcessError)."""
    for step in steps:
        if step.output.is_file():
            continue
        print("python -m", *step.command, flush=True)
        step.output.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", *map(str, step.command)], check=True)
