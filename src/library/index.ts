// Exports of the package 'telltale-engine': the checker, its parts, errors and types.
import './base/node-version.js';
export { createChecker, type Checker, type CheckerOptions } from './check/checker.js';
export type { Checked, ManyInput, ManyOptions } from './check/check-many.js';
export { checkImage, type CheckDeps } from './check/check.js';
export { loadBands } from './check/thresholds/bands.js';
export { presentCheck, type PresentOptions } from './check/present.js';
export type { Details, PresentedBand } from './check/details-schema.js';
export type { CheckResult } from './check/result-schema.js';
export { createEngine } from './engine/native/engine.js';
export { ERROR_STATUS, type ErrorCode } from './base/error-codes.js';
export { CheckError, StartError, type StartErrorCode } from './base/errors.js';
export { DETAIL_NAMES, MEDIUM_NAMES, PROFILE_NAMES } from './check/types.js';
export type { ManifestStep, RecordedAction, RecordedIngredient } from './check/credentials/steps.js';
export type * from './check/types.js';
export type * from './check/report.js';
export type { Reason } from './check/verdict/reasons.js';
export { DEVICE_NAMES } from './engine/types.js';
export type * from './engine/types.js';
