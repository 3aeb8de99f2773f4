// The shapes of the service, by the names that programs use; all of them come from its OpenAPI document.
import type { components, operations, paths } from './openapi.js';

type Schemas = components['schemas'];

/** The answer to a check. */
export type CheckResult = Schemas['CheckResult'];
/** The answer to a batch: one entry for each picture, in the order of submission. */
export type BatchResult = Schemas['BatchResult'];
/** The checks of a period. */
export type UsageRecord = Schemas['UsageRecord'];
/** Every code that the service answers with today; later versions may know more. */
export type ServiceErrorCode = Schemas['Error']['error']['code'];
/** The days that usage is asked for. */
export type UsageQuery = NonNullable<paths['/v1/usage']['get']['parameters']['query']>;

type CheckQuery = NonNullable<paths['/v1/check']['post']['parameters']['query']>;

/** Options of a check, as the service knows them. */
export interface CheckOptions {
  /** Keep the original file. */
  readonly store?: boolean;
  /** Operating point behind the verdict. */
  readonly profile?: NonNullable<CheckQuery['profile']>;
  /** Members of `details` to add. */
  readonly include?: readonly Exclude<NonNullable<CheckQuery['include']>, string>[number][];
}

export type { components, operations, paths };
