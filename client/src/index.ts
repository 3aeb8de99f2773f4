// What programs import from 'telltale-client'.
export { TelltaleError, type ClientErrorCode, type ErrorCode } from './errors.js';
export type { Image } from './image.js';
export {
  Telltale,
  type CallOptions,
  type ChargedCallOptions,
  type Checked,
  type TelltaleOptions,
} from './telltale.js';
export type { Fetch } from './transport.js';
export type * from './types.js';
