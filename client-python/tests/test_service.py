"""Tests of the client against a running service: TELLTALE_URL, TELLTALE_KEY, images in TELLTALE_IMAGES."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Iterator

import pytest

import telltale_client
from telltale_client import AsyncTelltale, AuthenticationError, ImageError, Telltale, TelltaleError, verify_record

URL = os.environ["TELLTALE_URL"]
KEY = os.environ["TELLTALE_KEY"]
IMAGES = Path(os.environ["TELLTALE_IMAGES"])
SCENE = IMAGES / "jpeg/scene.jpg"
PNG = IMAGES / "png/scene.png"


@pytest.fixture
def telltale() -> Iterator[Telltale]:
    with Telltale(URL, KEY) as client:
        yield client


def test_checks_paths_bytes_and_files(telltale: Telltale) -> None:
    with open(SCENE, "rb") as file:
        for image in (SCENE, str(SCENE), SCENE.read_bytes(), file):
            result = telltale.check(image, profile="strict", include=["thresholds"])
            assert result["is_ai"] is False
            assert result["profile"] == "strict"
            assert result["details"]["thresholds"]["full_image_specialist"]["threshold"] > 0


def test_refusals_are_classes_by_code(telltale: Telltale) -> None:
    with pytest.raises(ImageError) as refused:
        telltale.check(b"no image")
    assert refused.value.code == "unsupported_format"
    assert refused.value.status == 415
    assert refused.value.request_id
    with pytest.raises(telltale_client.ImageUrlError):
        telltale.check("http://127.0.0.1/scene.jpg")
    with Telltale(URL, "tt_live_none") as stranger, pytest.raises(AuthenticationError) as unknown:
        stranger.check(SCENE)
    assert "tt_live" not in repr(unknown.value)
    with pytest.raises(OSError):
        telltale.check("no-such-file.jpg")


def test_batches_of_any_length_keep_their_order(telltale: Telltale) -> None:
    images = [SCENE.read_bytes(), b"no image", PNG] * 3
    outcomes = telltale.check_batch(images)
    assert len(outcomes) == 9
    for at, outcome in enumerate(outcomes):
        if at % 3 == 1:
            assert isinstance(outcome, TelltaleError) and outcome.code == "unsupported_format"
        else:
            assert not isinstance(outcome, TelltaleError) and outcome["is_ai"] is False
    mixed = telltale.check_batch([SCENE, "http://127.0.0.1/scene.jpg"])
    assert isinstance(mixed[1], TelltaleError) and mixed[1].code == "url_not_public"


def test_many_keep_their_order_and_end_with_a_fault_of_all(telltale: Telltale) -> None:
    outcomes = list(telltale.check_many([SCENE, b"no image", PNG], progress=True))
    assert [outcome.image for outcome in outcomes] == [SCENE, b"no image", PNG]
    assert [outcome.error and outcome.error.code for outcome in outcomes] == [None, "unsupported_format", None]
    with Telltale(URL, "tt_live_none") as stranger, pytest.raises(AuthenticationError):
        list(stranger.check_many([SCENE, SCENE]))


def test_one_key_is_charged_once(telltale: Telltale) -> None:
    before = telltale.usage()["checks"]["used"]
    first = telltale.check(SCENE, idempotency_key="once-from-python")
    assert telltale.check(SCENE, idempotency_key="once-from-python")["id"] == first["id"]
    assert telltale.usage()["checks"]["used"] == before + 1


def test_the_same_by_asyncio() -> None:
    async def work() -> None:
        async with AsyncTelltale(URL, KEY) as telltale:
            result = await telltale.check(SCENE)
            assert result["is_ai"] is False
            with pytest.raises(ImageError):
                await telltale.check(b"no image")
            codes = [
                outcome.error and outcome.error.code
                async for outcome in telltale.check_many([SCENE, b"no image", PNG], concurrency=2)
            ]
            assert codes == [None, "unsupported_format", None]
            assert len(await telltale.check_batch([PNG] * 9)) == 9
            assert (await telltale.usage())["plan"] == "scale"

    asyncio.run(work())


def test_records_verify_without_the_service(telltale: Telltale) -> None:
    result = telltale.check(SCENE, include=["record"])
    record, keys = json.dumps(result["details"]["record"]), telltale.record_keys()
    content = verify_record(record, keys, SCENE.read_bytes())
    assert content["verdict"]["is_ai"] is False
    for changed, image in ((record.replace('"is_ai": false', '"is_ai": true'), None), (record, PNG.read_bytes()), ("{}", None)):
        with pytest.raises(TelltaleError) as refused:
            verify_record(changed, keys, image)
        assert refused.value.code == "invalid_record"


def test_command(tmp_path: Path) -> None:
    broken = tmp_path / "broken.jpg"
    broken.write_text("no image")
    command = [sys.executable, "-m", "telltale_client", "check", str(SCENE), str(broken)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert f"{SCENE}: No AI detected" in done.stdout
    assert f"{broken}: refused (unsupported_format)" in done.stdout


def test_checks_of_the_past_are_found_again_and_reported(telltale: Telltale) -> None:
    result = telltale.check(SCENE, ref="order 7")
    assert result["ref"] == "order 7"
    outcomes = telltale.check_batch([SCENE, PNG], refs=["a", "b,c"])
    assert [not isinstance(outcome, TelltaleError) and outcome["ref"] for outcome in outcomes] == ["a", "b,c"]
    page = telltale.checks(limit=2)
    assert sorted(check["ref"] for check in page["checks"]) == ["a", "b,c"]
    older = telltale.checks(limit=1, cursor=page["next"])
    assert older["checks"][0]["id"] == result["id"]
    assert telltale.checks(ref="order 7", is_ai=False)["checks"][0]["id"] == result["id"]
    assert telltale.check_by_id(result["id"])["reason"] == result["reason"]
    telltale.feedback(result["id"], True, "made for this test")
    with pytest.raises(telltale_client.NotFoundError):
        telltale.feedback("chk_none", True)
    telltale.erase_check(result["id"])
    with pytest.raises(telltale_client.NotFoundError):
        telltale.check_by_id(result["id"])
    with pytest.raises(telltale_client.InvalidRequestError) as refused:
        telltale.checks(limit=0)
    assert refused.value.param == "limit"
    assert refused.value.request_id


def test_one_asynchronous_client_works_in_a_second_event_loop() -> None:
    telltale = AsyncTelltale(URL, KEY)

    async def use() -> None:
        assert (await telltale.usage())["checks"]["used"] >= 0

    asyncio.run(use())
    asyncio.run(use())
