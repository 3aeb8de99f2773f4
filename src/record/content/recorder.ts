// Creating signed records of checks, for the service and for commands.
import type { CheckFailure } from 'telltale-engine/internal/check/types.js';
import type { CheckReport } from 'telltale-engine/internal/check/report.js';
import type { InspectOptions } from 'telltale-engine/internal/engine/types.js';
import type { SignDecision } from '../../accounts/appeals/decide.js';
import type { PastCheck } from '../../accounts/history/checks.js';
import { composeCheck, composePast, composeRefusal, type Original, type OriginalFile } from './compose.js';
import { RecordFault } from '../faults.js';
import {
  type RecordKeys,
  type Signer,
  explainWrongPeriod,
  findKey,
  isUnchanged,
  signRecord,
  writeJson,
} from '../keys/keys.js';
import { drawPage } from '../page/page.js';
import { sealPage } from '../page/page-sections.js';
import { cleanText } from './clean.js';
import type { AppealInRecord, RecordContent, SignedRecord } from './schema.js';
import type { Provenance } from './provenance.js';

/** Creates signed records. All methods reject if the signing key is unavailable. */
export interface Recorder {
  readonly setting: Provenance;
  readonly keys: RecordKeys;
  check(report: CheckReport, original: Original): Promise<SignedRecord>;
  /** Creates the record of an appeal (an objection to a verdict) from a check of the original file. */
  appeal(report: CheckReport, original: Original, appeal: AppealInRecord): Promise<SignedRecord>;
  /** Adds the decision to the JSON of an appeal's record, and returns the newly signed JSON. */
  decision: SignDecision;
  refusal(failure: CheckFailure, original: Original): Promise<SignedRecord>;
  /** Records a check from the history. Rejects with engine errors that the image did not cause. */
  past(check: PastCheck, keptImage: OriginalFile | null, limits: InspectOptions): Promise<SignedRecord>;
  /** Returns the sealed HTML page of a record that this installation signed; else throws RecordFault. */
  page(signed: SignedRecord): Promise<string>;
}

/** Adds a decision to an appeal's record and signs it now. Throws RecordFault if the record has no appeal. */
export function signDecision(
  json: string,
  { outcome, remark }: Parameters<SignDecision>[1],
  signer: Signer,
): string {
  const { record } = JSON.parse(json) as SignedRecord;
  if (!record.appeal) throw new RecordFault('This is not the record of an appeal');
  const time = new Date().toISOString();
  const decision = { outcome, remark: cleanText(remark), time };
  return writeJson(signRecord({ ...record, time, appeal: { ...record.appeal, decision } }, signer));
}

/** Returns a recorder. `setting` describes how checks are made; `keys` sign the records. */
export function createRecorder(setting: Provenance, keys: RecordKeys): Recorder {
  const sign = async (content: RecordContent): Promise<SignedRecord> =>
    signRecord(content, await keys.signer());
  return {
    setting,
    keys,
    check: async (report, original) => sign(await composeCheck(setting, report, original)),
    appeal: async (report, original, appeal) =>
      sign({ ...(await composeCheck(setting, report, original)), appeal }),
    decision: async (record, decision) => signDecision(record, decision, await keys.signer()),
    refusal: async (failure, original) => sign(await composeRefusal(setting, failure, original)),
    past: async (check, keptImage, limits) => sign(await composePast(setting, check, keptImage, limits)),
    async page(signed) {
      const key = findKey(signed, await keys.publicKeys());
      if (
        key === null ||
        !isUnchanged(signed, key) ||
        explainWrongPeriod(key, signed.record, Date.now()) !== null
      )
        throw new RecordFault('this installation did not sign such a record');
      return sealPage(drawPage(signed), await keys.signer());
    },
  };
}
