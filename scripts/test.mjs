// Runs every test: GoogleTest for the native parts and, at the same time, mocha for the rest. Prints the slowest
// files, one line of counts, the reasons for skipped tests, and the failures at the end.
// `--whole` then also runs the *.whole.ts files alone: tests of whole programs, and tests that replace parts of the
// build. `--native-build FOLDER` runs only the GoogleTest binary of another build, such as a build with sanitizers.
// Other options are passed to mocha.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from './setup/run.mjs';

/**
 * Number of test files that run concurrently; the tests of one file run one after the other. Chosen: one more
 * than cores, because some files wait for deadlines, leases and browsers.
 */
const JOBS = Math.min(4, availableParallelism() + 1);

/**
 * Starts the files of the service first, because they take longest. Otherwise cores would be idle while the
 * last long file runs.
 */
const FILES = ['test/service/**/*.test.ts', 'test/!(service)/**/*.test.ts', 'test/*.test.ts'];

const folder = mkdtempSync(join(tmpdir(), 'telltale-test-'));
const counts = { passed: 0, failed: 0, skipped: 0 };
const tests = [];
const failed = [];
/** Files of skipped tests. A file occurs once for each of its skipped tests. */
const skipped = [];
const processorTimes = join(folder, 'processor-times');
const SLOWEST = 10;

/** Maximum number of characters of a failure's message in the summary. The full message is printed above. */
const MESSAGE_CHARACTERS = 600;

/**
 * Adds the counts of a runner: GoogleTest or mocha. A runner without a report, or one that failed without
 * naming a test, counts as one failure.
 */
function addCounts(status, reportFile, read) {
  let found = null;
  try {
    found = read(JSON.parse(readFileSync(reportFile, 'utf8')));
  } catch {
    // If the report is missing or unreadable, the runner itself failed.
  }
  for (const name of Object.keys(counts)) counts[name] += found?.[name] ?? 0;
  if (!found || found.passed + found.failed === 0 || (status !== 0 && found.failed === 0)) counts.failed += 1;
}

/** Runs GoogleTest. Prints its output in one piece, because mocha prints at the same time. */
async function runNative(buildFolder) {
  const report = join(folder, 'native.json');
  const child = spawn(
    join(root, buildFolder, 'telltale_tests'),
    [`--gtest_output=json:${report}`, '--gtest_brief=1'],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const [out, err, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  process.stdout.write(`${err}${out}\n`);
  addCounts(status, report, ({ testsuites, failures }) => {
    const tests = testsuites.flatMap((suite) => suite.testsuite);
    for (const test of tests.filter((test) => test.failures))
      failed.push({
        title: `${test.classname}.${test.name}`,
        file: test.file,
        message: test.failures[0].failure,
      });
    const skipped = tests.filter((test) => test.result === 'SKIPPED').length;
    return { passed: tests.length - failures - skipped, failed: failures, skipped };
  });
}

async function runMocha(files, args) {
  const report = join(folder, 'mocha.json');
  const options = ['whole-run', 'processor-time'].flatMap((name) => [
    '--require',
    `./test/support/${name}.ts`,
  ]);
  options.push('--reporter', 'scripts/mocha-reporter.cjs', '--reporter-option', `output=${report}`);
  const child = spawn('npx', ['--no-install', 'mocha', ...options, ...args, ...files], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, PROCESSOR_TIMES: processorTimes },
  });
  const [status] = await once(child, 'close');
  addCounts(status, report, (stats) => {
    tests.push(...stats.tests);
    failed.push(...stats.failed);
    skipped.push(...stats.skipped);
    return { passed: stats.passes, failed: stats.failures, skipped: stats.pending };
  });
  rmSync(report, { force: true });
}

/** Returns the processor time of each test file in seconds. */
function readProcessorTimes() {
  if (!existsSync(processorTimes)) return [];
  const lines = readFileSync(processorTimes, 'utf8').trim().split('\n');
  return lines.map((line) => line.split('\t')).map(([seconds, file]) => ({ seconds: Number(seconds), file }));
}

/** Prints the sum of `times` and the files with the longest times. */
function printMost(title, times) {
  if (times.length === 0) return;
  const byFile = new Map();
  for (const { seconds, file } of times) byFile.set(file, (byFile.get(file) ?? 0) + seconds);
  const all = times.reduce((sum, { seconds }) => sum + seconds, 0);
  console.log(`${title} (of ${all.toFixed(0)} s):`);
  const most = [...byFile].sort(([, a], [, b]) => b - a).slice(0, SLOWEST);
  for (const [file, seconds] of most) console.log(`  ${seconds.toFixed(1)} s  ${file}`);
}

/** Reasons for skipped tests, by file. All other skipped tests need PostgreSQL. */
const NEEDS = {
  'test/deploy/chart.test.ts': 'Helm is not installed',
  'test/library/check/credentials/samples.test.ts':
    'the public C2PA sample files are missing (formats.test.ts signs images of the same kinds)',
};

/** Prints the number of skipped tests of each file and the reason. */
function printSkipped() {
  for (const file of new Set(skipped)) {
    const count = skipped.filter((other) => other === file).length;
    console.log(`SKIPPED ${count} in ${file}: ${NEEDS[file] ?? 'PostgreSQL is not installed'}`);
  }
}

let taken = [];
try {
  const args = process.argv.slice(2);
  const forMocha = args.filter((arg) => arg !== '--whole');
  const at = args.indexOf('--native-build');
  if (at >= 0) await runNative(args[at + 1]);
  else {
    await Promise.all([
      runNative('build'),
      runMocha(FILES, ['--parallel', '--jobs', String(JOBS), ...forMocha]),
    ]);
    if (args.includes('--whole')) await runMocha(['test/**/*.whole.ts'], forMocha);
  }
  taken = readProcessorTimes();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
printMost('slowest files', tests);
printMost('processor time', taken);
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
printSkipped();
for (const { title, file, message } of failed)
  console.log(`FAILED ${title} (${file}): ${message.replace(/\s+/g, ' ').slice(0, MESSAGE_CHARACTERS)}`);
process.exit(counts.failed === 0 ? 0 : 1);
