// Loaded before telltale: when it ends, the last line of standard error tells which packages of OpenTelemetry it had loaded.
import { createRequire } from 'node:module';
import { writeSync } from 'node:fs';

process.on('exit', () => {
  const files = Object.keys(createRequire(import.meta.url).cache);
  // The API alone does nothing: another package asks for it, in case that a program has an SDK.
  const names = files.flatMap(
    (file) => /node_modules\/(@opentelemetry\/(?!api\/)[^/]+)/.exec(file)?.[1] ?? [],
  );
  writeSync(2, `loaded: ${[...new Set(names)].join()}\n`);
});
