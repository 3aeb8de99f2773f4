// Which Node runs this: package.json says which is asked for, and nothing else does.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { announce, root } from './run.mjs';

/** Says so where Node is older than package.json's engines ask for, and goes on: npm with engine-strict would refuse it. */
export function checkNode(version = process.versions.node) {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const least = Number(/^>=(\d+)$/.exec(engines.node)[1]);
  if (Number.parseInt(version, 10) >= least) return;
  announce(
    `this is Node ${version}; Telltale is made for Node ${least} or newer, and is not promised to work with it`,
  );
}
