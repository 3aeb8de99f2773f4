#!/usr/bin/env node
// The command `telltale`: the program, once Node is known to be new enough to load it.
try {
  await import('telltale-engine/internal/base/node-version.js');
} catch (error) {
  process.stderr.write(`telltale: ${(error as Error).message}\n`);
  process.exit(1);
}
await import('./program.js');
export {};
