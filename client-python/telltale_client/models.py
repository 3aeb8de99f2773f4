"""Shapes of the service, made from its OpenAPI document by scripts/make_models.py: not to be edited."""

from typing import Any, Dict, List, Literal, Optional, Union

from typing_extensions import NotRequired, TypedDict


class CheckJson(TypedDict):
    #: absolute http or https address on a public host, from which the service fetches the image
    image_url: NotRequired[str]
    #: original file in standard base64 (RFC 4648, section 4) with padding
    image_b64: NotRequired[str]
    #: true stores the original file; default: false
    store: NotRequired[bool]
    profile: NotRequired[Literal['strict', 'balanced', 'sensitive']]
    #: fields of details to add to the result. A text with names separated by commas is accepted, too
    include: NotRequired[List[Literal['heatmap', 'faces', 'credentials', 'reasons', 'assessment', 'timings', 'thresholds', 'warnings', 'marks', 'seen', 'record']]]
    provenance: NotRequired[Literal['ask']]
    #: only for sandbox keys (tt_test_...): result or error to return, one for all images or one per image. Default: by file name, otherwise genuine. A text with names separated by commas is accepted, too
    sandbox: NotRequired[List[Literal['genuine', 'ai', 'face', 'credentials', 'unclear', 'invalid_request', 'invalid_base64', 'invalid_url', 'url_not_public', 'invalid_batch', 'unauthorized', 'plan_required', 'forbidden', 'not_found', 'method_not_allowed', 'idempotency_mismatch', 'image_not_kept', 'too_many_appeals', 'image_too_large', 'batch_too_large', 'unsupported_media_type', 'unsupported_format', 'url_fetch_failed', 'image_too_small', 'image_too_many_pixels', 'jpeg_quality_too_low', 'image_corrupt', 'quota_exceeded', 'storage_full', 'rate_limited', 'internal_error', 'not_configured', 'overloaded', 'unavailable', 'deadline_exceeded', 'not_kept', 'too_large', 'too_small', 'too_many_pixels', 'corrupt']]]
    #: your own reference, at most 128 printable characters. It is stored with the check, returned, and found by GET /v1/checks
    ref: NotRequired[str]


Profile = Literal['strict', 'balanced', 'sensitive']


DetailName = Literal['heatmap', 'faces', 'credentials', 'reasons', 'assessment', 'timings', 'thresholds', 'warnings', 'marks', 'seen', 'record']


Provenance = Literal['ask']


SandboxAnswer = Literal['genuine', 'ai', 'face', 'credentials', 'unclear', 'invalid_request', 'invalid_base64', 'invalid_url', 'url_not_public', 'invalid_batch', 'unauthorized', 'plan_required', 'forbidden', 'not_found', 'method_not_allowed', 'idempotency_mismatch', 'image_not_kept', 'too_many_appeals', 'image_too_large', 'batch_too_large', 'unsupported_media_type', 'unsupported_format', 'url_fetch_failed', 'image_too_small', 'image_too_many_pixels', 'jpeg_quality_too_low', 'image_corrupt', 'quota_exceeded', 'storage_full', 'rate_limited', 'internal_error', 'not_configured', 'overloaded', 'unavailable', 'deadline_exceeded', 'not_kept', 'too_large', 'too_small', 'too_many_pixels', 'corrupt']


class ContentCredentials(TypedDict):
    #: true if Content Credentials are embedded in the file; the other fields are present only then
    found: bool
    #: name of the signer; null if the credentials name none
    signer: NotRequired[Optional[str]]
    #: true if the signer is trusted and the image is unchanged since it was signed
    verified: NotRequired[bool]
    #: true if the credentials record that AI made or edited the image
    ai: NotRequired[bool]


class CheckResultImage(TypedDict):
    width: int
    height: int


class CheckResultScores(TypedDict):
    full_image_specialist: Optional[float]
    face_specialist: Optional[float]


class CheckResultDetailsHeatmapPatches(TypedDict):
    #: rectangle [x, y, width, height] in pixels of the original image
    box: List[int]
    score: float


class CheckResultDetailsHeatmap(TypedDict):
    #: cells of a grid over the image, each with a score for being generated
    patches: List[CheckResultDetailsHeatmapPatches]
    #: images embedded in this image, such as the parts of a collage or an image with a frame or a caption, each with its own score. The score furthest above its threshold becomes the score of the whole image
    panels: List[CheckResultDetailsHeatmapPatches]
    #: suspicious region: the region with the highest score for being generated; null if the image has none. On genuine images, its score reaches the threshold about as often as the score of the whole image
    peak: Optional[CheckResultDetailsHeatmapPatches]


class CheckResultDetailsFaces(TypedDict):
    #: rectangle [x, y, width, height] in pixels of the original image
    box: List[int]
    score: float
    #: probability that the face was swapped or edited
    manipulated: float
    #: probability that the face was generated
    generated: float
    confidence: float


class CheckResultDetailsCredentialsChainActions(TypedDict):
    #: action, such as c2pa.created or c2pa.edited
    action: str
    #: time of the action, as the signer wrote it; null if not given
    when: Optional[str]
    #: software that performed the action; null if not named
    software: Optional[str]
    #: digital source type of the action; null if not given
    digital_source_type: Optional[str]


class CheckResultDetailsCredentialsChainIngredients(TypedDict):
    #: title or file name of the ingredient; null if not given
    title: Optional[str]
    #: parentOf, componentOf or inputTo; null if not given
    relationship: Optional[str]
    #: label of the ingredient's own manifest; null without one
    manifest: Optional[str]


class CheckResultDetailsCredentialsChain(TypedDict):
    #: label of the manifest
    label: str
    #: name of the signer; null if the manifest names none
    signer: Optional[str]
    #: software that wrote the manifest; null if not named
    claim_generator: Optional[str]
    #: actions in the order of the manifest, at most 16
    actions: List[CheckResultDetailsCredentialsChainActions]
    #: images that this image was made from, at most 16
    ingredients: List[CheckResultDetailsCredentialsChainIngredients]


class CheckResultDetailsCredentials(TypedDict):
    state: Literal['verified', 'untrusted', 'tampered', 'unreadable']
    trust_tier: Optional[Literal['official', 'operator', 'interim']]
    #: time of signing by a trusted time stamp, ISO 8601; null without one
    signed_at: Optional[str]
    ai_claim: Optional[Literal['generated', 'edited', 'contains']]
    #: software that made or edited the image, as named by the credentials; null if not named
    tool: Optional[str]
    #: software that wrote the credentials; null if not named
    claim_generator: Optional[str]
    #: labels of the manifests, the active manifest first
    manifests: List[str]
    #: C2PA validation codes, failures first
    validation_status: List[str]
    #: digital source types (how the image was made), as written in the credentials
    digital_source_types: List[str]
    #: algorithms of the watermarks or fingerprints that the manifests declare
    soft_bindings: List[str]
    #: what each manifest records, the active manifest first, then its ingredients. Statements of the signers; those of unverified credentials can be invented
    chain: List[CheckResultDetailsCredentialsChain]


class CheckResultDetailsReasons(TypedDict):
    code: Literal['credentials_record_ai', 'full_image_fired', 'full_image_below', 'face_fired', 'face_below', 'no_face', 'suspicious_region', 'credentials_noted', 'mark_noted', 'known_image', 'no_proof']
    #: parameters of the reason; docs/http.md lists them by code
    params: Dict[str, Any]


class CheckResultDetailsAssessmentRatesAt1In10(TypedDict):
    """share of AI images among images with this assessment if 1 of 10 checked images is AI, with its 95% interval over sources"""

    rate: float
    low: float
    high: float


class CheckResultDetailsAssessmentRates(TypedDict):
    #: number of test images with this assessment
    images: int
    #: number of sources of these test images
    sources: int
    #: share of AI images that get this assessment
    of_ai: float
    #: share of genuine images that get this assessment
    of_genuine: float
    #: share of AI images among images with this assessment if 1 of 10 checked images is AI, with its 95% interval over sources
    at_1_in_10: CheckResultDetailsAssessmentRatesAt1In10
    #: share of AI images among images with this assessment if 1 of 2 checked images is AI
    at_1_in_2: CheckResultDetailsAssessmentRatesAt1In10


class CheckResultDetailsTimings(TypedDict):
    """duration of each stage in milliseconds, and in views the number of scored crops"""

    fetch: float
    queue: float
    decode: float
    credentials: float
    faces: float
    inference: float
    #: number of crops of the image and of its embedded images that were scored; smaller after an early exit
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
    #: probability that the image is an illustration (a painting, drawing, anime, render or game). It sets the threshold of the whole image to a value between the thresholds for photographs and for illustrations
    drawn: Optional[float]
    full_image_specialist: CheckResultDetailsThresholdsFullImageSpecialist
    face_specialist: CheckResultDetailsThresholdsFullImageSpecialist


class CheckResultDetailsWarnings(TypedDict):
    code: Literal['image_small', 'image_blank', 'image_transparent', 'jpeg_quality_low', 'face_small', 'faces_many', 'part_generated']
    #: explanation in one line
    message: str


class CheckResultDetailsMarks(TypedDict):
    kind: Literal['visible', 'watermark', 'generation_parameters', 'job_id', 'software', 'digital_source_type', 'credit', 'edit_history', 'ai_system', 'aigc_label', 'editor', 'camera', 'maker']
    #: program or service that the mark names; null if it names none
    generator: Optional[str]
    says: Literal['generated', 'edited', 'possibly_generated', 'camera']
    #: place of the mark: block and field of the file, or pixels
    where: str
    #: text of the mark, as written, at most 300 characters
    value: str
    #: rectangle [x, y, width, height] in pixels of the original image
    box: NotRequired[List[int]]


class CheckResultDetailsSeenChecks(TypedDict):
    id: str
    created_at: str
    is_ai: bool
    assessment: Literal['likely_ai', 'unclear', 'no_ai_detected']
    fired: List[Literal['full_image_specialist', 'face_specialist', 'content_credentials']]
    model: str
    bands_version: str
    #: correct verdict according to a report of a wrong verdict; null without a report
    reported_is_ai: Optional[bool]
    #: true if an appeal overturned the verdict
    overturned: bool
    ref: NotRequired[str]
    #: file name or address under which the history lists the check; null if it stores none
    name: Optional[str]
    #: true if the original file of the check is stored
    image_stored: bool
    #: share of the bits in which both hashes differ; 0 for the same file
    difference: float


class CheckResultDetailsSeenKnown(TypedDict):
    """most similar matching image in the operator's list of known images; null without a match"""

    id: str
    label: Literal['fake', 'genuine']
    note: str
    #: address of a page about the known image; null if none is given
    source: Optional[str]
    #: share of the bits in which both hashes differ; 0 for the same file
    difference: float


class CheckResultDetailsSeen(TypedDict):
    """earlier checks of the same or nearly the same image, and matching known images"""

    #: false if the image has too little detail to be recognised; nothing is compared then
    comparable: bool
    #: earlier checks by the account, at most 10, most similar first
    checks: List[CheckResultDetailsSeenChecks]
    known: Optional[CheckResultDetailsSeenKnown]


class CheckResultDetailsProvenanceSignals(TypedDict):
    type: Literal['c2pa', 'synthid', 'watermark']
    #: true if the signal was found; false proves nothing, because signals get lost and other generators have none
    detected: bool
    issuer: Optional[str]
    model: Optional[str]
    #: time at which the image was made, according to the signal; null if unknown
    at: Optional[str]
    #: validation result of the Content Credentials, in the service's words; null if not given
    validation: Optional[str]


class CheckResultDetailsProvenance(TypedDict):
    #: name of the service, such as openai or azure; new ones may be added
    service: str
    state: Literal['answered', 'unavailable']
    why: Optional[Literal['unsupported_format', 'needs_url', 'quota_exceeded', 'rate_limited', 'not_authorized', 'refused', 'timed_out', 'failed', 'invalid_answer']]
    signals: List[CheckResultDetailsProvenanceSignals]


class CheckResultDetails(TypedDict):
    """details that include requests; absent without include"""

    heatmap: NotRequired[CheckResultDetailsHeatmap]
    #: scored faces, largest first
    faces: NotRequired[List[CheckResultDetailsFaces]]
    #: Content Credentials of the image; null if the file contains none
    credentials: NotRequired[Optional[CheckResultDetailsCredentials]]
    #: with include=credentials: address of the Content Credentials that a file without embedded ones refers to; never fetched
    remote_manifest: NotRequired[Optional[str]]
    #: reasons of the verdict: scores first, then facts that do not decide
    reasons: NotRequired[List[CheckResultDetailsReasons]]
    assessment: NotRequired[Literal['likely_ai', 'unclear', 'no_ai_detected']]
    #: with include=assessment: rates measured on test images with the same assessment; null if no score decides, and with your own thresholds
    assessment_rates: NotRequired[Optional[CheckResultDetailsAssessmentRates]]
    #: duration of each stage in milliseconds, and in views the number of scored crops
    timings: NotRequired[CheckResultDetailsTimings]
    thresholds: NotRequired[CheckResultDetailsThresholds]
    #: circumstances that make the verdict less reliable
    warnings: NotRequired[List[CheckResultDetailsWarnings]]
    #: unsigned statements in the file, visible signs and watermarks; they never decide a verdict
    marks: NotRequired[List[CheckResultDetailsMarks]]
    #: earlier checks of the same or nearly the same image, and matching known images
    seen: NotRequired[CheckResultDetailsSeen]
    #: with provenance=ask: results of image makers' services; they never decide a verdict
    provenance: NotRequired[List[CheckResultDetailsProvenance]]
    #: signed record of the check, by the schema /schemas/record.json
    record: NotRequired[Any]


class CheckResult(TypedDict):
    #: identifier of the check
    id: str
    #: verdict: true if the image was judged as AI; false means only 'No AI detected'
    is_ai: bool
    #: signals that flag the image as AI
    fired: List[Literal['full_image_specialist', 'face_specialist', 'content_credentials']]
    #: explanation of the verdict in one line
    reason: str
    #: true if a face was scored
    face_found: bool
    content_credentials: ContentCredentials
    image: CheckResultImage
    #: version of the networks
    model: str
    #: version of the thresholds
    bands_version: str
    #: duration of the check in milliseconds
    latency_ms: float
    scores: CheckResultScores
    #: rectangle [x, y, width, height] in pixels of the original image
    face_box: Optional[List[int]]
    profile: Profile
    #: true if the original file is stored
    image_stored: bool
    #: reference that the caller sent with the image; absent without one
    ref: NotRequired[str]
    #: details that include requests; absent without include
    details: NotRequired[CheckResultDetails]
    #: true if the request used a sandbox key, so that the result is invented; otherwise absent
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
    #: explanation of the error
    message: str
    #: name of the invalid field, parameter or header; absent if the error concerns none
    param: NotRequired[str]
    #: identifier of the request, as in X-Request-Id; absent in the results of a scan
    request_id: NotRequired[str]


class Error(TypedDict):
    error: ErrorError
    #: signed record of the refused image, by the schema /schemas/record.json; only with include=record
    record: NotRequired[Any]
    #: true if the request used a sandbox key, so that the result is invented; otherwise absent
    sandbox: NotRequired[bool]


ErrorCode = Literal['invalid_request', 'invalid_base64', 'invalid_url', 'url_not_public', 'invalid_batch', 'unauthorized', 'plan_required', 'forbidden', 'not_found', 'method_not_allowed', 'idempotency_mismatch', 'image_not_kept', 'too_many_appeals', 'image_too_large', 'batch_too_large', 'unsupported_media_type', 'unsupported_format', 'url_fetch_failed', 'image_too_small', 'image_too_many_pixels', 'jpeg_quality_too_low', 'image_corrupt', 'quota_exceeded', 'storage_full', 'rate_limited', 'internal_error', 'not_configured', 'overloaded', 'unavailable', 'deadline_exceeded']


class Problem(TypedDict):
    #: path on this service of a page that explains the error code
    type: str
    #: error code in words
    title: str
    #: HTTP status
    status: int
    #: explanation of the error: `message` of the default error format
    detail: str
    #: path of the request, with its identifier
    instance: str
    code: ErrorCode
    #: name of the invalid field, parameter or header; absent if the error concerns none
    param: NotRequired[str]
    #: identifier of the request, as in X-Request-Id; absent in the results of a scan
    request_id: NotRequired[str]
    #: signed record of the refused image, by the schema /schemas/record.json; only with include=record
    record: NotRequired[Any]
    #: true if the request used a sandbox key, so that the result is invented; otherwise absent
    sandbox: NotRequired[bool]


class BatchImage(TypedDict):
    #: absolute http or https address on a public host, from which the service fetches the image
    image_url: NotRequired[str]
    #: original file in standard base64 (RFC 4648, section 4) with padding
    image_b64: NotRequired[str]
    #: your own reference, at most 128 printable characters. It is stored with the check, returned, and found by GET /v1/checks
    ref: NotRequired[str]


class BatchJson(TypedDict):
    #: images to check, 1 to 8, each with either image_url or image_b64
    images: List[BatchImage]
    #: true stores the original file; default: false
    store: NotRequired[bool]
    profile: NotRequired[Profile]
    #: fields of details to add to the result. A text with names separated by commas is accepted, too
    include: NotRequired[List[DetailName]]
    provenance: NotRequired[Provenance]
    #: only for sandbox keys (tt_test_...): result or error to return, one for all images or one per image. Default: by file name, otherwise genuine. A text with names separated by commas is accepted, too
    sandbox: NotRequired[List[SandboxAnswer]]


class BatchResult(TypedDict):
    #: a result or an error for each image, in the order of the request
    results: List[Union[CheckResult, Error]]
    model: str
    bands_version: str
    latency_ms: float
    #: true if the request used a sandbox key, so that the result is invented; otherwise absent
    sandbox: NotRequired[bool]


class PastCheck(TypedDict):
    """earlier check; reason, face_found, content_credentials and image are null for a check from before the history stored them"""

    #: identifier of the check
    id: str
    #: verdict: true if the image was judged as AI; false means only 'No AI detected'
    is_ai: bool
    assessment: Assessment
    appeal: Optional[Literal['open', 'confirmed', 'overturned']]
    #: signals that flag the image as AI
    fired: List[Signal]
    #: explanation of the verdict in one line
    reason: Optional[str]
    #: true if a face was scored
    face_found: Optional[bool]
    content_credentials: Optional[ContentCredentials]
    image: Optional[CheckResultImage]
    #: version of the networks
    model: str
    #: version of the thresholds
    bands_version: str
    #: duration of the check in milliseconds
    latency_ms: float
    scores: CheckResultScores
    #: rectangle [x, y, width, height] in pixels of the original image
    face_box: Optional[List[int]]
    profile: Profile
    #: true if the original file is still stored
    image_stored: bool
    #: reference that the caller sent with the image; absent without one
    ref: NotRequired[str]
    created_at: str


class CheckList(TypedDict):
    #: earlier checks, newest first
    checks: List[PastCheck]
    #: cursor of the next page, as in the header Next-Cursor; null on the last page
    next: Optional[str]


AppealState = Literal['open', 'confirmed', 'overturned']


class Erased(TypedDict):
    #: identifier of the check
    id: str
    #: always true
    erased: bool


class SeenForm(TypedDict):
    #: image file, with the formats and limits of POST /v1/check
    file: str


Seen = CheckResultDetailsSeen


class FeedbackJson(TypedDict):
    #: correct verdict: true for AI
    is_ai: bool
    #: note about the report, at most 500 characters
    note: NotRequired[str]


class Feedback(TypedDict):
    #: identifier of the check
    id: str
    is_ai: bool
    note: str


class AppealForm(TypedDict):
    #: original image file, with the formats and limits of POST /v1/check
    file: str
    #: remark of the person who appeals, at most 1000 characters
    remark: NotRequired[str]


AppealComparison = TypedDict("AppealComparison", {
    "with": Literal['image', 'hash'],
    #: true if the checked image shows the original or a part of it
    "same_scene": bool,
    #: share of the bits in which both hashes differ
    "difference": float,
    #: part of the original that the checked image shows, as shares of its sides: [x, y, width, height]
    "crop": Optional[List[float]],
})


class AppealOriginal(TypedDict):
    """result of checking the original"""

    format: str
    width: int
    height: int
    #: number of pixels of the original divided by that of the checked image; null if that is unknown
    enlarged: Optional[float]
    #: verdict: true if the image was judged as AI; false means only 'No AI detected'
    is_ai: bool
    #: signals that flag the image as AI
    fired: List[Signal]
    #: explanation of the verdict in one line
    reason: str
    scores: CheckResultScores
    #: camera that the metadata names (unsigned); null if they name none
    camera: Optional[str]
    content_credentials: ContentCredentials


class AppealDecision(TypedDict):
    outcome: Literal['verdict_confirmed', 'verdict_overturned']
    remark: str
    at: str


class Appeal(TypedDict):
    id: str
    #: identifier of the check
    check_id: str
    created_at: str
    by: Literal['account', 'link']
    #: link through which the appeal was made; null for an API key
    link_id: Optional[str]
    remark: str
    comparison: AppealComparison
    #: result of checking the original
    original: AppealOriginal
    decision: Optional[AppealDecision]
    #: time at which the sender withdrew the appeal, which is then not decided; null otherwise
    withdrawn_at: Optional[str]
    #: signed record of the appeal, which names the first check, by the schema /schemas/record.json
    record: Any


AppealOrigin = Literal['account', 'link']


ComparedWith = Literal['image', 'hash']


AppealOutcome = Literal['verdict_confirmed', 'verdict_overturned']


class AppealListCheck(TypedDict):
    #: identifier of the check
    id: str
    created_at: str
    #: verdict: true if the image was judged as AI; false means only 'No AI detected'
    is_ai: bool
    assessment: Assessment
    #: explanation of the verdict in one line
    reason: Optional[str]
    #: version of the networks
    model: str
    #: version of the thresholds
    bands_version: str
    #: true if the original file is stored
    image_stored: bool
    appeal: Optional[AppealState]


class AppealListLink(TypedDict):
    """link with which the request was made; null for an API key"""

    id: str
    #: name of the account that checked the image
    account: str
    expires_at: str
    state: Literal['open', 'used_up', 'expired', 'revoked']


class AppealList(TypedDict):
    check: AppealListCheck
    link: Optional[AppealListLink]
    #: number of originals that the caller may still send: three through each link, three with API keys
    attempts_left: int
    #: appeals against the check, oldest first; for a link only its own
    appeals: List[Appeal]


AppealLinkState = Literal['open', 'used_up', 'expired', 'revoked']


class AppealLinkJson(TypedDict):
    #: number of days for which the link is valid, 1 to 90; default: 14
    days: NotRequired[int]


class AppealLink(TypedDict):
    id: str
    #: identifier of the check
    check_id: str
    created_at: str
    expires_at: str
    revoked_at: Optional[str]
    state: AppealLinkState
    #: number of originals that the link still accepts
    attempts_left: int
    #: address of the page for the person who appeals; send it to this person
    url: str
    #: token for appeals through the API, sent as Authorization: Bearer apt_...
    token: str


class ListedAppealLink(TypedDict):
    id: str
    #: identifier of the check
    check_id: str
    created_at: str
    expires_at: str
    revoked_at: Optional[str]
    state: AppealLinkState
    #: number of originals that the link still accepts
    attempts_left: int


class AppealLinkList(TypedDict):
    #: links of the check, oldest first
    links: List[ListedAppealLink]


class ScanItem(TypedDict):
    url: str
    ref: NotRequired[str]


class ScanJson(TypedDict):
    #: images to check; the JSON body has at most 4 MB, so send a longer list as a file
    items: NotRequired[List[ScanItem]]
    #: s3://bucket/prefix in the service's own object store, whose objects are all checked. The operator sets the prefix that an account may read
    source: NotRequired[str]
    profile: NotRequired[Profile]
    #: fields of details to add to the results. A text with names separated by commas is accepted, too
    include: NotRequired[List[Literal['heatmap', 'faces', 'credentials', 'reasons', 'assessment', 'timings', 'thresholds', 'warnings', 'marks']]]


ScanDetailName = Literal['heatmap', 'faces', 'credentials', 'reasons', 'assessment', 'timings', 'thresholds', 'warnings', 'marks']


class ScanCounts(TypedDict):
    #: number of items in the list
    items: int
    #: number of items without a result or an error yet
    waiting: int
    #: number of items with a result, which are charged
    checked: int
    #: number of items with an error
    failed: int
    #: number of items that were not checked because the scan was cancelled
    cancelled: int


class ScanAssessments(TypedDict):
    """number of checked images by headline; null for scans of Telltale before 1.3"""

    #: number of images with the headline AI detected
    likely_ai: int
    #: number of images with the headline Unclear
    unclear: int
    #: number of images with the headline No AI detected
    no_ai_detected: int
    #: number of images whose verdict an appeal overturned; the other counts omit them
    overturned: int


class Scan(TypedDict):
    id: str
    state: Literal['queued', 'running', 'finished', 'cancelled']
    #: reason why the scan was cancelled; null if it was not
    reason: Optional[str]
    counts: ScanCounts
    #: number of items with an error, by error code
    errors: Dict[str, Any]
    assessments: Optional[ScanAssessments]
    #: mean rate since the start; null before the first result
    items_per_second: Optional[float]
    #: estimated seconds until the end, at items_per_second; null if unknown or after the end
    seconds_left: Optional[int]
    #: time at which the scan was created, UTC
    created_at: str
    #: time at which work on the first item began; null before
    started_at: Optional[str]
    #: time at which the scan finished or was cancelled; null before
    ended_at: Optional[str]


ScanState = Literal['queued', 'running', 'finished', 'cancelled']


class ScanList(TypedDict):
    #: scans, newest first
    scans: List[Scan]
    #: cursor of the next page, as in the header Next-Cursor; null on the last page
    next: Optional[str]


FileMarkKind = Literal['visible', 'watermark', 'generation_parameters', 'job_id', 'software', 'digital_source_type', 'credit', 'edit_history', 'ai_system', 'aigc_label', 'editor', 'camera']


class ScanEntryResult(TypedDict):
    #: identifier of the check
    id: str
    #: verdict: true if the image was judged as AI; false means only 'No AI detected'
    is_ai: bool
    #: signals that flag the image as AI
    fired: List[Signal]
    #: explanation of the verdict in one line
    reason: str
    #: true if a face was scored
    face_found: bool
    content_credentials: ContentCredentials
    image: CheckResultImage
    #: version of the networks
    model: str
    #: version of the thresholds
    bands_version: str
    #: duration of the check in milliseconds
    latency_ms: float
    scores: CheckResultScores
    #: rectangle [x, y, width, height] in pixels of the original image
    face_box: Optional[List[int]]
    profile: Profile
    #: true if the original file is stored
    image_stored: bool
    ref: NotRequired[str]
    #: details that include requests; absent without include
    details: NotRequired[CheckResultDetails]
    #: true if the request used a sandbox key, so that the result is invented; otherwise absent
    sandbox: NotRequired[bool]
    #: present if an appeal overturned the verdict: show the check to people as overturned
    appeal: NotRequired[Literal['overturned']]
    #: number of the item in the list, from 1
    line: int


class ScanEntryError(TypedDict):
    error: ErrorError
    #: signed record of the refused image, by the schema /schemas/record.json; only with include=record
    record: NotRequired[Any]
    #: true if the request used a sandbox key, so that the result is invented; otherwise absent
    sandbox: NotRequired[bool]
    #: number of the item in the list, from 1
    line: int
    ref: NotRequired[str]


ScanEntry = Union[ScanEntryResult, ScanEntryError]


class UsageRecordPeriod(TypedDict):
    start: str
    end: str


class UsageRecordChecks(TypedDict):
    #: number of charged checks in the period
    used: int
    #: number of checks reserved for running scans
    reserved: int
    #: number of checks per period in the plan; null if unlimited
    quota: Optional[int]
    #: number of checks left in the period; null if unlimited
    remaining: Optional[int]


class UsageRecordDays(TypedDict):
    date: str
    checks: int


class UsageRecord(TypedDict):
    #: name of the plan
    plan: str
    period: UsageRecordPeriod
    checks: UsageRecordChecks
    days: List[UsageRecordDays]


class ScanFinished(TypedDict):
    #: the scan has finished or was cancelled, as its state says
    type: Literal['scan.finished']
    #: time of the event, UTC
    timestamp: str
    data: Scan


class ScanProgress(TypedDict):
    #: another tenth of the items has a result or an error
    type: Literal['scan.progress']
    #: time of the event, UTC
    timestamp: str
    data: Scan


class QuotaReachedDataPeriod(TypedDict):
    start: str
    end: str


class QuotaReachedDataChecks(TypedDict):
    used: int
    #: number of checks reserved for running scans
    reserved: int
    quota: int


class QuotaReachedData(TypedDict):
    plan: str
    period: QuotaReachedDataPeriod
    #: percentage that was reached: 80 or 100
    percent: int
    checks: QuotaReachedDataChecks


class QuotaReached(TypedDict):
    #: 80 or 100% of the month's checks are used or reserved
    type: Literal['quota.reached']
    #: time of the event, UTC
    timestamp: str
    data: QuotaReachedData


class KeyExpiringDataKey(TypedDict):
    #: identifier of the key: the 8 characters after tt_live_
    id: str
    name: str
    expires_at: str


class KeyExpiringData(TypedDict):
    key: KeyExpiringDataKey
    #: maximum number of days left: 7 or 1
    days: int


class KeyExpiring(TypedDict):
    #: an API key expires within seven days or within one day
    type: Literal['key.expiring']
    #: time of the event, UTC
    timestamp: str
    data: KeyExpiringData


class AppealEvent(TypedDict):
    #: identifier of the appeal: apl_...
    appeal: str
    #: identifier of the check: chk_...
    check: str
    outcome: Optional[AppealOutcome]


class AppealReceived(TypedDict):
    #: somebody appeals against a verdict
    type: Literal['appeal.received']
    #: time of the event, UTC
    timestamp: str
    data: AppealEvent


class AppealDecided(TypedDict):
    #: an appeal is decided
    type: Literal['appeal.decided']
    #: time of the event, UTC
    timestamp: str
    data: AppealEvent


class WebhookTestData(TypedDict):
    #: identifier of the webhook
    webhook: str


class WebhookTest(TypedDict):
    #: test event, sent on request
    type: Literal['webhook.test']
    #: time of the event, UTC
    timestamp: str
    data: WebhookTestData


WebhookEvent = Union[ScanFinished, ScanProgress, QuotaReached, KeyExpiring, AppealReceived, AppealDecided, WebhookTest]
