// Makes invented benchmark results for tests.
import type { Results } from '../../bench/report/earlier-results.js';
import type { Machine } from '../../bench/machine/machine.js';
import type { Group } from '../../bench/options.js';
import type { Row } from '../../bench/trials/runner.js';

/** Machine without other running programs. */
export const machine: Machine = {
  date: '2026-01-02T03:04:05.678Z',
  commit: '0123456789ab',
  processor: 'Example',
  cores: 2,
  memoryGb: 8,
  system: 'Example, Linux 1',
  loadBefore: [0, 0, 0],
  versions: {},
  models: {},
};

/** Returns the result of a measurement of one second, with the given changes. */
export function row(group: Group, name: string, rest: Partial<Row> = {}): Row {
  return {
    group,
    name,
    kind: 'engine-closed',
    settings: {},
    result: {},
    skipped: null,
    failure: null,
    repeats: 0,
    seconds: 1,
    load: null,
    ...rest,
  };
}

/** Returns the results of a complete run, with the given changes. */
export function results(rest: Partial<Results> = {}): Results {
  const conditions = { isQuick: false, files: null, device: 'cpu', preloaded: [] };
  return { command: 'npm run bench', machine, conditions, goals: [], rows: [], ...rest };
}
