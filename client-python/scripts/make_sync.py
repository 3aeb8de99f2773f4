"""Generates the synchronous client `telltale_client/client.py` from `aio.py` by unasync:

    python3 client-python/scripts/make_sync.py

Requires the packages of tests/requirements.txt.
"""

import shutil
import tempfile
from pathlib import Path

from unasync import Rule, unasync_files

PACKAGE = Path(__file__).resolve().parent.parent / "telltale_client"

#: Names to replace, in addition to those that unasync replaces.
NAMES = {
    "AsyncBaseTransport": "BaseTransport",
    "AsyncClient": "Client",
    "AsyncConnection": "Connection",
    "AsyncPool": "Pool",
    "AsyncScans": "Scans",
    "AsyncTelltale": "Telltale",
    "aclose": "close",
    "async_map_in_order": "map_in_order",
    "asyncio": "time",
}


def make_sync(source: Path) -> str:
    """Returns the text of client.py, generated from `source`."""
    with tempfile.TemporaryDirectory() as folder:
        # The path must contain a folder `aio`, because unasync selects files by their folder.
        (Path(folder) / "aio").mkdir()
        copy = str(shutil.copy(source, Path(folder) / "aio/client.py"))
        unasync_files([copy], [Rule("/aio/", "/sync/", NAMES)])
        return (Path(folder) / "sync/client.py").read_text(encoding="utf-8")


if __name__ == "__main__":
    (PACKAGE / "client.py").write_text(make_sync(PACKAGE / "aio.py"), encoding="utf-8")
