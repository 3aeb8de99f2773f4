// Types of requests and responses, generated from the service's OpenAPI document.
import type { components, operations, paths } from './openapi.js';

type Schemas = components['schemas'];

/** Response to a check. */
export type CheckResult = Schemas['CheckResult'];
/** Response to a batch: one entry per image, in the order of submission. */
export type BatchResult = Schemas['BatchResult'];
/** Earlier check. */
export type PastCheck = Schemas['PastCheck'];
/** Page of earlier checks. */
export type CheckList = Schemas['CheckList'];
/** Filters of earlier checks. */
export type CheckListQuery = NonNullable<paths['/v1/checks']['get']['parameters']['query']>;
/** Response to an erasure. */
export type Erased = Schemas['Erased'];
/** Appeal against a verdict. */
export type Appeal = Schemas['Appeal'];
/** Appeals against a verdict. */
export type AppealList = Schemas['AppealList'];
/** Link for a person who appeals without a key. */
export type AppealLink = Schemas['AppealLink'];
/** Recorded feedback. */
export type Feedback = Schemas['Feedback'];
/** Checks of a period. */
export type UsageRecord = Schemas['UsageRecord'];
/** State of a scan. */
export type Scan = Schemas['Scan'];
/** Entry of a scan's results: a result or an error, with its line and reference. */
export type ScanEntry = Schemas['ScanEntry'];
/** Event of a webhook. */
export type WebhookEvent = Schemas['WebhookEvent'];
/** Error codes of the service. Later versions may have more. */
export type ServiceErrorCode = Schemas['Error']['error']['code'];
/** Days of a usage record. */
export type UsageQuery = NonNullable<paths['/v1/usage']['get']['parameters']['query']>;

/** Kind of a mark. */
export type MarkKind = Schemas['FileMarkKind'];

/** Options of the checks of a scan. */
export interface ScanOptions {
  /** Operating point of the verdict. */
  readonly profile?: Schemas['Profile'];
  /** Fields of `details` to add. */
  readonly include?: readonly Schemas['DetailName'][];
}

/** Options of a check. */
export interface CheckOptions extends ScanOptions {
  /** True if to keep the original file. */
  readonly store?: boolean;
  /** `ask` also asks the makers' services that are enabled for the account. */
  readonly provenance?: Schemas['Provenance'];
  /** Result for every image, such as `ai`, `genuine` or `image_too_small`. Requires a sandbox key (`tt_test_...`). */
  readonly sandbox?: Schemas['SandboxAnswer'];
}

export type { components, operations, paths };
