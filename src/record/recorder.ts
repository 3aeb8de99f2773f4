// Makes signed records: one for a serving process or a command.
import type { CheckFailure, CheckReport } from '../check/types.js';
import type { ErrorCode } from '../errors.js';
import type { PastCheck } from '../history/checks.js';
import { composeCheck, composePast, composeRefusal, type Original } from './compose.js';
import { RecordFault } from './faults.js';
import type { RecordKeys } from './keys.js';
import { drawPage } from './page.js';
import { sealPage } from './page-seal.js';
import type { RecordContent, SignedRecord } from './schema.js';
import type { Setting } from './setting.js';
import { findKey, isUnchanged, signRecord } from './sign.js';

/** Makes records. All methods reject where the key can't be had. */
export interface Recorder {
  readonly setting: Setting;
  readonly keys: RecordKeys;
  check(report: CheckReport, original: Original): Promise<SignedRecord>;
  refusal(failure: CheckFailure, original: Original): Promise<SignedRecord>;
  past(check: PastCheck, kept: Original | null): Promise<SignedRecord>;
  /** The page of a record that this installation signed, sealed. Throws RecordFault for any other. */
  page(signed: SignedRecord): Promise<string>;
}

/** Refusals that are about the picture itself: what is recorded of it holds for everybody. */
const RECORDED_REFUSALS: readonly ErrorCode[] = [
  'image_too_large',
  'unsupported_format',
  'image_too_small',
  'image_too_many_pixels',
  'jpeg_quality_too_low',
  'image_corrupt',
];

/** Whether a refusal with this code is recorded. */
export function isRecorded(code: ErrorCode): boolean {
  return RECORDED_REFUSALS.includes(code);
}

/** A recorder of what `setting` describes, that signs with `keys`. */
export function createRecorder(setting: Setting, keys: RecordKeys): Recorder {
  const sign = async (content: RecordContent): Promise<SignedRecord> =>
    signRecord(content, await keys.signer());
  return {
    setting,
    keys,
    check: async (report, original) => sign(await composeCheck(setting, report, original)),
    refusal: async (failure, original) => sign(await composeRefusal(setting, failure, original)),
    past: async (check, kept) => sign(await composePast(setting, check, kept)),
    async page(signed) {
      const key = findKey(signed, await keys.publicKeys());
      if (key === null || !isUnchanged(signed, key))
        throw new RecordFault('this installation did not sign such a record');
      return sealPage(drawPage(signed), await keys.signer());
    },
  };
}
