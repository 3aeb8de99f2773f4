// Notes what processor time each file of tests takes; scripts/test.mjs has mocha load it and prints the most.
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Of `/proc`, a second. */
const TICKS = 100;

/** Seconds of this process and of the children that have ended, user and system. */
function readProcessorTime(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // The name of the program, in parentheses, may have spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS;
}

let noted = 0;
let file = '';

/** What was taken since the last note is this file's. */
function note(): void {
  const now = readProcessorTime();
  const { PROCESSOR_TIMES: path } = process.env;
  if (path !== undefined) appendFileSync(path, `${now - noted}\t${relative(process.cwd(), file)}\n`);
  noted = now;
}

export const mochaHooks = {
  /** Files that run in one process are told apart by their tests. */
  afterEach(this: Mocha.Context): void {
    file = this.currentTest?.file ?? '';
    note();
  },
  /** What a file's own hooks ended: browsers, services. */
  afterAll: note,
};
