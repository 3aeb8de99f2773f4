"""Shapes of the service, made from its OpenAPI document by scripts/make_models.py: not to be edited."""

from typing import Any, Dict, List, Literal, Optional, Union

from typing_extensions import NotRequired, TypedDict


class CheckResultContentCredentialsNotFound(TypedDict):
    found: Literal[False]


class CheckResultContentCredentialsFound(TypedDict):
    found: Literal[True]
    signer: Optional[str]
    verified: bool
    ai: bool


class CheckResultImage(TypedDict):
    width: int
    height: int


class CheckResultScores(TypedDict):
    full_image_specialist: Optional[float]
    face_specialist: Optional[float]


class CheckResultDetailsHeatmapPatches(TypedDict):
    #: [x, y, w, h] in original pixels
    box: List[int]
    score: float


class CheckResultDetailsHeatmap(TypedDict):
    #: cells of a grid, each with the score that it was generated
    patches: List[CheckResultDetailsHeatmapPatches]
    #: embedded images: those that stand beside or above each other in this one, or what a frame or a caption surrounds, each with its own score; the one furthest above its threshold gives the score of the image
    panels: List[CheckResultDetailsHeatmapPatches]
    #: the suspicious region, which looks most generated; it reaches the threshold of the whole image on genuine images about as often as their own score does
    peak: Optional[CheckResultDetailsHeatmapPatches]


class CheckResultDetailsFaces(TypedDict):
    #: [x, y, w, h] in original pixels
    box: List[int]
    score: float
    #: probability of a swap or an edit
    manipulated: float
    #: probability that the face was generated
    generated: float
    confidence: float


class CheckResultDetailsCredentials(TypedDict):
    #: verified alone counts
    state: Literal['verified', 'untrusted', 'tampered', 'unreadable']
    trust_tier: Optional[Literal['official', 'operator', 'interim']]
    signed_at: Optional[str]
    ai_claim: Optional[Literal['generated', 'edited', 'contains']]
    tool: Optional[str]
    claim_generator: Optional[str]
    #: labels, the active one first
    manifests: List[str]
    #: codes of C2PA, failures first
    validation_status: List[str]
    digital_source_types: List[str]
    #: algorithms of watermarks or fingerprints that manifests name
    soft_bindings: List[str]


class CheckResultDetailsReasons(TypedDict):
    #: stable; more may come
    code: Literal['credentials_record_ai', 'full_image_fired', 'full_image_below', 'face_fired', 'face_below', 'no_face', 'suspicious_region', 'credentials_noted', 'mark_noted', 'known_image', 'no_proof']
    #: by code: docs/http.md
    params: Dict[str, Any]


class CheckResultDetailsAssessmentRatesAt1In10(TypedDict):
    """share of AI among images that get it if 1 of 10 sent is AI, with its 95% interval over sources"""

    rate: float
    low: float
    high: float


class CheckResultDetailsAssessmentRates(TypedDict):
    #: of the test, that got this assessment
    images: int
    #: that they are from
    sources: int
    #: share of AI images that get it
    of_ai: float
    #: share of genuine images that get it
    of_genuine: float
    #: share of AI among images that get it if 1 of 10 sent is AI, with its 95% interval over sources
    at_1_in_10: CheckResultDetailsAssessmentRatesAt1In10
    #: the same if 1 of 2 is
    at_1_in_2: CheckResultDetailsAssessmentRatesAt1In10


class CheckResultDetailsTimings(TypedDict):
    """milliseconds by stage, but for views"""

    fetch: float
    queue: float
    decode: float
    credentials: float
    faces: float
    inference: float
    #: how many crops of the image, and of embedded images, were scored: fewer after an early exit
    views: int


class CheckResultDetailsThresholdsFullImageSpecialistRecall(TypedDict):
    clean: Optional[float]
    web: Optional[float]
    hard: Optional[float]


class CheckResultDetailsThresholdsFullImageSpecialist(TypedDict):
    threshold: float
    false_alarm_rate: float
    recall: CheckResultDetailsThresholdsFullImageSpecialistRecall


class CheckResultDetailsThresholds(TypedDict):
    drawn: Optional[float]
    full_image_specialist: CheckResultDetailsThresholdsFullImageSpecialist
    face_specialist: CheckResultDetailsThresholdsFullImageSpecialist


class CheckResultDetailsWarnings(TypedDict):
    #: circumstance that weakens a verdict
    code: Literal['image_small', 'image_blank', 'image_transparent', 'jpeg_quality_low', 'face_small', 'faces_many', 'part_generated']
    message: str


class CheckResultDetailsMarks(TypedDict):
    #: by what it is recognised
    kind: Literal['visible', 'watermark', 'generation_parameters', 'job_id', 'software', 'digital_source_type', 'credit', 'edit_history', 'ai_system', 'aigc_label', 'editor', 'camera', 'maker']
    generator: Optional[str]
    #: edited means by AI, but for kind 'editor'
    says: Literal['generated', 'edited', 'possibly_generated', 'camera']
    #: block and field of the file
    where: str
    value: str
    #: [x, y, w, h] in original pixels
    box: NotRequired[List[int]]


class CheckResultDetailsSeenChecks(TypedDict):
    id: str
    created_at: str
    is_ai: bool
    fired: List[Literal['full_image_specialist', 'face_specialist', 'content_credentials']]
    model: str
    bands_version: str
    reported_is_ai: Optional[bool]
    ref: NotRequired[str]
    #: share of bits of the hashes that differ: 0 for the same file
    difference: float


class CheckResultDetailsSeenKnown(TypedDict):
    """the nearest image of the operator's list that looks the same"""

    id: str
    #: what the operator says of it
    label: Literal['fake', 'genuine']
    note: str
    source: Optional[str]
    #: share of bits of the hashes that differ: 0 for the same file
    difference: float


class CheckResultDetailsSeen(TypedDict):
    """earlier checks of the same image, or of nearly the same"""

    #: false if the image shows too little to be told from others
    comparable: bool
    #: earlier checks of the account, the nearest first, 10 at most
    checks: List[CheckResultDetailsSeenChecks]
    known: Optional[CheckResultDetailsSeenKnown]


class CheckResultDetailsProvenanceSignals(TypedDict):
    #: what it looked for, of its own making alone
    type: Literal['c2pa', 'synthid', 'watermark']
    #: false says nothing: signals get lost, and others make images, too
    detected: bool
    issuer: Optional[str]
    model: Optional[str]
    at: Optional[str]
    validation: Optional[str]


class CheckResultDetailsProvenance(TypedDict):
    #: openai, azure; more may come
    service: str
    state: Literal['answered', 'unavailable']
    why: Optional[Literal['unsupported_format', 'needs_url', 'quota_exceeded', 'rate_limited', 'not_authorized', 'refused', 'timed_out', 'failed', 'invalid_answer']]
    signals: List[CheckResultDetailsProvenanceSignals]


class CheckResultDetails(TypedDict):
    """only if include asks for it"""

    heatmap: NotRequired[CheckResultDetailsHeatmap]
    #: largest first
    faces: NotRequired[List[CheckResultDetailsFaces]]
    #: null if no manifest is embedded
    credentials: NotRequired[Optional[CheckResultDetailsCredentials]]
    remote_manifest: NotRequired[Optional[str]]
    #: what `reason` is made from, in its order
    reasons: NotRequired[List[CheckResultDetailsReasons]]
    #: for people: unclear where the detectors are not sure; is_ai stays as it is
    assessment: NotRequired[Literal['likely_ai', 'unclear', 'no_ai_detected']]
    #: with assessment: what was measured of images that get it; null where no score decides, and with thresholds of your own
    assessment_rates: NotRequired[Optional[CheckResultDetailsAssessmentRates]]
    #: milliseconds by stage, but for views
    timings: NotRequired[CheckResultDetailsTimings]
    thresholds: NotRequired[CheckResultDetailsThresholds]
    #: circumstances near a limit
    warnings: NotRequired[List[CheckResultDetailsWarnings]]
    #: unsigned claims of the file and signs drawn on the image; they decide nothing
    marks: NotRequired[List[CheckResultDetailsMarks]]
    #: earlier checks of the same image, or of nearly the same
    seen: NotRequired[CheckResultDetailsSeen]
    #: with provenance=ask: what the services of makers said; it decides nothing
    provenance: NotRequired[List[CheckResultDetailsProvenance]]
    #: a signed record of the check: /schemas/record.json
    record: NotRequired[Any]


class CheckResult(TypedDict):
    id: str
    #: false means only 'No AI detected'
    is_ai: bool
    fired: List[Literal['full_image_specialist', 'face_specialist', 'content_credentials']]
    #: one line for people
    reason: str
    face_found: bool
    content_credentials: Union[CheckResultContentCredentialsNotFound, CheckResultContentCredentialsFound]
    image: CheckResultImage
    model: str
    bands_version: str
    latency_ms: float
    scores: CheckResultScores
    face_box: Optional[List[int]]
    #: operating point behind the verdict: strict (fewest false positives), balanced, sensitive (fewest misses)
    profile: Literal['strict', 'balanced', 'sensitive']
    image_stored: bool
    #: the reference that was sent, if one was
    ref: NotRequired[str]
    #: only if include asks for it
    details: NotRequired[CheckResultDetails]
    #: there if a sandbox key asked: the answer is made up
    sandbox: NotRequired[Literal[True]]


class ErrorError(TypedDict):
    #: stable; clients branch on it
    code: Literal['invalid_request', 'invalid_base64', 'invalid_url', 'url_not_public', 'invalid_batch', 'unauthorized', 'plan_required', 'forbidden', 'not_found', 'method_not_allowed', 'idempotency_mismatch', 'image_not_kept', 'too_many_appeals', 'image_too_large', 'batch_too_large', 'unsupported_media_type', 'unsupported_format', 'url_fetch_failed', 'image_too_small', 'image_too_many_pixels', 'jpeg_quality_too_low', 'image_corrupt', 'quota_exceeded', 'storage_full', 'rate_limited', 'internal_error', 'not_configured', 'overloaded', 'unavailable', 'deadline_exceeded']
    message: str
    #: the member, field, parameter or header it is about
    param: NotRequired[str]
    #: as X-Request-Id; none in an entry of a scan
    request_id: NotRequired[str]


class Error(TypedDict):
    error: ErrorError
    #: of a refused image, where include names it: /schemas/record.json
    record: NotRequired[Any]
    #: there if a sandbox key asked: the answer is made up
    sandbox: NotRequired[Literal[True]]


class BatchResult(TypedDict):
    #: in submission order
    results: List[Union[CheckResult, Error]]
    model: str
    bands_version: str
    latency_ms: float
    #: there if a sandbox key asked: the answer is made up
    sandbox: NotRequired[Literal[True]]


class PastCheck(TypedDict):
    """a check of the past; reason, face_found, content_credentials and image are null for a check from before it was kept"""

    id: str
    #: false means only 'No AI detected'
    is_ai: bool
    fired: List[Literal['full_image_specialist', 'face_specialist', 'content_credentials']]
    reason: Optional[str]
    face_found: Optional[bool]
    content_credentials: Optional[Union[CheckResultContentCredentialsNotFound, CheckResultContentCredentialsFound]]
    image: Optional[CheckResultImage]
    model: str
    bands_version: str
    latency_ms: float
    scores: CheckResultScores
    face_box: Optional[List[int]]
    #: operating point behind the verdict: strict (fewest false positives), balanced, sensitive (fewest misses)
    profile: Literal['strict', 'balanced', 'sensitive']
    #: whether the original is kept today
    image_stored: bool
    #: the reference that was sent, if one was
    ref: NotRequired[str]
    created_at: str


class CheckList(TypedDict):
    #: newest first
    checks: List[PastCheck]
    next: Optional[str]


class Feedback(TypedDict):
    id: str
    is_ai: bool
    note: str


class Erased(TypedDict):
    id: str
    erased: Literal[True]


AppealComparison = TypedDict("AppealComparison", {
    #: what was kept of the checked image
    "with": Literal['image', 'hash'],
    #: whether the checked image shows the original, or a part of it
    "same_scene": bool,
    #: share of bits of the hashes that differ
    "difference": float,
    "crop": Optional[List[float]],
})


class AppealOriginal(TypedDict):
    """what was found on it"""

    format: str
    width: int
    height: int
    enlarged: Optional[float]
    #: false means only 'No AI detected'
    is_ai: bool
    fired: List[Literal['full_image_specialist', 'face_specialist', 'content_credentials']]
    #: one line for people
    reason: str
    scores: CheckResultScores
    camera: Optional[str]
    content_credentials: Union[CheckResultContentCredentialsNotFound, CheckResultContentCredentialsFound]


class AppealDecision(TypedDict):
    #: of the verdict
    outcome: Literal['verdict_confirmed', 'verdict_overturned']
    remark: str
    at: str


class Appeal(TypedDict):
    id: str
    check_id: str
    created_at: str
    #: whether it came by an API key or by a link
    by: Literal['account', 'link']
    remark: str
    comparison: AppealComparison
    #: what was found on it
    original: AppealOriginal
    decision: Optional[AppealDecision]
    #: signed, names the first check: /schemas/record.json
    record: Any


class AppealListCheck(TypedDict):
    id: str
    created_at: str
    #: false means only 'No AI detected'
    is_ai: bool
    reason: Optional[str]
    model: str
    bands_version: str


class AppealList(TypedDict):
    check: AppealListCheck
    #: oldest first
    appeals: List[Appeal]


class AppealLink(TypedDict):
    #: the page for the person who appeals; hand it out
    url: str
    #: the same by API: Authorization: Bearer apt_...
    token: str
    expires_at: str


class UsageRecordPeriod(TypedDict):
    start: str
    end: str


class UsageRecordChecks(TypedDict):
    used: int
    #: set aside for scans that run
    reserved: int
    quota: Optional[int]
    remaining: Optional[int]


class UsageRecordDays(TypedDict):
    date: str
    checks: int


class UsageRecord(TypedDict):
    plan: str
    period: UsageRecordPeriod
    checks: UsageRecordChecks
    days: List[UsageRecordDays]


class ScanCounts(TypedDict):
    #: all of the list
    items: int
    #: not answered yet
    waiting: int
    #: answered with a result; these are charged
    checked: int
    #: answered with an error
    failed: int
    #: never to be answered
    cancelled: int


class Scan(TypedDict):
    id: str
    #: items are answered while it is queued or running
    state: Literal['queued', 'running', 'finished', 'cancelled']
    reason: Optional[str]
    counts: ScanCounts
    #: items that failed, by error code
    errors: Dict[str, Any]
    items_per_second: Optional[float]
    seconds_left: Optional[int]
    #: UTC
    created_at: str
    started_at: Optional[str]
    ended_at: Optional[str]


class ScanList(TypedDict):
    #: newest first
    scans: List[Scan]
    next: Optional[str]


class ScanEntrySandbox(TypedDict):
    #: where the item stands in the list
    line: int
    ref: NotRequired[str]
    error: ErrorError
    #: of a refused image, where include names it: /schemas/record.json
    record: NotRequired[Any]
    #: there if a sandbox key asked: the answer is made up
    sandbox: NotRequired[Literal[True]]


ScanEntry = Optional[ScanEntrySandbox]


class WebhookEventScanFinished(TypedDict):
    #: the scan has finished or was cancelled: its state tells which
    type: Literal['scan.finished']
    #: when it happened, UTC
    timestamp: str
    data: Scan


class WebhookEventScanProgress(TypedDict):
    #: another tenth of the items is answered
    type: Literal['scan.progress']
    #: when it happened, UTC
    timestamp: str
    data: Scan


class WebhookEventQuotaReachedDataPeriod(TypedDict):
    start: str
    end: str


class WebhookEventQuotaReachedDataChecks(TypedDict):
    used: int
    #: set aside for scans that run
    reserved: int
    quota: int


class WebhookEventQuotaReachedData(TypedDict):
    plan: str
    period: WebhookEventQuotaReachedDataPeriod
    #: 80 or 100
    percent: int
    checks: WebhookEventQuotaReachedDataChecks


class WebhookEventQuotaReached(TypedDict):
    #: 80 or 100 % of the month's checks are used or set aside
    type: Literal['quota.reached']
    #: when it happened, UTC
    timestamp: str
    data: WebhookEventQuotaReachedData


class WebhookEventKeyExpiringDataKey(TypedDict):
    #: the 8 characters after tt_live_
    id: str
    name: str
    expires_at: str


class WebhookEventKeyExpiringData(TypedDict):
    key: WebhookEventKeyExpiringDataKey
    #: at most as many are left: 7 or 1
    days: int


class WebhookEventKeyExpiring(TypedDict):
    #: an API key expires in a week, or in a day
    type: Literal['key.expiring']
    #: when it happened, UTC
    timestamp: str
    data: WebhookEventKeyExpiringData


class WebhookEventWebhookTestData(TypedDict):
    #: identifier of the webhook
    webhook: str


class WebhookEventWebhookTest(TypedDict):
    #: sent by hand
    type: Literal['webhook.test']
    #: when it happened, UTC
    timestamp: str
    data: WebhookEventWebhookTestData


WebhookEvent = Union[WebhookEventScanFinished, WebhookEventScanProgress, WebhookEventQuotaReached, WebhookEventKeyExpiring, WebhookEventWebhookTest]


class Problem(TypedDict):
    #: path of the service: what the code means
    type: str
    title: str
    status: int
    #: `message` of the usual shape
    detail: str
    #: path and identifier of the request
    instance: str
    #: stable; clients branch on it
    code: Literal['invalid_request', 'invalid_base64', 'invalid_url', 'url_not_public', 'invalid_batch', 'unauthorized', 'plan_required', 'forbidden', 'not_found', 'method_not_allowed', 'idempotency_mismatch', 'image_not_kept', 'too_many_appeals', 'image_too_large', 'batch_too_large', 'unsupported_media_type', 'unsupported_format', 'url_fetch_failed', 'image_too_small', 'image_too_many_pixels', 'jpeg_quality_too_low', 'image_corrupt', 'quota_exceeded', 'storage_full', 'rate_limited', 'internal_error', 'not_configured', 'overloaded', 'unavailable', 'deadline_exceeded']
    #: the member, field, parameter or header it is about
    param: NotRequired[str]
    #: as X-Request-Id; none in an entry of a scan
    request_id: NotRequired[str]
    #: of a refused image, where include names it: /schemas/record.json
    record: NotRequired[Any]
    #: there if a sandbox key asked: the answer is made up
    sandbox: NotRequired[Literal[True]]
