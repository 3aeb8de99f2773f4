"""Shapes of the service, made from its OpenAPI document by scripts/make_models.py: not to be edited."""

from typing import Any, Dict, List, Literal, Optional, Union

from typing_extensions import NotRequired, TypedDict


class CheckJson(TypedDict):
    #: absolute http or https address on a public host; the service fetches it
    image_url: NotRequired[str]
    #: standard base64 (RFC 4648 section 4, padded) of the original file
    image_b64: NotRequired[str]
    #: true keeps the original file; default: it is not kept
    store: NotRequired[bool]
    profile: NotRequired[Literal['strict', 'balanced', 'sensitive']]
    #: members of details to add. Also taken as one text, separated by commas
    include: NotRequired[List[Literal['heatmap', 'faces', 'credentials', 'reasons', 'assessment', 'timings', 'thresholds', 'warnings', 'marks', 'seen', 'record']]]
    provenance: NotRequired[Literal['ask']]
    #: for sandbox keys (tt_test_...) alone: the answer to give, one for all images or one for each; default: by file name, else genuine. Also taken as one text, separated by commas
    sandbox: NotRequired[List[Literal['genuine', 'ai', 'face', 'credentials', 'unclear', 'invalid_request', 'invalid_base64', 'invalid_url', 'url_not_public', 'invalid_batch', 'unauthorized', 'plan_required', 'forbidden', 'not_found', 'method_not_allowed', 'idempotency_mismatch', 'image_not_kept', 'too_many_appeals', 'image_too_large', 'batch_too_large', 'unsupported_media_type', 'unsupported_format', 'url_fetch_failed', 'image_too_small', 'image_too_many_pixels', 'jpeg_quality_too_low', 'image_corrupt', 'quota_exceeded', 'storage_full', 'rate_limited', 'internal_error', 'not_configured', 'overloaded', 'unavailable', 'deadline_exceeded', 'not_kept', 'too_large', 'too_small', 'too_many_pixels', 'corrupt']]]
    #: a reference of your own, at most 128 printable characters: kept with the check, given back, found by GET /v1/checks
    ref: NotRequired[str]


Profile = Literal['strict', 'balanced', 'sensitive']


DetailName = Literal['heatmap', 'faces', 'credentials', 'reasons', 'assessment', 'timings', 'thresholds', 'warnings', 'marks', 'seen', 'record']


Provenance = Literal['ask']


SandboxAnswer = Literal['genuine', 'ai', 'face', 'credentials', 'unclear', 'invalid_request', 'invalid_base64', 'invalid_url', 'url_not_public', 'invalid_batch', 'unauthorized', 'plan_required', 'forbidden', 'not_found', 'method_not_allowed', 'idempotency_mismatch', 'image_not_kept', 'too_many_appeals', 'image_too_large', 'batch_too_large', 'unsupported_media_type', 'unsupported_format', 'url_fetch_failed', 'image_too_small', 'image_too_many_pixels', 'jpeg_quality_too_low', 'image_corrupt', 'quota_exceeded', 'storage_full', 'rate_limited', 'internal_error', 'not_configured', 'overloaded', 'unavailable', 'deadline_exceeded', 'not_kept', 'too_large', 'too_small', 'too_many_pixels', 'corrupt']


class ContentCredentials(TypedDict):
    #: whether a manifest is embedded; the other fields are there if so
    found: bool
    signer: NotRequired[Optional[str]]
    verified: NotRequired[bool]
    ai: NotRequired[bool]


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
    state: Literal['verified', 'untrusted', 'tampered', 'unreadable']
    trust_tier: Optional[Literal['official', 'operator', 'interim']]
    #: ISO 8601
    signed_at: Optional[str]
    ai_claim: Optional[Literal['generated', 'edited', 'contains']]
    #: software behind the claim
    tool: Optional[str]
    #: program that signed
    claim_generator: Optional[str]
    #: labels, the active one first
    manifests: List[str]
    #: codes of C2PA, failures first
    validation_status: List[str]
    digital_source_types: List[str]
    #: algorithms of watermarks or fingerprints that manifests name
    soft_bindings: List[str]


class CheckResultDetailsReasons(TypedDict):
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
    #: probability that the image is an illustration (a painting, drawing, anime, render or game): it sets the threshold of the whole image between those of photographs and of illustrations
    drawn: Optional[float]
    full_image_specialist: CheckResultDetailsThresholdsFullImageSpecialist
    face_specialist: CheckResultDetailsThresholdsFullImageSpecialist


class CheckResultDetailsWarnings(TypedDict):
    code: Literal['image_small', 'image_blank', 'image_transparent', 'jpeg_quality_low', 'face_small', 'faces_many', 'part_generated']
    message: str


class CheckResultDetailsMarks(TypedDict):
    kind: Literal['visible', 'watermark', 'generation_parameters', 'job_id', 'software', 'digital_source_type', 'credit', 'edit_history', 'ai_system', 'aigc_label', 'editor', 'camera', 'maker']
    #: program or service that it names
    generator: Optional[str]
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
    #: the right verdict by a report that it was wrong; null without one
    reported_is_ai: Optional[bool]
    ref: NotRequired[str]
    #: share of bits of the hashes that differ: 0 for the same file
    difference: float


class CheckResultDetailsSeenKnown(TypedDict):
    """the nearest image of the operator's list that looks the same"""

    id: str
    label: Literal['fake', 'genuine']
    note: str
    #: address of a page about it
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
    type: Literal['c2pa', 'synthid', 'watermark']
    #: false says nothing: signals get lost, and others make images, too
    detected: bool
    issuer: Optional[str]
    model: Optional[str]
    #: when the signal says that the image was made
    at: Optional[str]
    #: of the Content Credentials, in its words
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
    #: with credentials: where a file without a manifest says that it is; reported, never fetched
    remote_manifest: NotRequired[Optional[str]]
    #: what `reason` is made from, in its order
    reasons: NotRequired[List[CheckResultDetailsReasons]]
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
    content_credentials: ContentCredentials
    image: CheckResultImage
    model: str
    bands_version: str
    latency_ms: float
    scores: CheckResultScores
    #: [x, y, w, h] in original pixels
    face_box: Optional[List[int]]
    profile: Profile
    image_stored: bool
    #: the reference that was sent, if one was
    ref: NotRequired[str]
    #: only if include asks for it
    details: NotRequired[CheckResultDetails]
    #: true if a sandbox key asked: the answer is made up; else absent
    sandbox: NotRequired[bool]


Signal = Literal['full_image_specialist', 'face_specialist', 'content_credentials']


CredentialState = Literal['verified', 'untrusted', 'tampered', 'unreadable']


TrustTier = Literal['official', 'operator', 'interim']


AiClaim = Literal['generated', 'edited', 'contains']


ReasonCode = Literal['credentials_record_ai', 'full_image_fired', 'full_image_below', 'face_fired', 'face_below', 'no_face', 'suspicious_region', 'credentials_noted', 'mark_noted', 'known_image', 'no_proof']


Assessment = Literal['likely_ai', 'unclear', 'no_ai_detected']


WarningCode = Literal['image_small', 'image_blank', 'image_transparent', 'jpeg_quality_low', 'face_small', 'faces_many', 'part_generated']


MarkKind = Literal['visible', 'watermark', 'generation_parameters', 'job_id', 'software', 'digital_source_type', 'credit', 'edit_history', 'ai_system', 'aigc_label', 'editor', 'camera', 'maker']


MarkStatement = Literal['generated', 'edited', 'possibly_generated', 'camera']


KnownLabel = Literal['fake', 'genuine']


MakerState = Literal['answered', 'unavailable']


MakerFailure = Literal['unsupported_format', 'needs_url', 'quota_exceeded', 'rate_limited', 'not_authorized', 'refused', 'timed_out', 'failed', 'invalid_answer']


MakerSignal = Literal['c2pa', 'synthid', 'watermark']


class ErrorError(TypedDict):
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
    #: true if a sandbox key asked: the answer is made up; else absent
    sandbox: NotRequired[bool]


ErrorCode = Literal['invalid_request', 'invalid_base64', 'invalid_url', 'url_not_public', 'invalid_batch', 'unauthorized', 'plan_required', 'forbidden', 'not_found', 'method_not_allowed', 'idempotency_mismatch', 'image_not_kept', 'too_many_appeals', 'image_too_large', 'batch_too_large', 'unsupported_media_type', 'unsupported_format', 'url_fetch_failed', 'image_too_small', 'image_too_many_pixels', 'jpeg_quality_too_low', 'image_corrupt', 'quota_exceeded', 'storage_full', 'rate_limited', 'internal_error', 'not_configured', 'overloaded', 'unavailable', 'deadline_exceeded']


class Problem(TypedDict):
    #: path of the service: what the code means
    type: str
    title: str
    status: int
    #: `message` of the usual shape
    detail: str
    #: path and identifier of the request
    instance: str
    code: ErrorCode
    #: the member, field, parameter or header it is about
    param: NotRequired[str]
    #: as X-Request-Id; none in an entry of a scan
    request_id: NotRequired[str]
    #: of a refused image, where include names it: /schemas/record.json
    record: NotRequired[Any]
    #: true if a sandbox key asked: the answer is made up; else absent
    sandbox: NotRequired[bool]


class BatchImage(TypedDict):
    #: absolute http or https address on a public host; the service fetches it
    image_url: NotRequired[str]
    #: standard base64 (RFC 4648 section 4, padded) of the original file
    image_b64: NotRequired[str]
    #: a reference of your own, at most 128 printable characters: kept with the check, given back, found by GET /v1/checks
    ref: NotRequired[str]


class BatchJson(TypedDict):
    #: 1 to 8 items, each with exactly one of image_url and image_b64
    images: List[BatchImage]
    #: true keeps the original file; default: it is not kept
    store: NotRequired[bool]
    profile: NotRequired[Profile]
    #: members of details to add. Also taken as one text, separated by commas
    include: NotRequired[List[DetailName]]
    provenance: NotRequired[Provenance]
    #: for sandbox keys (tt_test_...) alone: the answer to give, one for all images or one for each; default: by file name, else genuine. Also taken as one text, separated by commas
    sandbox: NotRequired[List[SandboxAnswer]]


class BatchResult(TypedDict):
    #: in submission order
    results: List[Union[CheckResult, Error]]
    model: str
    bands_version: str
    latency_ms: float
    #: true if a sandbox key asked: the answer is made up; else absent
    sandbox: NotRequired[bool]


class PastCheck(TypedDict):
    """a check of the past; reason, face_found, content_credentials and image are null for a check from before it was kept"""

    id: str
    #: false means only 'No AI detected'
    is_ai: bool
    fired: List[Signal]
    #: one line for people
    reason: Optional[str]
    face_found: Optional[bool]
    content_credentials: Optional[ContentCredentials]
    image: Optional[CheckResultImage]
    model: str
    bands_version: str
    latency_ms: float
    scores: CheckResultScores
    #: [x, y, w, h] in original pixels
    face_box: Optional[List[int]]
    profile: Profile
    #: whether the original is kept today
    image_stored: bool
    #: the reference that was sent, if one was
    ref: NotRequired[str]
    created_at: str


class CheckList(TypedDict):
    #: newest first
    checks: List[PastCheck]
    #: Next-Cursor, the cursor of the next page; null on the last one
    next: Optional[str]


class Erased(TypedDict):
    id: str
    #: always true
    erased: bool


class FeedbackJson(TypedDict):
    #: true or false: the right verdict
    is_ai: bool
    #: a text of at most 500 characters
    note: NotRequired[str]


class Feedback(TypedDict):
    id: str
    is_ai: bool
    note: str


class AppealForm(TypedDict):
    #: the original: as POST /v1/check takes it
    file: str
    #: a text of at most 1000 characters
    remark: NotRequired[str]


AppealComparison = TypedDict("AppealComparison", {
    "with": Literal['image', 'hash'],
    #: whether the checked image shows the original, or a part of it
    "same_scene": bool,
    #: share of bits of the hashes that differ
    "difference": float,
    #: [x, y, width, height]: the part of the original that the checked image shows
    "crop": Optional[List[float]],
})


class AppealOriginal(TypedDict):
    """what was found on it"""

    format: str
    width: int
    height: int
    #: its pixels by one pixel of the checked image
    enlarged: Optional[float]
    #: false means only 'No AI detected'
    is_ai: bool
    fired: List[Signal]
    #: one line for people
    reason: str
    scores: CheckResultScores
    #: that its metadata names; unsigned
    camera: Optional[str]
    content_credentials: ContentCredentials


class AppealDecision(TypedDict):
    outcome: Literal['verdict_confirmed', 'verdict_overturned']
    remark: str
    at: str


class Appeal(TypedDict):
    id: str
    check_id: str
    created_at: str
    by: Literal['account', 'link']
    remark: str
    comparison: AppealComparison
    #: what was found on it
    original: AppealOriginal
    decision: Optional[AppealDecision]
    #: signed, names the first check: /schemas/record.json
    record: Any


AppealOrigin = Literal['account', 'link']


ComparedWith = Literal['image', 'hash']


AppealOutcome = Literal['verdict_confirmed', 'verdict_overturned']


class AppealListCheck(TypedDict):
    id: str
    created_at: str
    #: false means only 'No AI detected'
    is_ai: bool
    #: one line for people
    reason: Optional[str]
    model: str
    bands_version: str


class AppealList(TypedDict):
    check: AppealListCheck
    #: oldest first
    appeals: List[Appeal]


class AppealLinkJson(TypedDict):
    #: a whole number from 1 to 90; how long it is valid
    days: NotRequired[int]


class AppealLink(TypedDict):
    #: the page for the person who appeals; hand it out
    url: str
    #: the same by API: Authorization: Bearer apt_...
    token: str
    expires_at: str


class ScanItem(TypedDict):
    url: str
    ref: NotRequired[str]


class ScanJson(TypedDict):
    #: as many as 4 MB hold; a longer list comes as a file
    items: NotRequired[List[ScanItem]]
    #: s3://bucket/prefix of the service's own store: every object below it; an operator says which prefix an account may read
    source: NotRequired[str]
    profile: NotRequired[Profile]
    #: members of details to add. Also taken as one text, separated by commas
    include: NotRequired[List[Literal['heatmap', 'faces', 'credentials', 'reasons', 'assessment', 'timings', 'thresholds', 'warnings', 'marks']]]


ScanDetailName = Literal['heatmap', 'faces', 'credentials', 'reasons', 'assessment', 'timings', 'thresholds', 'warnings', 'marks']


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
    state: Literal['queued', 'running', 'finished', 'cancelled']
    #: why it was cancelled
    reason: Optional[str]
    counts: ScanCounts
    #: items that failed, by error code
    errors: Dict[str, Any]
    items_per_second: Optional[float]
    #: at that rate
    seconds_left: Optional[int]
    #: UTC
    created_at: str
    #: the first item was begun
    started_at: Optional[str]
    #: finished or cancelled
    ended_at: Optional[str]


ScanState = Literal['queued', 'running', 'finished', 'cancelled']


class ScanList(TypedDict):
    #: newest first
    scans: List[Scan]
    #: Next-Cursor, the cursor of the next page; null on the last one
    next: Optional[str]


FileMarkKind = Literal['visible', 'watermark', 'generation_parameters', 'job_id', 'software', 'digital_source_type', 'credit', 'edit_history', 'ai_system', 'aigc_label', 'editor', 'camera']


class ScanEntryResult(TypedDict):
    id: str
    #: false means only 'No AI detected'
    is_ai: bool
    fired: List[Signal]
    #: one line for people
    reason: str
    face_found: bool
    content_credentials: ContentCredentials
    image: CheckResultImage
    model: str
    bands_version: str
    latency_ms: float
    scores: CheckResultScores
    #: [x, y, w, h] in original pixels
    face_box: Optional[List[int]]
    profile: Profile
    image_stored: bool
    ref: NotRequired[str]
    #: only if include asks for it
    details: NotRequired[CheckResultDetails]
    #: true if a sandbox key asked: the answer is made up; else absent
    sandbox: NotRequired[bool]
    #: position of the item in the list
    line: int


class ScanEntryError(TypedDict):
    error: ErrorError
    #: of a refused image, where include names it: /schemas/record.json
    record: NotRequired[Any]
    #: true if a sandbox key asked: the answer is made up; else absent
    sandbox: NotRequired[bool]
    #: position of the item in the list
    line: int
    ref: NotRequired[str]


ScanEntry = Union[ScanEntryResult, ScanEntryError]


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


class ScanFinished(TypedDict):
    #: the scan has finished or was cancelled: its state tells which
    type: Literal['scan.finished']
    #: when it happened, UTC
    timestamp: str
    data: Scan


class ScanProgress(TypedDict):
    #: another tenth of the items is answered
    type: Literal['scan.progress']
    #: when it happened, UTC
    timestamp: str
    data: Scan


class QuotaReachedDataPeriod(TypedDict):
    start: str
    end: str


class QuotaReachedDataChecks(TypedDict):
    used: int
    #: set aside for scans that run
    reserved: int
    quota: int


class QuotaReachedData(TypedDict):
    plan: str
    period: QuotaReachedDataPeriod
    #: 80 or 100
    percent: int
    checks: QuotaReachedDataChecks


class QuotaReached(TypedDict):
    #: 80 or 100 % of the month's checks are used or set aside
    type: Literal['quota.reached']
    #: when it happened, UTC
    timestamp: str
    data: QuotaReachedData


class KeyExpiringDataKey(TypedDict):
    #: the 8 characters after tt_live_
    id: str
    name: str
    expires_at: str


class KeyExpiringData(TypedDict):
    key: KeyExpiringDataKey
    #: at most as many are left: 7 or 1
    days: int


class KeyExpiring(TypedDict):
    #: an API key expires in a week, or in a day
    type: Literal['key.expiring']
    #: when it happened, UTC
    timestamp: str
    data: KeyExpiringData


class WebhookTestData(TypedDict):
    #: identifier of the webhook
    webhook: str


class WebhookTest(TypedDict):
    #: sent by hand
    type: Literal['webhook.test']
    #: when it happened, UTC
    timestamp: str
    data: WebhookTestData


WebhookEvent = Union[ScanFinished, ScanProgress, QuotaReached, KeyExpiring, WebhookTest]
