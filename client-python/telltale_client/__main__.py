"""Command line: `python -m telltale_client check photo.jpg ...` with TELLTALE_URL and TELLTALE_KEY set."""

import argparse
import json
import os
import sys
from typing import List, Optional

from .client import Telltale
from .errors import TelltaleError


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs the command line. Returns 0 if all images were checked, 1 if one failed, 2 for wrong usage."""
    parser = argparse.ArgumentParser(prog="telltale_client", description="Checks images by a Telltale service.")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="verdicts on paths and addresses")
    check.add_argument("images", nargs="+", metavar="IMAGE")
    check.add_argument("--profile", choices=["strict", "balanced", "sensitive"])
    check.add_argument("--json", action="store_true", help="a line of JSON for each image")
    options = parser.parse_args(arguments)
    url = os.environ.get("TELLTALE_URL")
    if not url:
        parser.error("Set TELLTALE_URL to the address of the service and TELLTALE_KEY to a key.")
    try:
        client = Telltale(url, os.environ.get("TELLTALE_KEY"))
    except ValueError as error:
        parser.error(f"TELLTALE_URL or TELLTALE_KEY is invalid: {error}")
    failed = False
    with client as telltale:
        try:
            for image in options.images:
                failed = not _check(telltale, image, options) or failed
        except TelltaleError as error:
            print(f"telltale_client: {error} ({error.code})", file=sys.stderr)
            return 1
    return 1 if failed else 0


def _check(telltale: Telltale, image: str, options: argparse.Namespace) -> bool:
    [outcome] = telltale.check_many([image], profile=options.profile)
    error, result = outcome.error, outcome.result
    if options.json:
        body = result if error is None else {"error": {"code": error.code, "message": error.message}}
        print(json.dumps({"image": image, **(body or {})}))
    elif result is None:
        print(f"{image}: refused ({error.code if error else ''}): {error}")
    else:
        print(f"{image}: {result['reason']}")
    return error is None


if __name__ == "__main__":
    sys.exit(main())
