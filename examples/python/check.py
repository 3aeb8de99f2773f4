"""Checks the named images with the library requests:

TELLTALE_URL=http://127.0.0.1:8080 TELLTALE_KEY=tt_live_... python3 examples/python/check.py photo.jpg ...
"""

import os
import sys
import time
import uuid

import requests

ATTEMPTS = 5


def check(session: requests.Session, path: str) -> dict:
    """Returns the result of one image, or `{"error": {"code", "message"}}`."""
    # All attempts use the same Idempotency-Key, so that an image is charged only once.
    headers = {"Idempotency-Key": uuid.uuid4().hex}
    url = os.environ["TELLTALE_URL"] + "/v1/check"
    for attempt in range(ATTEMPTS):
        with open(path, "rb") as file:
            answer = session.post(url, headers=headers, files={"file": file}, timeout=60)
        body = answer.json()
        is_busy = answer.status_code in (429, 503) and body["error"]["code"] != "quota_exceeded"
        if not is_busy or attempt == ATTEMPTS - 1:
            return body
        time.sleep(float(answer.headers.get("Retry-After", "1")))
    raise AssertionError("unreachable")


def main() -> None:
    session = requests.Session()
    session.headers["Authorization"] = "Bearer " + os.environ["TELLTALE_KEY"]
    for path in sys.argv[1:]:
        body = check(session, path)
        if "error" in body:
            print(f"{path}: refused ({body['error']['code']})")
        else:
            print(f"{path}: {body['reason'].partition(':')[0]}")


if __name__ == "__main__":
    main()
