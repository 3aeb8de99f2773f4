"""The clients. Edit only `aio.py`: scripts/make_sync.py generates `client.py` from it."""

import time
from typing import Any, Iterator, Callable, Iterable, List, Optional, Sequence, TypeVar, Union, cast

import httpx

from . import calls
from .batches import split_batches
from .bodies import option_fields
from .calls import ScanInput
from .errors import TelltaleError, error_of
from .images import Image, ensure_readable, read_image
from .models import (
    Appeal,
    AppealLink,
    AppealLinkList,
    AppealList,
    BatchResult,
    CheckList,
    CheckResult,
    ListedAppealLink,
    PastCheck,
    Scan,
    ScanEntry,
    ScanList,
    Seen,
    UsageRecord,
)
from .outcomes import Checked, map_in_order, unreadable
from .pools import Pool
from .transport import (
    FATAL_CODES,
    Answer,
    Call,
    Failure,
    key_headers,
    pause_after,
    read_base_url,
    read_fault,
    read_response,
    request_arguments,
)

I = TypeVar("I", bound=Image)

#: Pause in seconds before the state of a scan is requested again. Each pause is 1.5 times the one before.
FIRST_POLL_S = 1.0
LONGEST_POLL_S = 15.0


class Telltale:
    """Client of a Telltale service. Every method raises TelltaleError, whose `code` tells what went wrong."""

    def __init__(
        self,
        base_url: str,
        api_key: Optional[str] = None,
        *,
        timeout_s: float = 60.0,
        max_retries: int = 4,
        transport: Optional[httpx.BaseTransport] = None,
    ) -> None:
        """
        Creates a client. `base_url` is the address of the service without `/v1`. `timeout_s` limits one attempt.
        """
        headers = key_headers(api_key)
        address = read_base_url(base_url)

        def open_http() -> httpx.Client:
            # httpx follows no redirects, because a redirect could send the API key to another host.
            return httpx.Client(
                base_url=address, headers=headers, timeout=timeout_s, transport=transport
            )

        self._service = Connection(Pool(open_http), timeout_s, max_retries)
        #: Methods for scans, which check long lists of images in the background.
        self.scans = Scans(self._service)

    def check(
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
        Checks one image: an address, a path, bytes or an open file. `provenance="ask"` also asks the detection
        services of image generators that are enabled for the account. Raises OSError if a path can't be read.
        """
        fields = option_fields(
            store=store, profile=profile, include=include, provenance=provenance, ref=ref, sandbox=sandbox
        )
        return self._service.value(calls.check(read_image(image), fields, idempotency_key))

    def check_batch(
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
        """
        Checks any number of images in batches. Returns results and errors in the order of `images`. Raises OSError
        before the first request if a path can't be opened, and TelltaleError if the first batch fails. If a later
        batch fails, returns the results so far, because they are charged, and the error for all remaining images.
        """
        images = list(images)
        if refs is not None and len(refs) != len(images):
            raise ValueError(f"Expected one ref for each of {len(images)} images but received {len(refs)}")
        fields = option_fields(
            store=store, profile=profile, include=include, provenance=provenance, sandbox=sandbox
        )
        for image in images:
            ensure_readable(image)
        outcomes: List[Union[CheckResult, TelltaleError]] = []
        try:
            for group in split_batches(map(read_image, images)):
                some = None if refs is None else refs[len(outcomes) : len(outcomes) + len(group)]
                batch: BatchResult = self._service.value(calls.check_batch(group, fields, some, None))
                outcomes += [error_of(entry) if "error" in entry else entry for entry in batch["results"]]
        except (OSError, TelltaleError) as fault:
            if not outcomes:
                raise
            error = unreadable(fault) if isinstance(fault, OSError) else fault
            outcomes += [error] * (len(images) - len(outcomes))
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
    ) -> Iterator[Checked[I]]:
        """
        Checks any number of images, `concurrency` at a time, and yields their results in order. Yields an error
        that concerns one image, such as a missing file (`image_unreadable`). Raises an error that all images would
        get (key, scope, plan, quota). `progress` draws a bar if tqdm is installed.
        """
        options: Any = {"store": store, "profile": profile, "include": include, "sandbox": sandbox}

        def check_one(image: I) -> Checked[I]:
            try:
                return Checked(image, self.check(image, **options), None)
            except OSError as fault:
                return Checked(image, None, unreadable(fault))
            except TelltaleError as error:
                if error.code in FATAL_CODES:
                    raise
                return Checked(image, None, error)

        return map_in_order(check_one, images, max(1, concurrency), progress)

    def usage(self, from_: Optional[str] = None, to: Optional[str] = None) -> UsageRecord:
        """
        Returns the checks of this month, in total and by day. `from_` and `to` (YYYY-MM-DD) select other days.
        """
        return self._service.value(calls.usage(from_, to))

    def checks(
        self,
        *,
        ref: Optional[str] = None,
        is_ai: Optional[bool] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> CheckList:
        """Returns a page of the checks that the history has, newest first. `next` is the next page's cursor."""
        return self._service.value(calls.checks(ref=ref, is_ai=is_ai, from_=from_, to=to, limit=limit, cursor=cursor))

    def check_by_id(self, check_id: str) -> PastCheck:
        """Returns an earlier check. Raises NotFoundError if it is no longer in the history."""
        return self._service.value(calls.check_by_id(check_id))

    def erase_check(self, check_id: str) -> None:
        """Erases a check and its stored image. Does not refund the check. Raises NotFoundError."""
        self._service.value(calls.erase_check(check_id))

    def find_seen(self, image: Image) -> Seen:
        """
        Finds earlier checks of the same image, and a known image that matches, without a check. The account must
        store hashes. Costs nothing.
        """
        return self._service.value(calls.find_seen(read_image(image)))

    def appeal(self, check_id: str, original: Image, remark: Optional[str] = None) -> Appeal:
        """Appeals a verdict by sending the original image (a path, bytes or an open file). Costs nothing."""
        return self._service.value(calls.appeal(check_id, read_image(original), remark))

    def appeals(self, check_id: str) -> AppealList:
        """Returns the verdict of a check, and its appeals with the decisions."""
        return self._service.value(calls.appeals(check_id))

    def appeal_image(self, check_id: str) -> bytes:
        """Returns a reduced copy of the checked image as JPEG. Raises NotFoundError if the image is not stored."""
        return cast(bytes, self._service.value(calls.appeal_image(check_id)))

    def appeal_link(self, check_id: str, days: Optional[int] = None) -> AppealLink:
        """Creates a link to appeal without an API key. It expires after `days` (1 to 90, default 14)."""
        return self._service.value(calls.appeal_link(check_id, days))

    def appeal_links(self, check_id: str) -> AppealLinkList:
        """Returns the links of a check, without their tokens."""
        return self._service.value(calls.appeal_links(check_id))

    def revoke_appeal_link(self, check_id: str, link: str) -> ListedAppealLink:
        """Revokes a link by its identifier (`apk_...`). A revoked link shows and accepts nothing."""
        return self._service.value(calls.revoke_appeal_link(check_id, link))

    def withdraw_appeal(self, check_id: str, appeal_id: str) -> Appeal:
        """Withdraws an appeal of the account before its decision. The attempt stays used."""
        return self._service.value(calls.withdraw_appeal(check_id, appeal_id))

    def feedback(self, check_id: str, is_ai: bool, note: Optional[str] = None) -> None:
        """Reports a verdict as wrong. `is_ai` is the correct one."""
        self._service.value(calls.feedback(check_id, is_ai, note))

    def record_keys(self) -> Any:
        """Returns the service's public keys, with which `verify_record` verifies records."""
        return self._service.value(calls.record_keys())

    def close(self) -> None:
        """Closes the connections."""
        self._service.pool.close()

    def __enter__(self) -> "Telltale":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Connection:
    """Makes calls of the service and repeats failed ones."""

    def __init__(self, pool: Pool, timeout_s: float, max_retries: int) -> None:
        self.pool = pool
        self._timeout_s = timeout_s
        self._max_retries = max_retries

    def value(self, call: Call) -> Any:
        """Returns the parsed body of the response."""
        answer = self.answer(call)
        return answer.value

    def answer(self, call: Call) -> Answer:
        """Returns the parsed response with its headers. Raises TelltaleError."""
        arguments = request_arguments(call)
        attempt = 0
        while True:
            outcome: Union[Answer, Failure]
            try:
                outcome = read_response(self.pool.http().request(**arguments), call)
            except httpx.TransportError as fault:
                outcome = read_fault(fault, self._timeout_s)
            if isinstance(outcome, Answer):
                return outcome
            time.sleep(pause_after(outcome, attempt, self._max_retries))
            attempt += 1


class Scans:
    """Methods of `telltale.scans`, which check long lists of images in the background."""

    def __init__(self, service: Connection) -> None:
        self._service = service

    def create(
        self,
        items: ScanInput,
        *,
        profile: Optional[str] = None,
        include: Optional[Sequence[str]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Scan:
        """Starts a scan of a list. Returns before images are checked."""
        return self._service.value(calls.create_scan(items, profile, include, idempotency_key))

    def get(self, scan_id: str) -> Scan:
        """Returns the current state of a scan."""
        return self._service.value(calls.scan(scan_id))

    def list(self, before: Optional[str] = None, *, cursor: Optional[str] = None) -> List[Scan]:
        """
        Returns at most 100 scans of the account, newest first. `cursor` is the identifier of the last scan of the
        previous page. Deprecated: `before`, the former name of `cursor`.
        """
        page: ScanList = self._service.value(calls.scans(before if cursor is None else cursor))
        return page["scans"]

    def cancel(self, scan_id: str) -> Scan:
        """Cancels a scan. Its results remain available."""
        return self._service.value(calls.scan(scan_id, "DELETE"))

    def results(
        self, scan_id: str, *, follow: bool = True, mark: Optional[Sequence[str]] = None
    ) -> Iterator[ScanEntry]:
        """
        Yields the results in the order in which the checks ended. With `follow`, waits for further results until
        the scan has ended. `mark` selects results whose image has a mark of one of these kinds; the scan must have
        been created with `marks` in `include`.
        """
        cursor = "0"
        pause_s = FIRST_POLL_S
        while True:
            entries, headers = self._service.answer(calls.scan_results(scan_id, cursor, mark))
            for entry in entries:
                yield entry
            following = headers.get("next-cursor")
            # The cursor moves on even if no image of the page has one of the marks.
            is_ahead = following != cursor
            if following is None or (not is_ahead and not follow):
                return
            cursor = following
            if is_ahead:
                pause_s = FIRST_POLL_S
            else:
                time.sleep(pause_s)
                pause_s = min(LONGEST_POLL_S, pause_s * 1.5)

    def wait(self, scan_id: str, on_progress: Optional[Callable[[Scan], None]] = None) -> Scan:
        """Waits until the scan has ended and returns it. Its state is `finished` or `cancelled`."""
        pause_s = FIRST_POLL_S
        while True:
            scan = self.get(scan_id)
            if on_progress is not None:
                on_progress(scan)
            if scan["ended_at"] is not None:
                return scan
            time.sleep(pause_s)
            pause_s = min(LONGEST_POLL_S, pause_s * 1.5)
