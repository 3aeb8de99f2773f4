// Opens tracing if it is configured. OpenTelemetry is loaded only then.
import type { Logger } from 'pino';
import type { TracesSetting } from 'telltale-engine/internal/base/settings.js';
import { readVersion } from 'telltale-engine/internal/base/package-paths.js';
import { NO_TRACES, type Traces } from './span.js';

/** Default service name in traces. OTEL_SERVICE_NAME overrides it. */
type TracedService = 'telltale' | 'telltale-worker';

/** Opens the traces of this process. Loads nothing if `setting` is null. */
export async function openTraces(
  setting: TracesSetting | null,
  name: TracedService,
  log: Logger,
): Promise<Traces> {
  if (setting === null) return NO_TRACES;
  const { openSdk } = await import('./sdk.js');
  return openSdk(setting, { name, version: readVersion() }, log);
}
