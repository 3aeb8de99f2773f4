// Every format and lint check: clang-format, eslint, prettier, tsc. `--fix` mends what can be mended.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
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

let failed = 0;
for (const [tool, ...args] of checks) {
  const { status } = spawnSync('npx', ['--no-install', tool, ...args], { cwd: root, stdio: 'inherit' });
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${tool}`);
  if (status !== 0) failed += 1;
}
process.exit(failed === 0 ? 0 : 1);
