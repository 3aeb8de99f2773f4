"""Makes the requests for each route of the service."""

import json
import os
from typing import IO, Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union
from urllib.parse import quote

from .bodies import batch_body, check_body
from .images import Sendable
from .transport import Call, join_names, query

#: An image in the list of a scan: its address, or a mapping with `url` and a `ref` that the result repeats.
ScanItem = Union[str, Mapping[str, str]]
#: The list of images of a scan: a path (CSV, JSON lines or text), bytes, an open file, `s3://...`, or items.
ScanInput = Union[str, "os.PathLike[str]", bytes, IO[bytes], Iterable[ScanItem]]


def check(image: Sendable, fields: Mapping[str, str], key: Optional[str]) -> Call:
    return Call("POST", "/v1/check", body=check_body(image, fields), idempotency_key=key)


def check_batch(
    images: Sequence[Sendable], fields: Mapping[str, str], refs: Optional[Sequence[str]], key: Optional[str]
) -> Call:
    return Call("POST", "/v1/check/batch", body=batch_body(images, fields, refs), idempotency_key=key)


def usage(from_: Optional[str], to: Optional[str]) -> Call:
    return Call("GET", "/v1/usage", query(from_=from_, to=to))


def checks(**filters: Optional[object]) -> Call:
    return Call("GET", "/v1/checks", query(**filters))


def check_by_id(check_id: str) -> Call:
    return Call("GET", f"/v1/checks/{quote(check_id, safe='')}")


def erase_check(check_id: str) -> Call:
    return Call("DELETE", f"/v1/checks/{quote(check_id, safe='')}")


def feedback(check_id: str, is_ai: bool, note: Optional[str]) -> Call:
    body: Dict[str, Any] = {"is_ai": is_ai}
    if note is not None:
        body["note"] = note
    return Call("POST", f"/v1/checks/{quote(check_id, safe='')}/feedback", body={"json": body})


def find_seen(image: Sendable) -> Call:
    if image.url is not None:
        raise ValueError("Expected the image as a file or bytes but received an address")
    return Call("POST", "/v1/seen", body={"files": {"file": ("image", image.data)}})


def appeal(check_id: str, original: Sendable, remark: Optional[str]) -> Call:
    if original.url is not None:
        raise ValueError("Expected the original as a file or bytes but received an address")
    data = {} if remark is None else {"remark": remark}
    body = {"files": {"file": ("original", original.data)}, "data": data}
    return Call("POST", f"/v1/checks/{quote(check_id, safe='')}/appeals", body=body)


def appeals(check_id: str) -> Call:
    return Call("GET", f"/v1/checks/{quote(check_id, safe='')}/appeals")


def appeal_image(check_id: str) -> Call:
    return Call("GET", f"/v1/checks/{quote(check_id, safe='')}/appeals/image", is_file=True)


def appeal_link(check_id: str, days: Optional[int]) -> Call:
    body: Dict[str, Any] = {} if days is None else {"days": days}
    return Call("POST", f"/v1/checks/{quote(check_id, safe='')}/appeal-links", body={"json": body})


def appeal_links(check_id: str) -> Call:
    return Call("GET", f"/v1/checks/{quote(check_id, safe='')}/appeal-links")


def revoke_appeal_link(check_id: str, link: str) -> Call:
    return Call("DELETE", f"/v1/checks/{quote(check_id, safe='')}/appeal-links/{quote(link, safe='')}")


def withdraw_appeal(check_id: str, appeal_id: str) -> Call:
    return Call("DELETE", f"/v1/checks/{quote(check_id, safe='')}/appeals/{quote(appeal_id, safe='')}")


def record_keys() -> Call:
    return Call("GET", "/.well-known/telltale-keys.json")


def create_scan(
    items: ScanInput, profile: Optional[str], include: Optional[Sequence[str]], key: Optional[str]
) -> Call:
    if isinstance(items, str) and items.lower().startswith("s3://"):
        source: Dict[str, Any] = {"source": items}
        if profile is not None:
            source["profile"] = profile
        if include:
            source["include"] = include.split(",") if isinstance(include, str) else list(include)
        return Call("POST", "/v1/scans", body={"json": source}, idempotency_key=key)
    fields = query(profile=profile, include=join_names(include))
    body = {"files": {"file": ("list", read_list(items))}, "data": fields}
    return Call("POST", "/v1/scans", body=body, idempotency_key=key)


def scan(scan_id: str, method: str = "GET") -> Call:
    return Call(method, f"/v1/scans/{quote(scan_id, safe='')}")


def scans(cursor: Optional[str]) -> Call:
    return Call("GET", "/v1/scans", query(cursor=cursor))


def scan_results(scan_id: str, cursor: str, mark: Optional[Sequence[str]]) -> Call:
    fields = query(cursor=cursor, mark=join_names(mark))
    return Call("GET", f"/v1/scans/{quote(scan_id, safe='')}/results", fields, is_lines=True)


def read_list(items: ScanInput) -> bytes:
    """Returns the list as bytes. Raises OSError if a path can't be read, and TypeError for other types."""
    if isinstance(items, str) and items.lower().startswith(("http://", "https://")):
        raise TypeError("Expected a list; one address is a list of its own: [address]")
    if isinstance(items, (str, os.PathLike)):
        with open(items, "rb") as file:
            return file.read()
    if isinstance(items, bytes):
        return items
    if hasattr(items, "read"):
        data = items.read()
        if not isinstance(data, bytes):
            raise TypeError("Expected a file opened in binary mode for a list")
        return data
    lines: List[str] = []
    for item in items:
        lines.append(json.dumps({"url": item} if isinstance(item, str) else dict(item)))
    return "".join(f"{line}\n" for line in lines).encode()
