"""Sends SIZE bytes to each URL with one of Python's own clients. Prints the status and the error's code, one line each.

upload.py CLIENT SIZE [URL KEY CONTENT_TYPE]..., where CLIENT is http.client, urllib, http10 or requests.
"""

import http.client
import json
import sys
import urllib.error
import urllib.request
from urllib.parse import urlsplit


def body(content_type: str, size: int) -> bytes:
    if not content_type.startswith('multipart/'):
        return b'x' * size
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n'
    return head + b'x' * size + b'\r\n--b--\r\n'


def by_http_client(url: str, headers: dict, data: bytes, version: int = 11) -> tuple[int, bytes]:
    where = urlsplit(url)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=60)
    connection._http_vsn, connection._http_vsn_str = version, f'HTTP/{version // 10}.{version % 10}'
    connection.request('POST', where.path, data, {**headers, 'Connection': 'close'})
    response = connection.getresponse()
    return response.status, response.read()


def by_urllib(url: str, headers: dict, data: bytes) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=60) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def by_requests(url: str, headers: dict, data: bytes) -> tuple[int, bytes]:
    import requests

    response = requests.post(url, data, headers={**headers, 'Connection': 'close'}, timeout=60)
    return response.status_code, response.content


CLIENTS = {
    'http.client': by_http_client,
    'http10': lambda url, headers, data: by_http_client(url, headers, data, 10),
    'urllib': by_urllib,
    'requests': by_requests,
}

client, size, *uploads = sys.argv[1:]
for url, key, content_type in zip(*[iter(uploads)] * 3, strict=True):
    headers = {'Authorization': f'Bearer {key}', 'Content-Type': content_type}
    status, answer = CLIENTS[client](url, headers, body(content_type, int(size)))
    print(status, json.loads(answer)['error']['code'])
