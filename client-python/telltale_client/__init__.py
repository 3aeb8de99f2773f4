"""A typed client of Telltale, the image authenticity service."""

from . import models
from .aio import AsyncScans, AsyncTelltale
from .client import Scans, Telltale
from .errors import (
    AuthenticationError,
    BusyError,
    ConnectionFailedError,
    ImageError,
    ImageUrlError,
    InvalidRequestError,
    NotFoundError,
    PermissionDeniedError,
    QuotaExceededError,
    TelltaleError,
)
from .headlines import headline_of
from .images import Image
from .models import CheckList
from .outcomes import Checked
from .records import verify_record
from .webhooks import verify_webhook

__all__ = [
    "AsyncScans",
    "AsyncTelltale",
    "AuthenticationError",
    "BusyError",
    "CheckList",
    "Checked",
    "ConnectionFailedError",
    "Image",
    "ImageError",
    "ImageUrlError",
    "InvalidRequestError",
    "NotFoundError",
    "PermissionDeniedError",
    "QuotaExceededError",
    "Scans",
    "Telltale",
    "TelltaleError",
    "headline_of",
    "models",
    "verify_record",
    "verify_webhook",
]
