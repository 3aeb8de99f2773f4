"""Tests that generated files are current and that every code of the document has an error class."""

import json
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE / "scripts"))

from make_models import make_models  # noqa: E402
from make_sync import PACKAGE, make_sync  # noqa: E402

from telltale_client.errors import CLASSES  # noqa: E402

DOCUMENT = json.loads(Path(os.environ["TELLTALE_OPENAPI"]).read_text())


def test_models_are_made_of_the_document() -> None:
    written = (PACKAGE / "models.py").read_text()
    assert written == make_models(DOCUMENT), "run scripts/make_models.py"


def test_the_client_that_waits_is_made_of_that_for_asyncio() -> None:
    written = (PACKAGE / "client.py").read_text()
    assert written == make_sync(PACKAGE / "aio.py"), "run scripts/make_sync.py"


def test_every_code_that_a_caller_can_mend_has_a_class() -> None:
    codes = DOCUMENT["components"]["schemas"]["Error"]["properties"]["error"]["properties"]["code"]
    known = set(codes["enum"])
    assert known - set(CLASSES) <= {"internal_error", "not_configured"}
    assert set(CLASSES) - known == {"connection_failed", "timed_out", "image_unreadable"}
