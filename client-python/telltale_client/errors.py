"""What a call may fail with: one class for each code that programs act on."""

from typing import Dict, Optional, Type


class TelltaleError(Exception):
    """A call that failed. Its text is the service's own, written for people; it never holds a key."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
        param: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        #: The service's code, or `connection_failed`, `timed_out`, `invalid_response`, `invalid_webhook`, `invalid_record`.
        self.code = code
        self.message = message
        #: HTTP status; None if no answer came, and for an entry of a batch.
        self.status = status
        #: Names the request in the service's log.
        self.request_id = request_id
        #: The member or field that it is about.
        self.param = param

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.code!r}, {self.message!r})"


class InvalidRequestError(TelltaleError):
    """What was asked makes no sense to the service: an option, an identifier, a list."""


class AuthenticationError(TelltaleError):
    """The key is missing, unknown or revoked."""


class PermissionDeniedError(TelltaleError):
    """The key's scopes or the account's plan do not allow it."""


class NotFoundError(TelltaleError):
    """There is no such thing, or it is no longer kept."""


class ImageError(TelltaleError):
    """The image was refused: its size, its format, its quality, or it is corrupt. It is not charged."""


class ImageUrlError(TelltaleError):
    """The address of the image is none, is not public, or did not deliver it."""


class QuotaExceededError(TelltaleError):
    """The checks of the period are used up; waiting a little does not help."""


class BusyError(TelltaleError):
    """Too many requests, or the service is busy or stopping; it was tried again in vain."""


class ConnectionFailedError(TelltaleError):
    """No answer came, or too late."""


#: Classes by code; a code of a later version of the service is a TelltaleError.
CLASSES: Dict[str, Type[TelltaleError]] = {
    "invalid_request": InvalidRequestError,
    "invalid_base64": InvalidRequestError,
    "invalid_batch": InvalidRequestError,
    "batch_too_large": InvalidRequestError,
    "idempotency_mismatch": InvalidRequestError,
    "unsupported_media_type": InvalidRequestError,
    "method_not_allowed": InvalidRequestError,
    "unauthorized": AuthenticationError,
    "plan_required": PermissionDeniedError,
    "too_many_appeals": PermissionDeniedError,
    "forbidden": PermissionDeniedError,
    "not_found": NotFoundError,
    "image_not_kept": NotFoundError,
    "image_too_large": ImageError,
    "image_too_small": ImageError,
    "image_too_many_pixels": ImageError,
    "image_corrupt": ImageError,
    "jpeg_quality_too_low": ImageError,
    "unsupported_format": ImageError,
    "invalid_url": ImageUrlError,
    "url_not_public": ImageUrlError,
    "url_fetch_failed": ImageUrlError,
    "quota_exceeded": QuotaExceededError,
    "rate_limited": BusyError,
    "overloaded": BusyError,
    "unavailable": BusyError,
    "deadline_exceeded": BusyError,
    "connection_failed": ConnectionFailedError,
    "timed_out": ConnectionFailedError,
}


def error_of(
    body: object, *, status: Optional[int] = None, request_id: Optional[str] = None
) -> TelltaleError:
    """The error that an answer's body tells of, or `invalid_response` if it tells none."""
    reported = body.get("error") if isinstance(body, dict) else None
    if not isinstance(reported, dict) or not isinstance(reported.get("code"), str):
        return TelltaleError(
            "invalid_response",
            f"status {status}, and no answer of the service",
            status=status,
            request_id=request_id,
        )
    code = reported["code"]
    return CLASSES.get(code, TelltaleError)(
        code,
        str(reported.get("message", "")),
        status=status,
        request_id=reported.get("request_id") or request_id,
        param=reported.get("param"),
    )
