// Verifying a signed record of a check for an assistant.
import { readFile, stat } from 'node:fs/promises';
import { PACKAGE_MODELS_DIR, readVersion } from 'telltale-engine/internal/base/package-paths.js';
import { digestBytes } from 'telltale-engine/internal/base/bytes.js';
import { readProvenance } from '../../../record/content/provenance.js';
import { RecordFault } from '../../../record/faults.js';
import { loadKeySet } from '../../../record/keys/key-set.js';
import type { PublicKey } from '../../../record/keys/keys.js';
import { MAX_RECORD_BYTES, readRecord } from '../../../record/verify/read-record.js';
import type { Finding, Repeating } from '../../../record/verify/repeat.js';
import { verifyRecord } from '../../../record/verify/verify.js';
import type { Config, ServiceAccess } from '../../../config.js';
import type { RecordRequest } from '../../../service/mcp/server.js';
import { loadRecordKeys } from '../open-database.js';
import { withFileInside } from './boundaries.js';
import type { LazyChecker } from './image-checker.js';
import type { ImageSource } from './image-source.js';

/** Objects and settings that the verification uses. */
interface RecordHands {
  readonly config: Config;
  /** Service whose public keys are trusted; null to trust this installation's keys. */
  readonly access: ServiceAccess | null;
  readonly source: ImageSource;
  /** Checker that repeats the check if the recorded image is given, too. */
  readonly lazy: LazyChecker;
}

/**
 * Verifies a record and returns one line per finding. Trusts only keys that the person running the server
 * configured, never keys from the assistant, because a forger would supply both record and key. Rejects with
 * RecordFault, CheckError or StartError.
 */
export async function verifyRecordFile(
  { config, access, source, lazy }: RecordHands,
  { record, image, signal }: RecordRequest,
): Promise<readonly Finding[]> {
  const received = readRecord(await withFileInside(record, source.boundaries, readRecordFile));
  const bytes = image === undefined ? null : await source.read({ path: image }, signal);
  const original = bytes && { bytes, sha256: await digestBytes(bytes) };
  const repeating = async (): Promise<Repeating> => {
    const checker = await lazy.get();
    return {
      setting: await readProvenance(checker, config.modelsDir ?? PACKAGE_MODELS_DIR, readVersion()),
      check: (...input) => checker.check(...input),
    };
  };
  return verifyRecord(received, await keysThatCount(config, access), original, repeating);
}

async function keysThatCount(config: Config, access: ServiceAccess | null): Promise<readonly PublicKey[]> {
  if (access !== null) return loadKeySet(`${access.url}/.well-known/telltale-keys.json`);
  return (await loadRecordKeys(config)).publicKeys();
}

async function readRecordFile(path: string): Promise<Uint8Array> {
  const { size } = await stat(path);
  if (size > MAX_RECORD_BYTES)
    throw new RecordFault(`a record has at most ${MAX_RECORD_BYTES} bytes; this file has ${size}`);
  return readFile(path);
}
