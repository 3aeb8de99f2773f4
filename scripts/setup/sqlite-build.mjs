// better-sqlite3's addon: its npm package holds the source alone, and its own install script would download a binary.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { announce, fingerprint, isDone, markDone, root, run } from './run.mjs';

/** Builds where the package or Node changed since the last build; skipped where the package is not installed here. */
export async function buildSqlite() {
  const folder = join(root, 'node_modules/better-sqlite3');
  if (!existsSync(folder)) return;
  const digest = fingerprint(
    ['node_modules/better-sqlite3/package.json'],
    `${process.arch} ${process.versions.modules}`,
  );
  if (existsSync(join(folder, 'build/Release/better_sqlite3.node')) && isDone('sqlite', digest)) return;
  const step = announce('building SQLite (a minute or two)');
  // Node's headers lie beside most installations of Node; if they don't, node-gyp fetches them from nodejs.org.
  const prefix = dirname(dirname(process.execPath));
  const headers = existsSync(join(prefix, 'include/node/node.h')) ? { npm_config_nodedir: prefix } : {};
  await run(
    'npm',
    ['rebuild', 'better-sqlite3', '--build-from-source', '--ignore-scripts=false', '--loglevel=error'],
    {
      step,
      env: { ...headers, npm_config_build_from_source: 'true' },
    },
  );
  markDone('sqlite', digest);
}
