// Loaded before telltale in tests. When the program exits, it prints the OpenTelemetry packages that were
// loaded as the last line of standard error.
import { createRequire } from 'node:module';
import { writeSync } from 'node:fs';

process.on('exit', () => {
  const files = Object.keys(createRequire(import.meta.url).cache);
  // The API package has no effect without an SDK, and the service always loads it.
  const names = files.flatMap(
    (file) => /node_modules\/(@opentelemetry\/(?!api\/)[^/]+)/.exec(file)?.[1] ?? [],
  );
  writeSync(2, `loaded: ${[...new Set(names)].join()}\n`);
});
