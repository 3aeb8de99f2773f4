"""The errors of the client: a class for each group of error codes that programs handle differently."""

from typing import Any, Dict, Optional, Tuple, Type


class TelltaleError(Exception):
    """Error of a failed call. Its text is the message of the service and never contains an API key."""

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
        #: Error code of the service, or of the client itself: `connection_failed`, `timed_out`, `invalid_response`,
        #: `image_unreadable`, `invalid_webhook`, `invalid_record`.
        self.code = code
        self.message = message
        #: HTTP status; None if there was no response, or for one image of a batch.
        self.status = status
        #: Identifier of the request in the service's log; None if there was no response.
        self.request_id = request_id
        #: Name of the invalid field, parameter or header; None if the error is not about one.
        self.param = param

    def __reduce__(self) -> Tuple[Any, ...]:
        """Pickles all fields, so that a process pool can pass the error on."""
        fields = {"status": self.status, "request_id": self.request_id, "param": self.param}
        return _unpickle, (type(self), self.code, self.message, fields)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.code!r}, {self.message!r})"


class InvalidRequestError(TelltaleError):
    """The request is invalid: an option, an identifier or a list."""


class AuthenticationError(TelltaleError):
    """The API key is missing, unknown or revoked."""


class PermissionDeniedError(TelltaleError):
    """The API key's permissions or the account's plan do not allow the call."""


class NotFoundError(TelltaleError):
    """The requested object does not exist or has been deleted."""


class ImageError(TelltaleError):
    """The service refused the image for its size, format or quality, or can't read it. Not charged."""


class ImageUrlError(TelltaleError):
    """The address of the image is invalid, not public, or did not return the image."""


class QuotaExceededError(TelltaleError):
    """The monthly quota is used up. Trying again this month does not help."""


class BusyError(TelltaleError):
    """There were too many requests, or the service was busy, and all retries failed."""


class ConnectionFailedError(TelltaleError):
    """No response arrived in time."""


#: Error class for each error code. A code that is not listed becomes a TelltaleError.
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
    "image_unreadable": ImageError,
    "invalid_url": ImageUrlError,
    "url_not_public": ImageUrlError,
    "url_fetch_failed": ImageUrlError,
    "quota_exceeded": QuotaExceededError,
    "rate_limited": BusyError,
    "storage_full": BusyError,
    "overloaded": BusyError,
    "unavailable": BusyError,
    "deadline_exceeded": BusyError,
    "connection_failed": ConnectionFailedError,
    "timed_out": ConnectionFailedError,
}


def _unpickle(kind: Type[TelltaleError], code: str, message: str, fields: Dict[str, Any]) -> TelltaleError:
    return kind(code, message, **fields)


def error_of(
    body: object, *, status: Optional[int] = None, request_id: Optional[str] = None
) -> TelltaleError:
    """Returns the error in the body of a response. Returns `invalid_response` if the body has no error object."""
    reported = body.get("error") if isinstance(body, dict) else None
    if not isinstance(reported, dict) or not isinstance(reported.get("code"), str):
        return TelltaleError(
            "invalid_response",
            f"The response with status {status} is not from Telltale. Check the address of the service.",
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
