"""Tests of requests and retries. The tests make the service's responses."""

import asyncio
import base64
import copy
import datetime
import io
import json
import pickle
import traceback
from pathlib import Path
from typing import Any, Callable, List

import httpx
import pytest

from telltale_client import AsyncTelltale, BusyError, ImageError, QuotaExceededError, Telltale, TelltaleError, verify_webhook
from telltale_client import client as client_module

Handler = Callable[[httpx.Request], httpx.Response]


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> List[float]:
    """Replaces pauses by recording them, so that tests don't wait."""
    waited: List[float] = []
    monkeypatch.setattr(client_module.time, "sleep", waited.append)
    return waited


def client_of(handler: Handler, **options: Any) -> Telltale:
    return Telltale("http://service", "tt_live_x", transport=httpx.MockTransport(handler), **options)


def refusal(status: int, code: str, **headers: str) -> httpx.Response:
    return httpx.Response(status, json={"error": {"code": code, "message": "told"}}, headers=headers)


def test_busy_services_are_asked_again_under_one_key(pauses: List[float]) -> None:
    keys: List[str] = []
    answers = [
        lambda: refusal(429, "rate_limited", **{"retry-after": "3"}),
        lambda: httpx.Response(502, text="<html>"),
        lambda: httpx.Response(200, json={"id": "chk_1"}),
    ]

    def answer(request: httpx.Request) -> httpx.Response:
        keys.append(request.headers["idempotency-key"])
        if len(keys) == 2:
            raise httpx.ConnectError("broken")
        return answers.pop(0)()

    assert client_of(answer).check(b"x")["id"] == "chk_1"
    assert len(keys) == 4 and len(set(keys)) == 1
    assert pauses[0] >= 3 and all(pause > 0 for pause in pauses)


def test_the_checked_image_is_returned_as_bytes() -> None:
    client = client_of(lambda _: httpx.Response(200, content=b"\xff\xd8\xff", headers={"content-type": "image/jpeg"}))
    assert client.appeal_image("chk_1") == b"\xff\xd8\xff"
    with pytest.raises(TelltaleError):
        client_of(lambda _: refusal(404, "not_found")).appeal_image("chk_1")


def test_what_waiting_does_not_help_is_raised_at_once(pauses: List[float]) -> None:
    with pytest.raises(QuotaExceededError):
        client_of(lambda _: refusal(429, "quota_exceeded")).check(b"x")
    with pytest.raises(BusyError):
        client_of(lambda _: refusal(429, "rate_limited", **{"retry-after": "9999"})).check(b"x")
    assert pauses == []
    with pytest.raises(BusyError):
        client_of(lambda _: refusal(503, "overloaded"), max_retries=2).check(b"x")
    assert len(pauses) == 2


def test_a_redirect_does_not_carry_the_key_on() -> None:
    asked: List[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        return httpx.Response(302, headers={"location": "http://elsewhere/"})

    with pytest.raises(TelltaleError) as refused:
        client_of(answer).usage()
    assert refused.value.code == "invalid_response"
    assert asked == ["http://service/v1/usage"]


def test_checks_of_the_past_and_feedback_are_asked_as_specified() -> None:
    asked: List[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(202 if request.method == "POST" else 200, json={"checks": [], "next": None})

    telltale = client_of(answer)
    telltale.checks(ref="a b", is_ai=False, from_="2026-11-01", limit=5, cursor="c")
    telltale.check_by_id("chk_1/..")
    telltale.feedback("chk_1", False, "a photograph")
    telltale.check(b"x", ref="order 7")
    assert str(asked[0].url.query, "ascii") == "ref=a+b&is_ai=false&from=2026-11-01&limit=5&cursor=c"
    assert asked[1].url.raw_path == b"/v1/checks/chk_1%2F.."
    assert asked[2].url.path == "/v1/checks/chk_1/feedback"
    assert json.loads(asked[2].content) == {"is_ai": False, "note": "a photograph"}
    assert b'name="ref"\r\n\r\norder 7' in asked[3].content


def test_members_of_errors_are_there() -> None:
    body = {"error": {"code": "a_later_code", "message": "m", "param": "store", "request_id": "req_1"}}
    with pytest.raises(TelltaleError) as refused:
        client_of(lambda _: httpx.Response(400, json=body)).usage()
    error = refused.value
    assert (error.code, error.param, error.request_id, error.status) == ("a_later_code", "store", "req_1", 400)


def test_webhooks_are_told_from_others() -> None:
    from standardwebhooks import Webhook

    secret = "whsec_" + base64.b64encode(b"7" * 24).decode()
    other = "whsec_" + base64.b64encode(b"8" * 24).decode()
    body = json.dumps({"type": "scan.finished", "data": {"id": "scn_1"}})
    now = datetime.datetime.now(tz=datetime.timezone.utc)
    headers = {
        "Webhook-Id": "evt_1",
        "Webhook-Timestamp": str(int(now.timestamp())),
        "Webhook-Signature": Webhook(secret).sign("evt_1", now, body),
    }
    assert verify_webhook(headers, body, [other, secret])["type"] == "scan.finished"
    for given, signed in ((headers, body + " "), ({}, body)):
        with pytest.raises(TelltaleError) as refused:
            verify_webhook(given, signed, secret)
        assert refused.value.code == "invalid_webhook"
    with pytest.raises(TelltaleError):
        verify_webhook(headers, body, other)


def test_results_by_mark_go_on_over_pages_without_one() -> None:
    asked: List[str] = []
    pages = {"0": ("", "10000"), "10000": ('{"line": 10001}\n', "10002"), "10002": ("", "10002")}

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.params["mark"])
        lines, following = pages[request.url.params["cursor"]]
        return httpx.Response(200, text=lines, headers={"next-cursor": following})

    entries = client_of(answer).scans.results("scn_1", follow=False, mark=["visible", "job_id"])
    assert [entry["line"] for entry in entries] == [10001]
    assert asked == ["visible,job_id"] * 3


def test_a_sandbox_key_chooses_its_answers() -> None:
    asked: List[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.read().decode("latin-1"))
        body = {"id": "chk_1", "sandbox": True}
        return httpx.Response(200, json={"results": [body]} if request.url.path.endswith("batch") else body)

    telltale = client_of(answer)
    assert telltale.check(b"x", sandbox="ai")["sandbox"] is True
    telltale.check_batch([b"x"], sandbox="ai")
    assert [outcome.error for outcome in telltale.check_many([b"x"], sandbox="ai")] == [None]
    assert all('name="sandbox"\r\n\r\nai\r\n' in body for body in asked) and len(asked) == 3


def batch_service(charged: List[int], failing_from: int) -> Handler:
    """
    Returns a handler that records the number of images in each charged batch. Batch number `failing_from`, counted
    from 1, and all later batches fail.
    """

    def answer(request: httpx.Request) -> httpx.Response:
        if len(charged) + 1 >= failing_from:
            return refusal(429, "quota_exceeded")
        charged.append(request.read().count(b'name="files"'))
        return httpx.Response(200, json={"results": [{"id": f"chk_{len(charged)}"}] * charged[-1]})

    return answer


def test_check_batch_returns_charged_results_if_a_later_batch_fails() -> None:
    charged: List[int] = []
    outcomes = client_of(batch_service(charged, failing_from=3)).check_batch([b"x"] * 33)
    assert charged == [8, 8]
    codes = [outcome.code if isinstance(outcome, TelltaleError) else outcome["id"] for outcome in outcomes]
    assert codes == ["chk_1"] * 8 + ["chk_2"] * 8 + ["quota_exceeded"] * 17


def test_check_batch_raises_if_the_first_batch_fails() -> None:
    with pytest.raises(QuotaExceededError):
        client_of(batch_service([], failing_from=1)).check_batch([b"x"] * 9)


def test_check_batch_raises_before_any_charge_if_an_image_is_unreadable(tmp_path: Path) -> None:
    charged: List[int] = []
    unsendable: List[Any] = [tmp_path / "gone.jpg", tmp_path, None]
    for image in unsendable:
        with pytest.raises((OSError, TypeError)):
            client_of(batch_service(charged, failing_from=9)).check_batch([b"x"] * 9 + [image])
    assert charged == []


def test_check_batch_returns_charged_results_if_a_file_disappears(tmp_path: Path) -> None:
    image = tmp_path / "a.jpg"
    image.write_bytes(b"x")

    def answer(_: httpx.Request) -> httpx.Response:
        image.unlink()
        return httpx.Response(200, json={"results": [{"id": "chk_1"}] * 8})

    outcomes = client_of(answer).check_batch([b"x"] * 16 + [image])
    codes = [outcome.code if isinstance(outcome, TelltaleError) else outcome["id"] for outcome in outcomes]
    assert codes == ["chk_1"] * 8 + ["image_unreadable"] * 9


def test_a_missing_file_and_a_refused_option_are_outcomes_of_their_image(tmp_path: Path) -> None:
    image = tmp_path / "a.jpg"
    image.write_bytes(b"x")
    (tmp_path / "empty.jpg").write_bytes(b"")

    def answer(request: httpx.Request) -> httpx.Response:
        is_empty = b"\r\n\r\n\r\n--" in request.read()
        return refusal(400, "invalid_request") if is_empty else httpx.Response(200, json={"id": "chk_1"})

    images = [image, tmp_path / "gone.jpg", tmp_path, tmp_path / "empty.jpg", image]
    outcomes = list(client_of(answer).check_many(images))
    codes = [outcome.error and outcome.error.code for outcome in outcomes]
    assert codes == [None, "image_unreadable", "image_unreadable", "invalid_request", None]
    assert isinstance(outcomes[1].error, ImageError) and "gone.jpg" in str(outcomes[1].error)


def test_an_open_file_at_its_end_is_sent_from_its_beginning() -> None:
    bodies: List[bytes] = []

    def answer(request: httpx.Request) -> httpx.Response:
        bodies.append(request.read())
        return httpx.Response(200, json={"id": "chk_1"})

    file = io.BytesIO()
    file.write(b"whole image")
    client_of(answer).check(file)
    assert b"whole image" in bodies[0]


def test_errors_survive_pickle_and_copy() -> None:
    with pytest.raises(QuotaExceededError) as raised:
        client_of(lambda _: refusal(429, "quota_exceeded", **{"x-request-id": "req_1"})).check(b"x")
    for error in (pickle.loads(pickle.dumps(raised.value)), copy.deepcopy(raised.value)):
        assert type(error) is QuotaExceededError
        assert (error.code, str(error), error.status, error.request_id) == ("quota_exceeded", "told", 429, "req_1")


@pytest.mark.parametrize("key", ["tt_live_x\n", "  tt_live_x\r\n"])
def test_white_space_around_a_key_is_removed(key: str) -> None:
    sent: List[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request.headers["authorization"])
        return httpx.Response(200, json={})

    Telltale("http://service", key, transport=httpx.MockTransport(answer)).usage()
    assert sent == ["Bearer tt_live_x"]


@pytest.mark.parametrize("key", ["tt_live_secret\nx", "tt_live_secret x", "tt_live_secr\u00e9t"])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(key: str, pauses: List[float]) -> None:
    with pytest.raises(ValueError) as refused:
        Telltale("http://service", key)
    assert "secr" not in "".join(traceback.format_exception(ValueError, refused.value, refused.tb))
    assert pauses == []


def test_results_with_line_separators_inside_strings_are_read() -> None:
    lines = [json.dumps({"ref": f"a{mark}b"}, ensure_ascii=False) for mark in "\u2028\u2029\u0085"]
    body = "".join(f"{line}\n" for line in lines)
    telltale = client_of(lambda _: httpx.Response(200, text=body))
    assert [entry["ref"] for entry in telltale.scans.results("scn_1")] == ["a\u2028b", "a\u2029b", "a\u0085b"]


@pytest.mark.parametrize("status,attempts", [(500, 3), (502, 3), (503, 3), (504, 3), (501, 1), (505, 1), (400, 1)])
def test_the_statuses_to_retry(status: int, attempts: int) -> None:
    calls: List[int] = []

    def answer(_: httpx.Request) -> httpx.Response:
        calls.append(1)
        return refusal(status, "some_code")

    with pytest.raises(TelltaleError):
        client_of(answer, max_retries=2).usage()
    assert len(calls) == attempts


@pytest.mark.parametrize("address", [None, "", "127.0.0.1:8080", "localhost:8080", "ftp://service", "http://"])
def test_a_missing_address_or_one_without_http_is_refused(address: Any) -> None:
    for kind in (Telltale, AsyncTelltale):
        with pytest.raises(ValueError, match="Expected the address of the service"):
            kind(address, "tt_live_x")


@pytest.mark.parametrize("include", ["assessment,marks", ["assessment", "marks"]])
def test_include_may_be_one_text_or_a_list(include: Any) -> None:
    bodies: List[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        bodies.append(request.read().decode(errors="replace"))
        return httpx.Response(200, json={"id": "x"})

    client_of(answer).check(b"bytes", include=include)
    client_of(answer).scans.create(["https://example.com/a.jpg"], include=include)
    assert all("\r\n\r\nassessment,marks\r\n" in body for body in bodies), bodies
    client_of(answer).scans.create("s3://bucket/", include=include)
    assert json.loads(bodies[-1])["include"] == ["assessment", "marks"]


def test_a_page_of_scans_is_requested_by_cursor() -> None:
    queries: List[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        queries.append(request.url.query.decode())
        return httpx.Response(200, json={"scans": []})

    client_of(answer).scans.list(cursor="scn_1")
    client_of(answer).scans.list("scn_2")
    assert queries == ["cursor=scn_1", "cursor=scn_2"]
