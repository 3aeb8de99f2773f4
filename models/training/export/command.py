"""Parsers of the commands, with the options that most of them have."""

import argparse
from pathlib import Path

HELP = {"sources": "sources.csv, or a list with its columns", "autoencoders": "folder of taesd weights"}


def command_parser(doc: str, *paths: str) -> argparse.ArgumentParser:
    """Makes a parser that is described by the first line of `doc`, with a required option for each of `paths`."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    require_paths(parser, *paths)
    return parser


def require_paths(parser: argparse.ArgumentParser, *paths: str) -> None:
    """Adds required options that are paths, such as "images" for `--images`."""
    for name in paths:
        parser.add_argument(f"--{name}", type=Path, required=True, help=HELP.get(name))
