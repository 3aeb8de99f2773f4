// The shapes of the service, by the names that programs use; all of them come from its OpenAPI document.
import type { components, operations, paths } from './openapi.js';

type Schemas = components['schemas'];

/** The answer to a check. */
export type CheckResult = Schemas['CheckResult'];
/** The answer to a batch: one entry for each image, in the order of submission. */
export type BatchResult = Schemas['BatchResult'];
/** A check of the past. */
export type PastCheck = Schemas['PastCheck'];
/** A page of them. */
export type CheckList = Schemas['CheckList'];
/** What they are listed by. */
export type CheckListQuery = NonNullable<paths['/v1/checks']['get']['parameters']['query']>;
/** That a check was erased. */
export type Erased = Schemas['Erased'];
/** An appeal against a verdict. */
export type Appeal = Schemas['Appeal'];
/** The appeals against a verdict. */
export type AppealList = Schemas['AppealList'];
/** A link for a person who appeals without a key. */
export type AppealLink = Schemas['AppealLink'];
/** Feedback that was taken. */
export type Feedback = Schemas['Feedback'];
/** The checks of a period. */
export type UsageRecord = Schemas['UsageRecord'];
/** A scan as it stands. */
export type Scan = Schemas['Scan'];
/** One answer of a scan: a result or an error, with its line of the list and its reference. */
export type ScanEntry = Schemas['ScanEntry'];
/** What a webhook brings. */
export type WebhookEvent = Schemas['WebhookEvent'];
/** Every code that the service answers with today; later versions may know more. */
export type ServiceErrorCode = Schemas['Error']['error']['code'];
/** The days that usage is asked for. */
export type UsageQuery = NonNullable<paths['/v1/usage']['get']['parameters']['query']>;

type CheckQuery = NonNullable<paths['/v1/check']['post']['parameters']['query']>;

type ResultsQuery = NonNullable<paths['/v1/scans/{id}/results']['get']['parameters']['query']>;
/** By what a mark is recognised. */
export type MarkKind = Exclude<NonNullable<ResultsQuery['mark']>, string>[number];

/** Options of the checks of a scan. */
export interface ScanOptions {
  /** Operating point behind the verdict. */
  readonly profile?: NonNullable<CheckQuery['profile']>;
  /** Members of `details` to add. */
  readonly include?: readonly Exclude<NonNullable<CheckQuery['include']>, string>[number][];
}

/** Options of a check, as the service knows them. */
export interface CheckOptions extends ScanOptions {
  /** Keep the original file. */
  readonly store?: boolean;
  /** `ask`: have the services of image makers asked that are switched on for the account. */
  readonly provenance?: NonNullable<CheckQuery['provenance']>;
  /** For sandbox keys (`tt_test_...`) alone: the answer to give, such as `ai`, `genuine` or `image_too_small`; in a batch to all images. */
  readonly sandbox?: Exclude<NonNullable<CheckQuery['sandbox']>, string>[number];
}

export type { components, operations, paths };
