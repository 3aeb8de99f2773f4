"""Connection pools of both clients."""

import asyncio
from typing import Callable, Optional

import httpx


class Pool:
    """The connection pool of a client."""

    def __init__(self, open_http: Callable[[], httpx.Client]) -> None:
        self._http = open_http()

    def http(self) -> httpx.Client:
        """Returns the pool."""
        return self._http

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()


class AsyncPool:
    """
    The connection pool of an asynchronous client. Connections belong to the event loop that opened them, so a client
    that is used in another loop, such as by a second `asyncio.run`, gets a new pool.
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
        """Closes the connections of the running event loop. A closed loop has closed its own."""
        if self._http is not None and self._loop is asyncio.get_running_loop():
            await self._http.aclose()
