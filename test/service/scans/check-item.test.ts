// What is tried again of a scan's items, without a database and without an engine.
import assert from 'node:assert/strict';
import { CheckError } from '../../../src/base/errors.js';
import type { InspectOptions } from '../../../src/engine/types.js';
import type { Answer } from '../../../src/service/scans/answers.js';
import type { ItemRow } from '../../../src/service/scans/scan.js';
import { checkItem, type WorkDeps } from '../../../src/service/scans/work/check-item.js';
import { EnginePermits } from '../../../src/service/scans/work/engine-permits.js';
import { NO_TRACES } from '../../../src/service/traces/span.js';
import { AnswerWriter } from '../../../src/service/scans/work/answer-writer.js';
import { IMAGE, inspection } from '../../support/evidence.js';
import { createMemoryEngine } from '../../support/memory-engine.js';

const ITEM = { scan_id: 's', position: 1, line: 1, address: 's3://kept/1', ref: null, tries: 0 } as ItemRow;

/** What was answered, and how many inspections ended with each fault before that. */
async function answerAfter(
  faults: readonly CheckError[],
): Promise<{ answers: Answer[]; inspections: number; asked: (InspectOptions | undefined)[] }> {
  const answers: Answer[] = [];
  const asked: (InspectOptions | undefined)[] = [];
  let inspections = 0;
  const engine = createMemoryEngine(IMAGE, inspection(0.1));
  engine.inspect = (_bytes, options) => {
    asked.push(options);
    const fault = faults[inspections];
    inspections += 1;
    return fault ? Promise.reject(fault) : Promise.resolve(inspection(0.1));
  };
  const deps = {
    engine,
    calibration: { current: { bands: { version: '1', model: engine.model, profiles: {} } } },
    database: { run: () => Promise.resolve(1) },
    fetch: () => Promise.resolve(new Uint8Array([1])),
    places: new EnginePermits(2),
    recorder: new AnswerWriter((_scan, written) => {
      answers.push(...written);
      return Promise.resolve();
    }),
    deadlineMs: 1000,
    traces: NO_TRACES,
    lost: new AbortController().signal,
    onFault: () => undefined,
  } as unknown as WorkDeps;
  await checkItem(deps, { profile: 'balanced', include: [] }, ITEM, new AbortController().signal);
  return { answers, inspections, asked };
}

const late = new CheckError('deadline_exceeded', 'the check did not finish within 1000 ms');
const full = new CheckError('overloaded', 'the queue is full');

describe('an item of a scan', () => {
  it('lets callers of the same engine go first, each time', async () => {
    const { asked } = await answerAfter([late, late]);
    assert.deepEqual(
      asked.map((options) => options?.background),
      [true, true],
    );
  });

  it('whose time passed while it was checked alone is not tried again', async () => {
    const { answers, inspections } = await answerAfter([late, late, late]);
    assert.equal(inspections, 2);
    assert.deepEqual(
      answers.map(({ outcome }) => outcome),
      [{ kind: 'failed', code: 'deadline_exceeded' }],
    );
  });

  it('is tried three times where the engine was full', async () => {
    const { answers, inspections } = await answerAfter([full, full, full]);
    assert.equal(inspections, 3);
    assert.deepEqual(
      answers.map(({ outcome }) => outcome),
      [{ kind: 'failed', code: 'overloaded' }],
    );
  });
});
