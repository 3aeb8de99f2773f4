// Measures the processor time of each test file. scripts/test.mjs loads this into mocha and prints the
// largest values.
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Clock ticks per second that Linux uses in `/proc`. */
const TICKS = 100;

/** Returns the user and system seconds of this process and of its finished children. */
function readProcessorTime(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // The program name, in parentheses, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS;
}

let noted = 0;
let file = '';

/** Adds the time since the last call to the current file. */
function note(): void {
  const now = readProcessorTime();
  const { PROCESSOR_TIMES: path } = process.env;
  if (path !== undefined) appendFileSync(path, `${now - noted}\t${relative(process.cwd(), file)}\n`);
  noted = now;
}

export const mochaHooks = {
  /** One process runs several files, so the current test tells which file runs. */
  afterEach(this: Mocha.Context): void {
    file = this.currentTest?.file ?? '';
    note();
  },
  /** Also includes the time of browsers and services that the file has ended. */
  afterAll: note,
};
