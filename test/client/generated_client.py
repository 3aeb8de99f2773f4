"""Checks pictures by a client that openapi-python-client generated: generated_client.py URL KEY PICTURE SMALL_PICTURE."""

import sys
from pathlib import Path

from telltale_api import AuthenticatedClient
from telltale_api.api.checks import check_batch, check_image
from telltale_api.api.usage import get_usage
from telltale_api.models import (
    CheckBatchFilesBody,
    CheckImageFilesBody,
    CheckImageIncludeType0Item as Include,
    CheckImageProfile,
    CheckResult,
    Error,
    UsageRecord,
)
from telltale_api.types import File

url, key, picture, small = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=key)


def file(path: str) -> File:
    return File(payload=Path(path).open('rb'), file_name='picture')


checked = check_image.sync(
    client=client,
    body=CheckImageFilesBody(file=file(picture)),
    profile=CheckImageProfile.STRICT,
    include=[Include.WARNINGS, Include.CREDENTIALS, Include.MARKS],
)
assert isinstance(checked, CheckResult), checked
assert checked.profile.value == 'strict' and checked.details.credentials is None, checked
print('checked', checked.is_ai, [one.code.value for one in checked.details.warnings])

refused = check_image.sync(client=client, body=CheckImageFilesBody(file=file(small)))
assert isinstance(refused, Error), refused
print('refused', refused.error.code.value)

batch = check_batch.sync(client=client, body=CheckBatchFilesBody(files=[file(picture), file(small)]))
print('batch', [type(entry).__name__ for entry in batch.results])

usage = get_usage.sync(client=client)
assert isinstance(usage, UsageRecord), usage
print('used', usage.checks.used)
