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

/** Folders that the sandbox links instead of copying: large and never changed. */
const LINKED = ['models', 'build', 'dist'];

/** Paths that no test of these modules reads. */
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

/** Returns the module, a pattern of files to change, and a name for a target of the command line. */
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

/** StrykerJS's packages are installed next to this file. */
function installStryker() {
  if (existsSync(join(here, 'node_modules', '@stryker-mutator'))) return;
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts'], { cwd: here, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

/** Joins all targets of a module into one run, because starting takes longer than the mutants of a small file. */
function joinTargets(targets) {
  return Object.keys(MODULES).flatMap((module) => {
    const joined = targets.filter((target) => target.module === module);
    const patterns = joined.map(({ pattern }) => pattern);
    // File names have at most 255 characters.
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
    // Leaves out message texts: few tests check them, so their mutants say little.
    mutator: { excludedMutations: ['StringLiteral'] },
    // Code that runs once at import would need a separate process for each mutant.
    ignoreStatic: true,
    testRunner: 'telltale-mocha',
    plugins: [join(here, 'mocha-runner.mjs')],
    testRunnerNodeArgs: ['--import', 'tsx'],
    // The same tests run on SQLite and on PostgreSQL. The tests on SQLite suffice and start no server.
    mocha: { files, grep: String.raw`/^(?!.*\(postgres\))/` },
    warnings: { unknownOptions: false },
    coverageAnalysis: 'perTest',
    incremental: true,
    incrementalFile: join(workFolder, `${name}.json`),
    concurrency: 1,
    // Added to 1.5 times the duration of the tests, so that a busy machine isn't mistaken for a mutant that hangs.
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
// Imports the file instead of the package, whose command line rejects Node 20 although it works.
const { Stryker } = await import('./node_modules/@stryker-mutator/core/dist/src/stryker.js');
for (const run of runs) await new Stryker(optionsFor(run, values.tests)).runMutationTest();
