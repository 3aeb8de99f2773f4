"""Verifies signed records of checks without the service."""

import base64
import hashlib
import json
from typing import Any, Dict, Mapping, Optional, Union

from .errors import TelltaleError


def verify_record(
    record: Union[str, bytes, Mapping[str, Any]], keys: Mapping[str, Any], picture: Optional[bytes] = None
) -> Dict[str, Any]:
    """
    What the record says, if it is unchanged since one of `keys` signed it, and, with `picture`, if it is about those very
    bytes. `record` is its JSON; `keys` the set of /.well-known/telltale-keys.json, from a place that you trust. Raises
    TelltaleError `invalid_record`. Needs `pip install ./client-python[records]`.
    """
    import rfc8785
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        signed = json.loads(record, object_pairs_hook=_unique) if isinstance(record, (str, bytes)) else record
        content, signature = signed["record"], signed["signature"]
        kid, value = signature["key"], bytes.fromhex(signature["value"])
        recorded = content["picture"]["sha256"]
        canonical = rfc8785.dumps(content)
    except TelltaleError:
        raise
    except (ValueError, KeyError, TypeError, rfc8785.CanonicalizationError) as cause:
        raise _refused("this is no record of Telltale") from cause
    found = [key for key in keys["keys"] if key.get("kid") == kid and key.get("crv") == "Ed25519"]
    if not found:
        raise _refused(f"it is signed by the key {kid}, which is none of those that count")
    try:
        Ed25519PublicKey.from_public_bytes(_decode(found[0]["x"])).verify(value, canonical)
    except (InvalidSignature, ValueError) as cause:
        raise _refused("the record was changed after it was signed") from cause
    if picture is not None and hashlib.sha256(picture).hexdigest() != recorded:
        raise _refused("it is about another file than this image")
    return dict(content)


def _refused(why: str) -> TelltaleError:
    return TelltaleError("invalid_record", why)


def _unique(pairs: Any) -> Dict[str, Any]:
    """Programs read repeated members differently, so a record has none."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _refused("it has repeated members")
    return members


def _decode(text: str) -> bytes:
    """Base64 of web addresses, without padding."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
