"""Tests that generated files are up to date, and that each error code of the OpenAPI document has a class."""

import json
import os
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE / "scripts"))

from make_models import make_models  # noqa: E402
from make_sync import PACKAGE, make_sync  # noqa: E402

from telltale_client.errors import CLASSES  # noqa: E402
from telltale_client.headlines import headline_of  # noqa: E402

DOCUMENT = json.loads(Path(os.environ["TELLTALE_OPENAPI"]).read_text())


def test_models_match_the_document() -> None:
    written = (PACKAGE / "models.py").read_text()
    assert written == make_models(DOCUMENT), "run scripts/make_models.py"


def test_the_synchronous_client_matches_the_asynchronous_one() -> None:
    written = (PACKAGE / "client.py").read_text()
    assert written == make_sync(PACKAGE / "aio.py"), "run scripts/make_sync.py"


def test_the_headline_of_an_overturned_result_is_overturned() -> None:
    result: Any = {"reason": "AI detected: the image as a whole"}
    assert headline_of(result) == "AI detected"
    assert headline_of({**result, "appeal": "overturned"}) == "Overturned"


def test_every_error_code_that_a_caller_can_fix_has_a_class() -> None:
    known = set(DOCUMENT["components"]["schemas"]["ErrorCode"]["enum"])
    assert known - set(CLASSES) <= {"internal_error", "not_configured"}
    assert set(CLASSES) - known == {"connection_failed", "timed_out", "image_unreadable"}
