"""Verifies webhooks. Source: the Standard Webhooks specification."""

from typing import Any, Mapping, Sequence, Union

from .errors import TelltaleError


def verify_webhook(headers: Mapping[str, str], body: Union[str, bytes], secret: Union[str, Sequence[str]]) -> Any:
    """
    Verifies that one of the secrets (`whsec_...`; two during a rotation) signed `body`, which must be the bytes as
    received, and returns its event. An event may be delivered twice with the same `webhook-id`. Raises
    TelltaleError `invalid_webhook`. Requires `pip install ./client-python[webhooks]`.
    """
    from standardwebhooks import Webhook, WebhookVerificationError

    given = {name.lower(): value for name, value in headers.items()}
    for one in [secret] if isinstance(secret, str) else secret:
        try:
            return Webhook(one).verify(body, given)
        except WebhookVerificationError as cause:
            refused = cause
        except ValueError as cause:
            raise TelltaleError("invalid_webhook", "The body of the webhook is not JSON.") from cause
    raise TelltaleError("invalid_webhook", "The request is not signed with the secret of this webhook.") from refused
