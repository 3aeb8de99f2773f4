// Runs every test: GoogleTest for the native parts, mocha for the rest; closes with one line of counts.
// `--native-build FOLDER` takes the GoogleTest binary of another build, such as one with sanitizers, and runs it alone.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './setup/run.mjs';

const folder = mkdtempSync(join(tmpdir(), 'telltale-test-'));
const counts = { passed: 0, failed: 0, skipped: 0 };
const launch = (command, args) =>
  spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }).status;

/** Adds a runner's counts; a runner that left no report, or failed without naming a test, counts as one failure. */
function addCounts(status, reportFile, read) {
  let found = null;
  try {
    found = read(JSON.parse(readFileSync(reportFile, 'utf8')));
  } catch {
    // No readable report: the runner itself broke.
  }
  for (const name of Object.keys(counts)) counts[name] += found?.[name] ?? 0;
  if (!found || found.passed + found.failed === 0 || (status !== 0 && found.failed === 0)) counts.failed += 1;
}

function runNative(buildFolder) {
  const report = join(folder, 'native.json');
  const status = launch(join(root, buildFolder, 'telltale_tests'), [
    `--gtest_output=json:${report}`,
    '--gtest_brief=1',
  ]);
  addCounts(status, report, ({ testsuites, failures }) => {
    const tests = testsuites.flatMap((suite) => suite.testsuite);
    const skipped = tests.filter((test) => test.result === 'SKIPPED').length;
    return { passed: tests.length - failures - skipped, failed: failures, skipped };
  });
}

function runMocha(args) {
  const report = join(folder, 'mocha.json');
  const reporter = ['--reporter', 'scripts/mocha-reporter.cjs', '--reporter-option', `output=${report}`];
  const status = launch('npx', ['--no-install', 'mocha', ...reporter, ...args, 'test/**/*.test.ts']);
  addCounts(status, report, (stats) => ({
    passed: stats.passes,
    failed: stats.failures,
    skipped: stats.pending,
  }));
}

try {
  const at = process.argv.indexOf('--native-build');
  if (at >= 0) runNative(process.argv[at + 1]);
  else {
    runNative('build');
    runMocha(process.argv.slice(2));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exit(counts.failed === 0 ? 0 : 1);
