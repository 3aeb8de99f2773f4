"""Tells a webhook of the service from anybody else's request, as the Standard Webhooks specification has it."""

from typing import Any, Mapping, Sequence, Union

from .errors import TelltaleError


def verify_webhook(headers: Mapping[str, str], body: Union[str, bytes], secret: Union[str, Sequence[str]]) -> Any:
    """
    The event of a webhook, if one of the secrets (`whsec_...`; two while one replaces the other) signed `body`, which are
    the bytes as they came. Raises TelltaleError `invalid_webhook`. An event may come twice, with the same `webhook-id`.
    Needs `pip install ./client-python[webhooks]`.
    """
    from standardwebhooks import Webhook, WebhookVerificationError

    given = {name.lower(): value for name, value in headers.items()}
    for one in [secret] if isinstance(secret, str) else secret:
        try:
            return Webhook(one).verify(body, given)
        except WebhookVerificationError as cause:
            refused = cause
        except ValueError as cause:
            raise TelltaleError("invalid_webhook", "its body is not JSON") from cause
    raise TelltaleError("invalid_webhook", "this is no webhook of the service") from refused
