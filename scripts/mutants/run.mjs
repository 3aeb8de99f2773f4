// Mutation testing: makes small changes to the code and reports the changes that no test detects. Run by hand, not in
// CI.
// Usage: node scripts/mutants/run.mjs MODULE|FOLDER|FILE... such as src/record, src/library/check/verdict,
// src/accounts/keys.ts
// `--tests FOLDER|FILE`: runs only these tests, such as test/library/check/verdict, which start faster than the whole
// module's.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../setup/run.mjs';
import { MODULES } from './modules.mjs';

const here = import.meta.dirname;
const workFolder = join('.setup', 'mutants');

/** Folders to which the copy of the project only links, because they are large and never change. */
const LINKED = ['models', 'build', 'dist'];

/** Paths that are not copied, because no test of these modules reads them. */
const UNUSED = [
  '/.git',
  '/.setup',
  '/build-*',
  '/data',
  '/bench/.*',
  '/scripts/mutants',
  '/client-python',
  '/docs/console',
];

function fail(message) {
  console.error(message);
  process.exit(1);
}

/** Returns the module, a pattern of the files to change, and a name, for a target on the command line. */
function readTarget(argument) {
  const path = relative(root, resolve(argument));
  const module = Object.keys(MODULES).find((name) => path === name || path.startsWith(`${name}/`));
  if (module === undefined || !existsSync(join(root, path)))
    fail(`${argument} is not a module (${Object.keys(MODULES).join(', ')}) or a folder or file in one`);
  const pattern = statSync(join(root, path)).isDirectory() ? `${path}/**/*.ts` : path;
  return { module, pattern, name: path.replaceAll('/', '-') };
}

/** Returns the test files below a folder, or the file itself, as paths from the project's root. */
function findTests(path) {
  if (path.endsWith('.ts')) return [path];
  return readdirSync(join(root, path), { recursive: true })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join(path, file))
    .sort();
}

/** Installs StrykerJS next to this file if it is missing. */
function installStryker() {
  if (existsSync(join(here, 'node_modules', '@stryker-mutator'))) return;
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts'], { cwd: here, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

/** Combines all targets of a module into one run, because starting takes longer than testing a small file. */
function joinTargets(targets) {
  return Object.keys(MODULES).flatMap((module) => {
    const joined = targets.filter((target) => target.module === module);
    const patterns = joined.map(({ pattern }) => pattern);
    // Limits the length, because a file name has at most 255 characters.
    const name = joined
      .map((target) => target.name)
      .join('+')
      .slice(0, 200);
    return joined.length === 0 ? [] : [{ module, patterns, name }];
  });
}

function optionsFor({ module, patterns, name }, onlyTests) {
  const { tests, without } = MODULES[module];
  const files = (onlyTests ?? tests).flatMap(findTests).filter((file) => !without.includes(file));
  return {
    mutate: patterns,
    // Does not change message texts, because few tests check them.
    mutator: { excludedMutations: ['StringLiteral'] },
    // Skips code that runs only at import, because each change would need a separate process.
    ignoreStatic: true,
    testRunner: 'telltale-mocha',
    plugins: [join(here, 'mocha-runner.mjs')],
    testRunnerNodeArgs: ['--import', 'tsx'],
    // Runs only the tests on SQLite. The tests on PostgreSQL are the same and would start a server.
    mocha: { files, grep: String.raw`/^(?!.*\(postgres\))/` },
    warnings: { unknownOptions: false },
    coverageAnalysis: 'perTest',
    incremental: true,
    incrementalFile: join(workFolder, `${name}.json`),
    concurrency: 1,
    // Added to 1.5 times the duration of the tests, so that a busy machine is not mistaken for a mutant that
    // hangs.
    timeoutMS: 20_000,
    dryRunTimeoutMinutes: 30,
    reporters: ['progress-append-only', 'clear-text'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    allowConsoleColors: false,
    tempDirName: join(workFolder, 'sandbox'),
    ignorePatterns: [...LINKED.map((folder) => `/${folder}`), ...UNUSED],
    buildCommand: `ln -s ${LINKED.map((folder) => `../../../../${folder}`).join(' ')} .`,
  };
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { tests: { type: 'string', multiple: true } },
});
if (positionals.length === 0)
  fail('Usage: node scripts/mutants/run.mjs MODULE|FOLDER|FILE... [--tests FOLDER|FILE]...');
const runs = joinTargets(positionals.map(readTarget));
installStryker();
process.chdir(root);
mkdirSync(workFolder, { recursive: true });
// Imports a file instead of the package, whose command line rejects Node 20 although it works.
const { Stryker } = await import('./node_modules/@stryker-mutator/core/dist/src/stryker.js');
for (const run of runs) await new Stryker(optionsFor(run, values.tests)).runMutationTest();
