// Runs all format and lint checks: clang-format, ESLint, Prettier, tsc, the wording of comments,
// openapi.json, API.md and the chart. `--fix` corrects problems if possible.
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConfig, formatProblems, lintFromString } from '@redocly/openapi-core';
import { buildOpenApi } from '../dist/service/http/openapi/openapi.js';
import { describeLibrary } from './api-reference.mjs';
import { root } from './setup/run.mjs';

const fix = process.argv.includes('--fix');
const nativeFiles = ['native', 'bench/native'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .filter((name) => /\.(cc|h)$/.test(name))
    .map((name) => join(folder, name)),
);

const checks = [
  ['clang-format', ...(fix ? ['-i'] : ['--dry-run', '--Werror']), ...nativeFiles],
  ['eslint', '--max-warnings=0', ...(fix ? ['--fix'] : []), '.'],
  [
    'prettier',
    '--log-level=warn',
    fix ? '--write' : '--check',
    'src',
    'test',
    'examples',
    'samples',
    'deploy/image',
    'bench',
    'eval',
    'client',
    'scripts',
    'console',
    '*.js',
  ],
  ['tsc', '-p', 'tsconfig.json'],
  ['tsc', '-p', 'console/tsconfig.json'],
  ['tsc', '-p', 'client/tsconfig.json', '--noEmit'],
];

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Returns whether API.md matches the library's types and comments. */
function checkApiReference() {
  const path = join(root, 'src/library/API.md');
  const text = describeLibrary();
  if (fix) writeFileSync(path, text);
  return readFileSync(path, 'utf8') === text;
}

/** Returns whether openapi.json matches the service and follows Redocly's recommended rules. */
async function checkOpenApi() {
  const path = join(root, 'openapi.json');
  const source = `${JSON.stringify(buildOpenApi(version), null, 2)}\n`;
  if (fix) writeFileSync(path, source);
  const isCurrent = readFileSync(path, 'utf8') === source;
  if (!isCurrent) console.error('openapi.json differs from the service; `npm run lint -- --fix` updates it');
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, absoluteRef: path, config });
  formatProblems(problems, { totals: { errors: problems.length, warnings: 0, ignored: 0 }, version });
  return isCurrent && problems.length === 0;
}

let failed = 0;
const report = (name, isOk) => {
  console.log(`${isOk ? 'ok    ' : 'FAILED'} ${name}`);
  if (!isOk) failed += 1;
};
for (const [tool, ...args] of checks) {
  const { status } = spawnSync('npx', ['--no-install', tool, ...args], { cwd: root, stdio: 'inherit' });
  report(tool, status === 0);
}
report(
  'wording',
  spawnSync('node', ['scripts/wording.mjs', '--check'], { cwd: root, stdio: 'inherit' }).status === 0,
);
report('openapi.json', await checkOpenApi());
report('src/library/API.md', checkApiReference());
if (spawnSync('helm', ['version']).status === 0) {
  const args = ['deploy/render-manifests.sh', ...(fix ? [] : ['--check'])];
  report('helm', spawnSync('bash', args, { cwd: root, stdio: 'inherit' }).status === 0);
} else console.log('skipped helm: it is not installed');
process.exit(failed === 0 ? 0 : 1);
