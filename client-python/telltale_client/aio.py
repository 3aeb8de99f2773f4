"""The client. Edit `aio.py` alone: scripts/make_sync.py makes `client.py` of it."""

import asyncio
from typing import Any, AsyncIterator, Callable, Iterable, List, Optional, Sequence, TypeVar, Union

import httpx

from . import calls
from .batches import split_batches
from .bodies import option_fields
from .calls import ScanInput
from .errors import TelltaleError, error_of
from .images import Image, read_image
from .models import (
    Appeal,
    AppealLink,
    AppealList,
    BatchResult,
    CheckList,
    CheckResult,
    PastCheck,
    Scan,
    ScanEntry,
    ScanList,
    UsageRecord,
)
from .outcomes import Checked, async_map_in_order
from .transport import FAULTS_OF_ALL, Answer, Call, Failure, pause_after, read_fault, read_response, request_arguments

I = TypeVar("I", bound=Image)

#: Seconds of the first pause between two looks at a scan; each next one is half as long again, up to the longest.
FIRST_LOOK_S = 1.0
LONGEST_LOOK_S = 15.0


class AsyncTelltale:
    """Speaks to a Telltale service. Every method raises TelltaleError, whose `code` says why."""

    def __init__(
        self,
        base_url: str,
        api_key: Optional[str] = None,
        *,
        timeout_s: float = 60.0,
        max_retries: int = 4,
        transport: Optional[httpx.AsyncBaseTransport] = None,
    ) -> None:
        """`base_url` is where the service is, without `/v1`; `timeout_s` is for one attempt."""
        headers = {} if api_key is None else {"Authorization": f"Bearer {api_key}"}
        # httpx follows no redirect, which would carry the key on.
        http = httpx.AsyncClient(
            base_url=base_url.rstrip("/"), headers=headers, timeout=timeout_s, transport=transport
        )
        self._service = AsyncConnection(http, timeout_s, max_retries)
        #: Long lists that the service checks in the background.
        self.scans = AsyncScans(self._service)

    async def check(
        self,
        image: Image,
        *,
        store: Optional[bool] = None,
        profile: Optional[str] = None,
        include: Optional[Sequence[str]] = None,
        provenance: Optional[str] = None,
        ref: Optional[str] = None,
        sandbox: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> CheckResult:
        """
        Checks one image: an address, a path, bytes or an open file. `provenance="ask"` has the services of image
        makers asked that are switched on for the account.
        """
        fields = option_fields(
            store=store, profile=profile, include=include, provenance=provenance, ref=ref, sandbox=sandbox
        )
        return await self._service.value(calls.check(read_image(image), fields, idempotency_key))

    async def check_batch(
        self,
        images: Sequence[Image],
        *,
        store: Optional[bool] = None,
        profile: Optional[str] = None,
        include: Optional[Sequence[str]] = None,
        provenance: Optional[str] = None,
        refs: Optional[Sequence[str]] = None,
        sandbox: Optional[str] = None,
    ) -> List[Union[CheckResult, TelltaleError]]:
        """Checks any number of images by batches, and gives results and errors in their order."""
        if refs is not None and len(refs) != len(images):
            raise ValueError(f"Expected one ref for each of {len(images)} images but received {len(refs)}")
        fields = option_fields(
            store=store, profile=profile, include=include, provenance=provenance, sandbox=sandbox
        )
        outcomes: List[Union[CheckResult, TelltaleError]] = []
        for group in split_batches(map(read_image, images)):
            some = None if refs is None else refs[len(outcomes) : len(outcomes) + len(group)]
            batch: BatchResult = await self._service.value(calls.check_batch(group, fields, some, None))
            outcomes += [error_of(entry) if "error" in entry else entry for entry in batch["results"]]
        return outcomes

    def check_many(
        self,
        images: Iterable[I],
        *,
        concurrency: int = 4,
        progress: bool = False,
        store: Optional[bool] = None,
        profile: Optional[str] = None,
        include: Optional[Sequence[str]] = None,
        sandbox: Optional[str] = None,
    ) -> AsyncIterator[Checked[I]]:
        """
        Checks any number of images, `concurrency` at a time, and yields their outcomes in order. A fault of one
        image is its outcome; one that every image would meet (the key, the quota) is raised. `progress` draws a
        bar if tqdm is installed.
        """
        options: Any = {"store": store, "profile": profile, "include": include, "sandbox": sandbox}

        async def check_one(image: I) -> Checked[I]:
            try:
                return Checked(image, await self.check(image, **options), None)
            except TelltaleError as error:
                if error.code in FAULTS_OF_ALL:
                    raise
                return Checked(image, None, error)

        return async_map_in_order(check_one, images, max(1, concurrency), progress)

    async def usage(self, from_: Optional[str] = None, to: Optional[str] = None) -> UsageRecord:
        """The checks of the month, and by day; `from_` and `to` (YYYY-MM-DD) choose other days."""
        return await self._service.value(calls.usage(from_, to))

    async def checks(
        self,
        *,
        ref: Optional[str] = None,
        is_ai: Optional[bool] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> CheckList:
        """Checks of the past, newest first, as long as the history keeps them; `next` is the cursor of the next page."""
        return await self._service.value(calls.checks(ref=ref, is_ai=is_ai, from_=from_, to=to, limit=limit, cursor=cursor))

    async def check_by_id(self, check_id: str) -> PastCheck:
        """One check of the past. Raises NotFoundError for one that is no longer kept."""
        return await self._service.value(calls.check_by_id(check_id))

    async def erase_check(self, check_id: str) -> None:
        """Erases a check and its kept image for good; what was charged stays charged. Raises NotFoundError."""
        await self._service.value(calls.erase_check(check_id))

    async def appeal(self, check_id: str, original: Image, remark: Optional[str] = None) -> Appeal:
        """Appeals against a verdict with the original of its image (a path, bytes or an open file). Not charged."""
        return await self._service.value(calls.appeal(check_id, read_image(original), remark))

    async def appeals(self, check_id: str) -> AppealList:
        """The verdict, and the appeals against it with what was decided."""
        return await self._service.value(calls.appeals(check_id))

    async def appeal_link(self, check_id: str, days: Optional[int] = None) -> AppealLink:
        """A link for a person who appeals without a key; it works for `days` (1 to 90, default 14)."""
        return await self._service.value(calls.appeal_link(check_id, days))

    async def feedback(self, check_id: str, is_ai: bool, note: Optional[str] = None) -> None:
        """Reports a wrong verdict: what the image is in truth."""
        await self._service.value(calls.feedback(check_id, is_ai, note))

    async def record_keys(self) -> Any:
        """The public keys of the service, for `verify_record`."""
        return await self._service.value(calls.record_keys())

    async def close(self) -> None:
        """Closes the connections."""
        await self._service.http.aclose()

    async def __aenter__(self) -> "AsyncTelltale":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class AsyncConnection:
    """Makes calls, again where that helps."""

    def __init__(self, http: httpx.AsyncClient, timeout_s: float, max_retries: int) -> None:
        self.http = http
        self._timeout_s = timeout_s
        self._max_retries = max_retries

    async def value(self, call: Call) -> Any:
        """What came back, without its headers."""
        answer = await self.answer(call)
        return answer.value

    async def answer(self, call: Call) -> Answer:
        """What came back. Raises TelltaleError."""
        arguments = request_arguments(call)
        attempt = 0
        while True:
            outcome: Union[Answer, Failure]
            try:
                outcome = read_response(await self.http.request(**arguments), call)
            except httpx.TransportError as fault:
                outcome = read_fault(fault, self._timeout_s)
            if isinstance(outcome, Answer):
                return outcome
            await asyncio.sleep(pause_after(outcome, attempt, self._max_retries))
            attempt += 1


class AsyncScans:
    """The methods of `telltale.scans`."""

    def __init__(self, service: AsyncConnection) -> None:
        self._service = service

    async def create(
        self,
        items: ScanInput,
        *,
        profile: Optional[str] = None,
        include: Optional[Sequence[str]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Scan:
        """Begins a scan of a list; the answer comes before the work."""
        return await self._service.value(calls.create_scan(items, profile, include, idempotency_key))

    async def get(self, scan_id: str) -> Scan:
        """A scan as it stands."""
        return await self._service.value(calls.scan(scan_id))

    async def list(self, before: Optional[str] = None) -> List[Scan]:
        """The scans of the account, newest first, at most 100."""
        found: ScanList = await self._service.value(calls.scans(before))
        return found["scans"]

    async def cancel(self, scan_id: str) -> Scan:
        """Cancels a scan; its answers stay."""
        return await self._service.value(calls.scan(scan_id, "DELETE"))

    async def results(
        self, scan_id: str, *, follow: bool = True, mark: Optional[Sequence[str]] = None
    ) -> AsyncIterator[ScanEntry]:
        """Every answer in the order in which they were given; waits for more until the scan has ended, if `follow`.

        `mark`: only results that carry a mark of one of these kinds; the scan's `include` must have had `marks`.
        """
        cursor = "0"
        pause_s = FIRST_LOOK_S
        while True:
            entries, headers = await self._service.answer(calls.scan_results(scan_id, cursor, mark))
            for entry in entries:
                yield entry
            following = headers.get("next-cursor")
            # A page may hold none that carries such a mark, and more may follow: the cursor tells.
            is_ahead = following != cursor
            if following is None or (not is_ahead and not follow):
                return
            cursor = following
            if is_ahead:
                pause_s = FIRST_LOOK_S
            else:
                await asyncio.sleep(pause_s)
                pause_s = min(LONGEST_LOOK_S, pause_s * 1.5)

    async def wait(self, scan_id: str, on_progress: Optional[Callable[[Scan], None]] = None) -> Scan:
        """The scan once it has finished or was cancelled: its state tells which."""
        pause_s = FIRST_LOOK_S
        while True:
            scan = await self.get(scan_id)
            if on_progress is not None:
                on_progress(scan)
            if scan["ended_at"] is not None:
                return scan
            await asyncio.sleep(pause_s)
            pause_s = min(LONGEST_LOOK_S, pause_s * 1.5)
