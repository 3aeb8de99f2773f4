// Makes records for tests with the real engine and signs them with the tests' own keys.
import { createChecker, type Checker } from '../../src/library/check/checker.js';
import { composeCheck, PREVIEW_PX, type Original } from '../../src/record/content/compose.js';
import { generateSigner, type RecordKeys, type Signer } from '../../src/record/keys/keys.js';
import { createRecorder, type Recorder } from '../../src/record/content/recorder.js';
import type { RecordContent } from '../../src/record/content/schema.js';
import { readProvenance } from '../../src/record/content/provenance.js';
import { digestBytes } from '../../src/library/base/bytes.js';
import { modelsDir } from './test-models.js';

/** Checker, keys and functions for tests of records. */
export interface RecordBench {
  readonly checker: Checker;
  readonly recorder: Recorder;
  /** Returns the content of the record of an image. */
  compose(bytes: Uint8Array): Promise<RecordContent>;
  original(bytes: Uint8Array): Promise<Original>;
  close(): Promise<void>;
}

/** Returns keys in memory, of which `signer` signs. */
export function keysOf(signer: Signer): RecordKeys {
  return {
    signer: () => Promise.resolve(signer),
    publicKeys: () => Promise.resolve([signer.publicKey]),
    rotate: () => Promise.reject(new Error('not a part of this test')),
    revoke: () => Promise.reject(new Error('not a part of this test')),
  };
}

export async function openRecordBench(): Promise<RecordBench> {
  const checker = await createChecker({ modelsDir, device: 'cpu', threads: 2 });
  const setting = await readProvenance(checker, modelsDir, '0.0.0');
  const original = async (bytes: Uint8Array): Promise<Original> => ({
    bytes,
    sha256: await digestBytes(bytes),
    requestId: 'req_test',
  });
  return {
    checker,
    recorder: createRecorder(setting, keysOf(generateSigner())),
    original,
    compose: async (bytes) =>
      composeCheck(
        setting,
        await checker.check(bytes, { previewPx: PREVIEW_PX, heatMap: true }),
        await original(bytes),
      ),
    close: () => checker.close(),
  };
}
