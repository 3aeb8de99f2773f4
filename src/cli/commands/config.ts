// `telltale config`: printing all settings as the service uses them, without secrets.
import { parseArgs } from 'node:util';
import type { SettingReader } from 'telltale-engine/internal/base/setting-reader.js';
import { loadSettings, type Config } from '../../config.js';
import { print, tableLines, UsageError, type Command } from './command.js';

const HELP = `Usage: telltale config show [--json]

Prints every setting with its value and source: the environment or the default.
Passwords and secrets are hidden. If settings are not valid, prints all errors
and exits with 1.

  --json   print value and source of each setting as JSON

Exit status: 0 the settings are valid, 1 they are not, 2 wrong usage.`;

type Value = string | number | null;

/** Functions that return the value of each setting to print, or null. */
const VALUES: Readonly<Record<string, (config: Config) => Value>> = {
  HOST: ({ host }) => host,
  PORT: ({ port }) => port,
  DATA_DIR: ({ dataDir }) => dataDir,
  DATABASE_URL: ({ database }) =>
    database.kind === 'sqlite' ? `sqlite:${database.path}` : withoutSecrets(database.url),
  STORE_URL: ({ store }) => (store.kind === 'folder' ? store.path : `s3://${store.bucket}/${store.prefix}`),
  STORE_DAYS: ({ storeDays }) => storeDays,
  TRUST_DIR: ({ trustDir }) => trustDir,
  OPENAI_KEY: ({ makers }) => makers.openAi && HIDDEN,
  AZURE_SAFETY_URL: ({ makers }) => makers.azure && makers.azure.url,
  AZURE_SAFETY_KEY: ({ makers }) => makers.azure && HIDDEN,
  RECORD_KEY: ({ recordKeyFile }) => recordKeyFile,
  MODELS_DIR: ({ modelsDir }) => modelsDir,
  BANDS: ({ bandsFile }) => bandsFile,
  VIEWS: ({ views }) => views,
  DEVICE: ({ device }) => device,
  THREADS: ({ threads }) => threads,
  MEMORY_MB: ({ memoryMb }) => memoryMb,
  WORKERS: ({ workers }) => workers,
  EP_LIBRARY: ({ epLibrary }) => epLibrary,
  CUDA_GRAPHS: ({ cudaGraphs }) => Number(cudaGraphs),
  PROFILE: ({ profile }) => profile,
  QUEUE: ({ queueLimit }) => queueLimit,
  DEADLINE_MS: ({ deadlineMs }) => deadlineMs,
  PLANS_FILE: ({ plansFile }) => plansFile,
  HISTORY_DAYS: ({ historyDays }) => historyDays,
  HISTORY_NAMES: ({ historyNames }) => Number(historyNames),
  SCAN_DAYS: ({ scanDays }) => scanDays,
  AUDIT_DAYS: ({ auditDays }) => auditDays,
  PUBLIC_URL: ({ publicUrl }) => publicUrl,
  PROXIES: ({ proxies }) => proxies,
  OIDC_ISSUER: ({ openId }) => openId?.issuer ?? null,
  OIDC_CLIENT_ID: ({ openId }) => openId?.clientId ?? null,
  OIDC_CLIENT_SECRET: ({ openId }) => openId && HIDDEN,
  FETCH_ALLOW: ({ fetchAllow }) => listOrNull(fetchAllow),
  FETCH_PROXY: ({ fetchProxy }) => fetchProxy && withoutSecrets(fetchProxy),
  KNOWN_DECIDES: ({ knownDecides }) => Number(knownDecides),
  REMOTE_MANIFESTS: ({ remoteManifests }) => Number(remoteManifests),
  SECURITY_CONTACT: ({ securityContacts }) => listOrNull(securityContacts),
  LOG: ({ logLevel }) => logLevel,
};

const PREFIX = 'TELLTALE_';
const HIDDEN = '***';

interface Shown {
  readonly value: Value;
  readonly source: 'environment' | 'default';
}

export const configCommand: Command = {
  help: HELP,
  async run(args, terminal) {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { json: { type: 'boolean', default: false } },
    });
    if (positionals.join(' ') !== 'show') throw new UsageError("Expected 'show'");
    const { config, settings } = loadSettings();
    const shown = Object.fromEntries(showSettings(config, settings));
    const rows = Object.entries(shown).map(([name, { value, source }]) => [
      name,
      source,
      value === null ? 'none' : String(value),
    ]);
    return print(terminal, values.json, shown, tableLines(['setting', 'source', 'value'], rows));
  },
};

function showSettings(config: Config, settings: SettingReader): [name: string, shown: Shown][] {
  const rows = settings.names.map((name): [string, Shown] => {
    const value = VALUES[name.slice(PREFIX.length)]?.(config);
    return [name, { value: value === undefined ? HIDDEN : value, source: sourceOf(settings.isSet(name)) }];
  });
  const { traces } = config;
  const value = traces && withoutSecrets(traces.url);
  return [...rows, ['OTEL_EXPORTER_OTLP_ENDPOINT', { value, source: sourceOf(traces !== null) }]];
}

function sourceOf(isSet: boolean): Shown['source'] {
  return isSet ? 'environment' : 'default';
}

function listOrNull(values: readonly string[]): string | null {
  return values.length === 0 ? null : values.join(',');
}

/** Returns an address without its password, which may be before the host or in the query. */
function withoutSecrets(address: string): string {
  const url = new URL(address);
  if (url.password !== '') url.password = HIDDEN;
  for (const name of url.searchParams.keys())
    if (/password|secret|token|key/i.test(name)) url.searchParams.set(name, HIDDEN);
  return url.href;
}
