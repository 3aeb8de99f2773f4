#!/usr/bin/env node
// Starts the command `telltale` if Node is new enough.
try {
  await import('telltale-engine/internal/base/node-version.js');
} catch (error) {
  process.stderr.write(`telltale: ${(error as Error).message}\n`);
  process.exit(1);
}
await import('./program.js');
export {};
