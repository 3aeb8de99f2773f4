// Opens traces if they are set up. OpenTelemetry is loaded only then.
import type { Logger } from 'pino';
import type { TracesSetting } from 'telltale-engine/internal/base/settings.js';
import { readVersion } from 'telltale-engine/internal/base/package-paths.js';
import { NO_TRACES, type Traces } from './span.js';

/** Who makes traces; OTEL_SERVICE_NAME says another name. */
type TracedService = 'telltale' | 'telltale-worker';

/** Traces of this process; none, and nothing loaded, if `setting` is null. */
export async function openTraces(
  setting: TracesSetting | null,
  name: TracedService,
  log: Logger,
): Promise<Traces> {
  if (setting === null) return NO_TRACES;
  const { openSdk } = await import('./sdk.js');
  return openSdk(setting, { name, version: readVersion() }, log);
}
