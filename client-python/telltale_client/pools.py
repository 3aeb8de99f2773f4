"""The connection pools of the synchronous and the asynchronous client."""

import asyncio
from typing import Callable, Optional

import httpx


class Pool:
    """Connection pool of the synchronous client."""

    def __init__(self, open_http: Callable[[], httpx.Client]) -> None:
        self._http = open_http()

    def http(self) -> httpx.Client:
        return self._http

    def close(self) -> None:
        """Closes all connections."""
        self._http.close()


class AsyncPool:
    """
    Connection pool of the asynchronous client. A connection belongs to the event loop that opened it, so a client
    gets a new pool in another loop, such as the loop of a second `asyncio.run`.
    """

    def __init__(self, open_http: Callable[[], httpx.AsyncClient]) -> None:
        self._open_http = open_http
        self._http: Optional[httpx.AsyncClient] = None
        self._loop: Optional[asyncio.AbstractEventLoop] = None

    def http(self) -> httpx.AsyncClient:
        """Returns the pool of the running event loop."""
        loop = asyncio.get_running_loop()
        if self._http is None or self._loop is not loop:
            self._http, self._loop = self._open_http(), loop
        return self._http

    async def close(self) -> None:
        """
        Closes the connections of the running event loop. An earlier loop closed its connections when it ended.
        """
        if self._http is not None and self._loop is asyncio.get_running_loop():
            await self._http.aclose()
