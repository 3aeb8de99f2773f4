"""One call as both clients make it: what is sent, what came back, and whether another attempt makes sense."""

import email.utils
import json
import random
import time
import uuid
from typing import Any, Dict, Mapping, NamedTuple, Optional, Union

import httpx

from .errors import ConnectionFailedError, TelltaleError, error_of

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
#: A service that asks for a longer pause than this is not waited for.
MOST_RETRY_AFTER_S = 120.0

#: Faults that the next image would meet, too.
FAULTS_OF_ALL = frozenset(
    ["unauthorized", "forbidden", "plan_required", "quota_exceeded", "not_found", "invalid_request"]
)


class Call(NamedTuple):
    """What is asked."""

    method: str
    path: str
    params: Optional[Mapping[str, str]] = None
    #: Arguments of httpx that carry the body.
    body: Optional[Dict[str, Any]] = None
    #: Default for a POST: a new one, so that a repetition is never charged twice.
    idempotency_key: Optional[str] = None
    #: Whether the answer has one JSON value a line.
    is_lines: bool = False


class Answer(NamedTuple):
    """What came back, parsed."""

    value: Any
    headers: httpx.Headers


class Failure(NamedTuple):
    """A failed attempt."""

    error: TelltaleError
    may_retry: bool
    retry_after_s: float


def request_arguments(call: Call) -> Dict[str, Any]:
    """Arguments of httpx' `request`; made once for all attempts of a call, so that they carry one key."""
    headers = {"Idempotency-Key": call.idempotency_key or uuid.uuid4().hex} if call.method == "POST" else {}
    return {
        "method": call.method,
        "url": call.path,
        "params": call.params,
        "headers": headers,
        **(call.body or {}),
    }


def read_response(response: httpx.Response, call: Call) -> Union[Answer, Failure]:
    """The answer, or why there is none."""
    value: Any = None
    is_json = True
    try:
        text = response.text
        value = [json.loads(line) for line in text.splitlines() if line] if call.is_lines and response.is_success else json.loads(text)
    except ValueError:
        is_json = False
    if response.is_success and is_json:
        return Answer(value, response.headers)
    request_id = response.headers.get("x-request-id")
    error = error_of(value, status=response.status_code, request_id=request_id)
    # A used-up quota is a 429, too, and no pause of ours helps.
    is_busy = response.status_code == 429 and error.code != "quota_exceeded"
    may_retry = is_busy or (response.status_code >= 500 and response.status_code != 501)
    return Failure(error, may_retry, retry_after(response.headers.get("retry-after")))


def read_fault(fault: httpx.TransportError, timeout_s: float) -> Failure:
    """No answer came: what that is called."""
    if isinstance(fault, httpx.TimeoutException):
        error = ConnectionFailedError("timed_out", f"no answer within {timeout_s:g} s")
    else:
        error = ConnectionFailedError("connection_failed", "the service could not be reached")
    error.__cause__ = fault
    return Failure(error, True, 0.0)


def pause_after(failure: Failure, attempt: int, max_retries: int) -> float:
    """Seconds before the next attempt; raises the failure's error if there is none. `attempt` counts from 0."""
    if not failure.may_retry or attempt >= max_retries or failure.retry_after_s > MOST_RETRY_AFTER_S:
        raise failure.error
    backoff = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0**attempt)
    # On top of what the service asked for: callers that were refused together come back apart.
    return failure.retry_after_s + backoff * (0.5 + random.random() / 2)


def retry_after(header: Optional[str]) -> float:
    """Seconds of a Retry-After header: a number, or a date (RFC 9110, section 10.2.3)."""
    if header is None:
        return 0.0
    if header.isdigit():
        return float(header)
    parsed = email.utils.parsedate_tz(header)
    return 0.0 if parsed is None else max(0.0, email.utils.mktime_tz(parsed) - time.time())


def query(**values: Optional[object]) -> Dict[str, str]:
    """Parameters that are given; booleans as `true` and `false`."""
    return {
        name.rstrip("_"): str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in values.items()
        if value is not None
    }
