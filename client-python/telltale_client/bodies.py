"""Makes the bodies of requests: one image or a batch, with options."""

import base64
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .images import Sendable
from .transport import join_names


def check_body(image: Sendable, fields: Mapping[str, str]) -> Dict[str, Any]:
    """Returns the arguments of httpx for a check of one image."""
    if image.url is not None:
        return {"json": {"image_url": image.url, **fields}}
    return {"files": {"file": ("image", image.data)}, "data": dict(fields)}


def batch_body(
    images: Sequence[Sendable], fields: Mapping[str, str], refs: Optional[Sequence[str]]
) -> Dict[str, Any]:
    """Returns the arguments of httpx for a batch: a form, or JSON if an image is an address."""
    if images and all(image.url is None for image in images):
        data: Dict[str, Any] = dict(fields)
        if refs is not None:
            data["ref"] = list(refs)
        return {"files": [("files", ("image", image.data)) for image in images], "data": data}
    items: List[Dict[str, str]] = []
    for at, image in enumerate(images):
        item = (
            {"image_url": image.url}
            if image.url is not None
            else {"image_b64": base64.b64encode(image.data).decode("ascii")}
        )
        if refs is not None:
            item["ref"] = refs[at]
        items.append(item)
    return {"json": {"images": items, **fields}}


def option_fields(
    *,
    store: Optional[bool] = None,
    profile: Optional[str] = None,
    include: Optional[Sequence[str]] = None,
    provenance: Optional[str] = None,
    ref: Optional[str] = None,
    sandbox: Optional[str] = None,
) -> Dict[str, str]:
    """Returns the options as fields of a form or of JSON. Leaves out options that are None."""
    given: List[Tuple[str, Optional[str]]] = [
        ("store", None if store is None else str(store).lower()),
        ("profile", profile),
        ("include", join_names(include)),
        ("provenance", provenance),
        ("ref", ref),
        ("sandbox", sandbox),
    ]
    return {name: value for name, value in given if value is not None}
