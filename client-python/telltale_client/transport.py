"""One call, shared by both clients: its request, its response, and whether to retry."""

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
#: Maximum Retry-After that is waited for; a longer one ends the call.
MOST_RETRY_AFTER_S = 120.0

#: Statuses to retry, in addition to connection errors and time-outs; the same as in the Node client.
RETRIED_STATUSES = frozenset([429, 500, 502, 503, 504])

#: Codes of errors that every further image would get, too; the same as in the Node client.
ERRORS_OF_ALL = frozenset(["unauthorized", "forbidden", "plan_required", "quota_exceeded", "not_found"])


class Call(NamedTuple):
    """A request to the service."""

    method: str
    path: str
    params: Optional[Mapping[str, str]] = None
    #: Arguments of httpx that carry the body.
    body: Optional[Dict[str, Any]] = None
    #: Default for a POST: a new key for each call, so that a retry is never charged twice.
    idempotency_key: Optional[str] = None
    #: Whether the response has one JSON value per line.
    is_lines: bool = False


class Answer(NamedTuple):
    """A parsed response."""

    value: Any
    headers: httpx.Headers


class Failure(NamedTuple):
    """A failed attempt."""

    error: TelltaleError
    may_retry: bool
    retry_after_s: float


def key_headers(api_key: Optional[str]) -> Dict[str, str]:
    """
    Returns the Authorization header. White space around the key, such as the line break of a file, is removed. Raises
    ValueError, without the key, if other characters can't be in a header.
    """
    if api_key is None:
        return {}
    key = api_key.strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ValueError("The API key contains characters that no key has. Copy the key again.")
    return {"Authorization": f"Bearer {key}"}


def request_arguments(call: Call) -> Dict[str, Any]:
    """Returns arguments of httpx' `request`, the same for all attempts, so that all carry one Idempotency-Key."""
    headers = {"Idempotency-Key": call.idempotency_key or uuid.uuid4().hex} if call.method == "POST" else {}
    return {
        "method": call.method,
        "url": call.path,
        "params": call.params,
        "headers": headers,
        **(call.body or {}),
    }


def read_response(response: httpx.Response, call: Call) -> Union[Answer, Failure]:
    """Returns the parsed response, or the failure that the response reports."""
    value: Any = None
    is_json = True
    try:
        text = response.text
        if call.is_lines and response.is_success:
            # Not splitlines(), which also splits at U+2028 and others that JSON allows inside a string.
            value = [json.loads(line) for line in text.split("\n") if line]
        else:
            value = json.loads(text)
    except ValueError:
        is_json = False
    if response.is_success and is_json:
        return Answer(value, response.headers)
    request_id = response.headers.get("x-request-id")
    error = error_of(value, status=response.status_code, request_id=request_id)
    # A used-up quota is a 429, too, but lasts until the next period.
    may_retry = response.status_code in RETRIED_STATUSES and error.code != "quota_exceeded"
    return Failure(error, may_retry, retry_after(response.headers.get("retry-after")))


def read_fault(fault: httpx.TransportError, timeout_s: float) -> Failure:
    """Returns the failure for a request without a response."""
    if isinstance(fault, httpx.TimeoutException):
        error = ConnectionFailedError("timed_out", f"The service did not respond within {timeout_s:g} s.")
    else:
        error = ConnectionFailedError("connection_failed", "The service can't be reached. Check its address.")
    error.__cause__ = fault
    # A request that httpx refuses to send, or an address that it can't use, fails the same way each time.
    is_lasting = isinstance(fault, (httpx.LocalProtocolError, httpx.UnsupportedProtocol))
    return Failure(error, not is_lasting, 0.0)


def pause_after(failure: Failure, attempt: int, max_retries: int) -> float:
    """Returns the seconds before the next attempt. Raises the failure's error after the last one. `attempt` counts from 0."""
    if not failure.may_retry or attempt >= max_retries or failure.retry_after_s > MOST_RETRY_AFTER_S:
        raise failure.error
    backoff = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0**attempt)
    # Random, in addition to Retry-After, so that callers refused together don't return together.
    return failure.retry_after_s + backoff * (0.5 + random.random() / 2)


def retry_after(header: Optional[str]) -> float:
    """Returns the seconds of a Retry-After header: a number or a date. Source: RFC 9110, section 10.2.3."""
    if header is None:
        return 0.0
    if header.isdigit():
        return float(header)
    parsed = email.utils.parsedate_tz(header)
    return 0.0 if parsed is None else max(0.0, email.utils.mktime_tz(parsed) - time.time())


def query(**values: Optional[object]) -> Dict[str, str]:
    """Returns query parameters without those that are None; booleans become `true` and `false`."""
    return {
        name.rstrip("_"): str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in values.items()
        if value is not None
    }
