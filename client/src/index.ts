// Exports of the package 'telltale-client'.
export { TelltaleError, type ClientErrorCode, type ErrorCode } from './errors.js';
export type { CallOptions } from './call-options.js';
export type { Checks, ListChecksOptions } from './checks.js';
export { headlineOf } from './headline.js';
export type { Image } from './image.js';
export type { ScanInput, ScanItem } from './scan-list.js';
export type { CreateScanOptions, ResultsOptions, Scans, WaitOptions } from './scans.js';
export {
  Telltale,
  type BatchOptions,
  type ChargedCallOptions,
  type Checked,
  type CheckManyOptions,
  type SingleCheckOptions,
  type TelltaleOptions,
} from './telltale.js';
export type { Fetch } from './transport.js';
export type * from './types.js';
export { verifyWebhook, type VerifyOptions, type WebhookHeaders } from './webhook.js';
