"""Makes `telltale_client/client.py`, which waits for its answers, of `aio.py` by unasync:

    python3 client-python/scripts/make_sync.py

It needs the packages of tests/requirements.txt.
"""

import shutil
import tempfile
from pathlib import Path

from unasync import Rule, unasync_files

PACKAGE = Path(__file__).resolve().parent.parent / "telltale_client"

#: Names beside those that unasync knows. The pauses are those of `time`.
NAMES = {
    "AsyncBaseTransport": "BaseTransport",
    "AsyncClient": "Client",
    "AsyncConnection": "Connection",
    "AsyncScans": "Scans",
    "AsyncTelltale": "Telltale",
    "aclose": "close",
    "async_map_in_order": "map_in_order",
    "asyncio": "time",
}


def make_sync(source: Path) -> str:
    """The text of client.py."""
    with tempfile.TemporaryDirectory() as folder:
        # unasync goes by the names of folders.
        (Path(folder) / "aio").mkdir()
        copy = str(shutil.copy(source, Path(folder) / "aio/client.py"))
        unasync_files([copy], [Rule("/aio/", "/sync/", NAMES)])
        return (Path(folder) / "sync/client.py").read_text(encoding="utf-8")


if __name__ == "__main__":
    (PACKAGE / "client.py").write_text(make_sync(PACKAGE / "aio.py"), encoding="utf-8")
