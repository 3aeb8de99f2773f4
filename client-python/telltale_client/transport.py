"""Parts of a call that both clients share: the request, the response, and the decision to try again."""

import email.utils
import json
import random
import re
import time
import uuid
from typing import Any, Dict, Mapping, NamedTuple, Optional, Sequence, Union

import httpx

from .errors import ConnectionFailedError, TelltaleError, error_of

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
#: Maximum Retry-After that the client waits for. A longer one ends the call with the error.
MAX_RETRY_AFTER_S = 120.0

#: HTTP statuses after which the client tries again, in addition to connection errors and time-outs. The Node client
#: has the same.
RETRIED_STATUSES = frozenset([429, 500, 502, 503, 504])

#: Codes of errors that end `check_many`, because all further images would fail too. Same as in the Node client.
FATAL_CODES = frozenset(["unauthorized", "forbidden", "plan_required", "quota_exceeded", "not_found"])


class Call(NamedTuple):
    """A request to the service."""

    method: str
    path: str
    params: Optional[Mapping[str, str]] = None
    #: Arguments of httpx for the body of the request.
    body: Optional[Dict[str, Any]] = None
    #: Default for a POST: a random key for each call, so that a retry is never charged again.
    idempotency_key: Optional[str] = None
    #: True if the response has one JSON value per line.
    is_lines: bool = False
    #: True if the response is a file, whose bytes are returned.
    is_file: bool = False


class Answer(NamedTuple):
    """A parsed response."""

    value: Any
    headers: httpx.Headers


class Failure(NamedTuple):
    """A failed attempt, and whether another attempt can help."""

    error: TelltaleError
    may_retry: bool
    retry_after_s: float


def read_base_url(base_url: str) -> str:
    """Returns the address without slashes at its end. Raises ValueError for a missing address or one without http."""
    if not isinstance(base_url, str) or not re.match(r"https?://[^/]", base_url, re.IGNORECASE):
        expected = "the address of the service, such as https://telltale.example,"
        raise ValueError(f"Expected {expected} for base_url but received {base_url!r}")
    return base_url.rstrip("/")


def key_headers(api_key: Optional[str]) -> Dict[str, str]:
    """
    Returns the Authorization header. Removes white space around the key, such as a line break from a file. Raises
    ValueError, whose text does not contain the key, if another character can't be in a header.
    """
    if api_key is None:
        return {}
    key = api_key.strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ValueError("The API key contains characters that no key has. Copy the key again.")
    return {"Authorization": f"Bearer {key}"}


def request_arguments(call: Call) -> Dict[str, Any]:
    """
    Returns the arguments of httpx' `request`, the same for all attempts, so that they share an Idempotency-Key.
    """
    headers = {"Idempotency-Key": call.idempotency_key or uuid.uuid4().hex} if call.method == "POST" else {}
    return {
        "method": call.method,
        "url": call.path,
        "params": call.params,
        "headers": headers,
        **(call.body or {}),
    }


def read_response(response: httpx.Response, call: Call) -> Union[Answer, Failure]:
    """Returns the parsed response, or a failure if the response reports an error."""
    if call.is_file and response.is_success:
        return Answer(response.content, response.headers)
    value: Any = None
    is_json = True
    try:
        text = response.text
        if call.is_lines and response.is_success:
            # Not splitlines(), which also splits at U+2028 and other characters that JSON allows inside strings.
            value = [json.loads(line) for line in text.split("\n") if line]
        else:
            value = json.loads(text)
    except ValueError:
        is_json = False
    if response.is_success and is_json:
        return Answer(value, response.headers)
    request_id = response.headers.get("x-request-id")
    error = error_of(value, status=response.status_code, request_id=request_id)
    # A used-up quota also has status 429, but it lasts until the next month.
    may_retry = response.status_code in RETRIED_STATUSES and error.code != "quota_exceeded"
    return Failure(error, may_retry, retry_after(response.headers.get("retry-after")))


def read_fault(fault: httpx.TransportError, timeout_s: float) -> Failure:
    """Returns the failure of a request that got no response."""
    if isinstance(fault, httpx.TimeoutException):
        error = ConnectionFailedError("timed_out", f"The service did not respond within {timeout_s:g} s.")
    else:
        error = ConnectionFailedError("connection_failed", "The service can't be reached. Check its address.")
    error.__cause__ = fault
    # A request that httpx refuses to send fails in the same way every time.
    is_lasting = isinstance(fault, httpx.LocalProtocolError)
    return Failure(error, not is_lasting, 0.0)


def pause_after(failure: Failure, attempt: int, max_retries: int) -> float:
    """
    Returns the pause before the next attempt in seconds. Raises the error after the last attempt (counted from 0).
    """
    if not failure.may_retry or attempt >= max_retries or failure.retry_after_s > MAX_RETRY_AFTER_S:
        raise failure.error
    backoff = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0**attempt)
    # Adds a random part to Retry-After, so that callers refused at the same time do not all return at the same
    # time.
    return failure.retry_after_s + backoff * (0.5 + random.random() / 2)


def retry_after(header: Optional[str]) -> float:
    """Returns a Retry-After header (a number or a date) in seconds. Source: RFC 9110, section 10.2.3."""
    if header is None:
        return 0.0
    if header.isdigit():
        return float(header)
    parsed = email.utils.parsedate_tz(header)
    return 0.0 if parsed is None else max(0.0, email.utils.mktime_tz(parsed) - time.time())


def join_names(names: Optional[Sequence[str]]) -> Optional[str]:
    """Returns names separated by commas, or None without names. Accepts such a text, too, as a list of one."""
    return names if isinstance(names, str) else ",".join(names or []) or None


def query(**values: Optional[object]) -> Dict[str, str]:
    """Returns query parameters as text. Leaves out None; writes booleans as `true` and `false`."""
    return {
        name.rstrip("_"): str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in values.items()
        if value is not None
    }
