// Types of requests and responses. They are generated from the service's OpenAPI document.
import type { components, operations, paths } from './openapi.js';

type Schemas = components['schemas'];

/** Result of a check. */
export type CheckResult = Schemas['CheckResult'];
/** Results of a batch, one for each image, in the order of the images. */
export type BatchResult = Schemas['BatchResult'];
/** An earlier check from the history. */
export type PastCheck = Schemas['PastCheck'];
/** A page of earlier checks. */
export type CheckList = Schemas['CheckList'];
/** Filters of a list of earlier checks. */
export type CheckListQuery = NonNullable<paths['/v1/checks']['get']['parameters']['query']>;
/** Response after a check was erased. */
export type Erased = Schemas['Erased'];
/** Earlier checks of the same image, and a known image that matches. */
export type Seen = Schemas['Seen'];
/** An appeal against a verdict. */
export type Appeal = Schemas['Appeal'];
/** The appeals against the verdict of one check. */
export type AppealList = Schemas['AppealList'];
/** A link with which a person without an API key can appeal. */
export type AppealLink = Schemas['AppealLink'];
/** A link of a check, without its token. */
export type ListedAppealLink = Schemas['ListedAppealLink'];
/** The links of one check. */
export type AppealLinkList = Schemas['AppealLinkList'];
/** A stored report that a verdict is wrong. */
export type Feedback = Schemas['Feedback'];
/** Number of checks in a period. */
export type UsageRecord = Schemas['UsageRecord'];
/** State of a scan. */
export type Scan = Schemas['Scan'];
/** An entry in the results of a scan: a result or an error, with its line number and reference. */
export type ScanEntry = Schemas['ScanEntry'];
/** An event that the service sends to a webhook. */
export type WebhookEvent = Schemas['WebhookEvent'];
/** Error codes of the service. Later versions may have more. */
export type ServiceErrorCode = Schemas['Error']['error']['code'];
/** Days for which usage is requested. */
export type UsageQuery = NonNullable<paths['/v1/usage']['get']['parameters']['query']>;

/** Kind of a mark: a hint in a file about how it was made. */
export type MarkKind = Schemas['FileMarkKind'];

/** Options of the checks of a scan. */
export interface ScanOptions {
  /** Profile, which selects the thresholds of the verdict. */
  readonly profile?: Schemas['Profile'];
  /** Additional fields of `details` in the result. */
  readonly include?: readonly Schemas['DetailName'][];
}

/** Options of a check. */
export interface CheckOptions extends ScanOptions {
  /** True if the service is to store the image file. */
  readonly store?: boolean;
  /** `ask` also asks detection services of image generators that are enabled for the account. */
  readonly provenance?: Schemas['Provenance'];
  /** Result for every image, such as `ai`, `genuine` or `image_too_small`. Requires a sandbox key (`tt_test_...`). */
  readonly sandbox?: Schemas['SandboxAnswer'];
}

export type { components, operations, paths };
