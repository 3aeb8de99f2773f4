"""Verifies records (signed evidence about checks) without calling the service."""

import base64
import hashlib
import json
from typing import Any, Dict, Mapping, Optional, Union

from .errors import TelltaleError


def verify_record(
    record: Union[str, bytes, Mapping[str, Any]],
    keys: Mapping[str, Any],
    image: Optional[bytes] = None,
    *,
    picture: Optional[bytes] = None,
) -> Dict[str, Any]:
    """
    Verifies that one of `keys` signed exactly this content, and with `image`, that the record is about exactly
    these bytes. Returns the content of the record. `record` is JSON. `keys` is the content of
    /.well-known/telltale-keys.json from a source that you trust. Deprecated: `picture`, the former name of `image`.
    Raises TelltaleError `invalid_record`. Requires `pip install ./client-python[records]`.
    """
    image = picture if image is None else image
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
        raise _refused("The text is not a record of Telltale.") from cause
    signers = [key for key in keys["keys"] if key.get("kid") == kid and key.get("crv") == "Ed25519"]
    if not signers:
        raise _refused(f"The record is signed by key {kid}, which is not among the given keys.")
    try:
        Ed25519PublicKey.from_public_bytes(_decode(signers[0]["x"])).verify(value, canonical)
    except (InvalidSignature, ValueError) as cause:
        raise _refused("The record was changed after it was signed.") from cause
    if image is not None and hashlib.sha256(image).hexdigest() != recorded:
        raise _refused("The record is about a different file.")
    return dict(content)


def _refused(why: str) -> TelltaleError:
    return TelltaleError("invalid_record", why)


def _unique(pairs: Any) -> Dict[str, Any]:
    """Rejects repeated fields of a JSON object, because programs disagree on which one counts."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _refused("The record has repeated fields.")
    return members


def _decode(text: str) -> bytes:
    """Decodes base64url without padding."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
