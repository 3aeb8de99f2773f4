"""Parsers of the commands, with the options that most of them have."""

import argparse
from pathlib import Path

HELP = {
    "sources": "sources.csv, or a list with its columns",
    "autoencoders": "folder of taesd weights",
    "heads": "files of heads, or folders of encoders; the last of a column counts",
}


def command_parser(doc: str, *paths: str) -> argparse.ArgumentParser:
    """Makes a parser that is described by the first line of `doc`, with a required option for each of `paths`.

    A name that ends on "+" takes several paths.
    """
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    require_paths(parser, *paths)
    return parser


def require_paths(parser: argparse.ArgumentParser, *paths: str) -> None:
    """Adds required options that are paths, such as "images" for `--images`."""
    for path in paths:
        name = path.removesuffix("+")
        nargs = {} if name == path else {"nargs": "+"}
        parser.add_argument(f"--{name}", type=Path, required=True, help=HELP.get(name), **nargs)
