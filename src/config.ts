// Settings: TELLTALE_* and some OTEL_* variables of the environment -> a frozen Config, or every fault at once. The only reader of process.env.
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import type { CheckerOptions } from 'telltale-engine/internal/check/checker.js';
import { PROFILE_NAMES, type ProfileName } from 'telltale-engine/internal/check/types.js';
import { DEVICE_NAMES, MOST_CROPS, type Device } from 'telltale-engine/internal/engine/types.js';
import {
  LEAST_MEMORY_MB,
  MOST_MEMORY_MB,
  defaultMemoryMb,
} from 'telltale-engine/internal/engine/native/memory.js';
import { StartError } from 'telltale-engine/internal/base/errors.js';
import {
  parseIssuer,
  parseOrigin,
  parseAllowed,
  parseContacts,
  parseProxy,
  parseStore,
  readTracesSetting,
  type TracesSetting,
} from 'telltale-engine/internal/base/settings.js';
import { readMakers, type MakerSettings } from 'telltale-engine/internal/base/maker-settings.js';
import { PACKAGE_TRUST_DIR } from 'telltale-engine/internal/base/package-paths.js';
import { SettingReader, type Environment } from 'telltale-engine/internal/base/setting-reader.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Where the tables are. */
export type DatabaseSetting =
  | { readonly kind: 'sqlite'; /** Absolute path of the file. */ readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** Where pictures that callers ask to keep are. */
export type StoreSetting =
  | { readonly kind: 'folder'; /** Absolute path. */ readonly path: string }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      /** Without slashes at its ends; may be empty. */ readonly prefix: string;
    };

/** The provider that people of an organisation sign in at. */
export type OpenIdSetting = Readonly<Record<'issuer' | 'clientId' | 'clientSecret', string>>;

/** Everything that can be set from outside. Paths are absolute. */
export interface Config {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly dataDir: string;
  readonly database: DatabaseSetting;
  readonly store: StoreSetting;
  /** Days that a kept picture stays, counted from the last request that asked to keep it. */
  readonly storeDays: number;
  /** Folder with the PEM files of the trust lists; `telltale trust update` writes there. */
  readonly trustDir: string;
  /** Folder of the package's lists, whose newer ones count too; null if TELLTALE_TRUST_DIR is set. */
  readonly shippedTrustDir: string | null;
  /** File with the key that signs records; null: it is in the database, or in the data folder if there is none. */
  readonly recordKeyFile: string | null;
  /** Null: the package's own. */
  readonly modelsDir: string | null;
  /** Thresholds; null: those of the models folder. */
  readonly bandsFile: string | null;
  /** Views of a picture; null: the default of the models. */
  readonly views: number | null;
  readonly device: Device;
  /** Library whose provider runs TensorRT; null: the one built in. */
  readonly epLibrary: string | null;
  /** Whether CUDA replays captured graphs. */
  readonly cudaGraphs: boolean;
  /** Budget that all pools share. */
  readonly threads: number;
  /** MB that all decodes at once may take. */
  readonly memoryMb: number;
  /** Processes of the service. */
  readonly workers: number;
  /** Profile if a caller names none. */
  readonly profile: ProfileName;
  /** Requests that may wait for a slot. */
  readonly queueLimit: number;
  /** Milliseconds for one check, a fetch included. */
  readonly deadlineMs: number;
  /** Null: the package's own. */
  readonly plansFile: string | null;
  /** Days that a check stays in the history; 0 keeps none. */
  readonly historyDays: number;
  /** Whether the history keeps the names of files and addresses. */
  readonly historyNames: boolean;
  /** Whether a known fake makes a verdict AI by itself. */
  readonly knownDecides: boolean;
  /** Days that an ended scan and its results can be read. */
  readonly scanDays: number;
  /** Days that an entry of the audit log stays. */
  readonly auditDays: number;
  /** Address of the service as people reach it, without a slash at its end; null: that of the request. */
  readonly publicUrl: string | null;
  /** Reverse proxies in front. Each adds to X-Forwarded-For the address that asked it. */
  readonly proxies: number;
  /** OpenID Connect for the console; null: none. With it `publicUrl` is set. */
  readonly openId: OpenIdSetting | null;
  /** What may be fetched from, and webhooks sent to, beyond public addresses: hosts, `.suffixes` and networks. */
  readonly fetchAllow: readonly string[];
  /** Proxy that fetches and webhooks go through; null: none. */
  readonly fetchProxy: string | null;
  /** Whether Content Credentials that a picture only points to are fetched. */
  readonly remoteManifests: boolean;
  /** Services of image makers that can be asked. */
  readonly makers: MakerSettings;
  /** Where vulnerabilities are reported, for security.txt; empty: nothing is published. */
  readonly securityContacts: readonly string[];
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Where traces are sent, by OTEL_*; null: none are made. */
  readonly traces: TracesSetting | null;
}

/**
 * Reads all settings. An empty value counts as not set. Throws StartError `config_invalid` that lists every fault:
 * values out of range and TELLTALE_* names that mean nothing, which are mistyped more often than meant.
 */
export function loadConfig(environment: Environment = process.env): Config {
  return loadSettings(environment).config;
}

/** Settings, and which of them the environment sets. */
interface LoadedSettings {
  readonly config: Config;
  readonly settings: SettingReader;
}

/** The same, with which of them the environment sets. */
export function loadSettings(environment: Environment = process.env): LoadedSettings {
  const settings = new SettingReader(environment);
  const dataDir = resolve(settings.text('DATA_DIR') ?? 'data');
  const trustDir = settings.path('TRUST_DIR');
  const publicUrl = settings.parsed('PUBLIC_URL', parseOrigin, 'http(s)://HOST without a path');
  const workers = settings.integer('WORKERS', 1, 256) ?? 1;
  const config: Config = {
    host: settings.text('HOST') ?? '127.0.0.1',
    port: settings.integer('PORT', 0, 65_535) ?? 8080,
    dataDir,
    database: settings.parsed('DATABASE_URL', parseDatabase, 'postgres://... or sqlite:PATH') ?? {
      kind: 'sqlite',
      path: join(dataDir, 'telltale.sqlite'),
    },
    store: settings.parsed('STORE_URL', parseStore, 's3://BUCKET/PREFIX or the path of a folder') ?? {
      kind: 'folder',
      path: join(dataDir, 'images'),
    },
    storeDays: settings.integer('STORE_DAYS', 1, 36_500) ?? 30,
    trustDir: trustDir ?? join(dataDir, 'trust'),
    shippedTrustDir: trustDir === null ? PACKAGE_TRUST_DIR : null,
    recordKeyFile: settings.path('RECORD_KEY'),
    modelsDir: settings.path('MODELS_DIR'),
    bandsFile: settings.path('BANDS'),
    views: settings.integer('VIEWS', 1, MOST_CROPS),
    device: settings.oneOf('DEVICE', DEVICE_NAMES) ?? 'auto',
    epLibrary: settings.path('EP_LIBRARY'),
    cudaGraphs: settings.integer('CUDA_GRAPHS', 0, 1) === 1,
    threads: settings.integer('THREADS', 1, 1024) ?? availableParallelism(),
    memoryMb: settings.integer('MEMORY_MB', LEAST_MEMORY_MB, MOST_MEMORY_MB) ?? defaultMemoryMb(workers),
    workers,
    profile: settings.oneOf('PROFILE', PROFILE_NAMES) ?? 'balanced',
    queueLimit: settings.integer('QUEUE', 0, 100_000) ?? 64,
    deadlineMs: settings.integer('DEADLINE_MS', 1, 3_600_000) ?? 30_000,
    plansFile: settings.path('PLANS_FILE'),
    historyDays: settings.integer('HISTORY_DAYS', 0, 36_500) ?? 30,
    historyNames: settings.oneOf('HISTORY_NAMES', ['0', '1']) !== '0',
    knownDecides: settings.integer('KNOWN_DECIDES', 0, 1) === 1,
    scanDays: settings.integer('SCAN_DAYS', 1, 36_500) ?? 30,
    auditDays: settings.integer('AUDIT_DAYS', 1, 36_500) ?? 365,
    publicUrl,
    proxies: settings.integer('PROXIES', 0, 10) ?? (publicUrl === null ? 0 : 1),
    openId: readOpenId(settings, publicUrl),
    fetchAllow:
      settings.parsed('FETCH_ALLOW', parseAllowed, 'hosts, .suffixes and networks, with commas') ?? [],
    fetchProxy: settings.parsed('FETCH_PROXY', parseProxy, 'http(s)://HOST:PORT without a path'),
    remoteManifests: settings.integer('REMOTE_MANIFESTS', 0, 1) === 1,
    makers: readMakers(settings),
    securityContacts:
      settings.parsed('SECURITY_CONTACT', parseContacts, 'mailto:, https: or tel: addresses, with commas,') ??
      [],
    logLevel: settings.oneOf('LOG', LOG_LEVELS) ?? 'info',
    traces: readTracesSetting(environment, (fault) => settings.refuse(fault)),
  };
  const faults = settings.finish();
  if (faults.length > 0)
    throw new StartError('config_invalid', `the settings are not valid:\n  ${faults.join('\n  ')}`);
  return { config: Object.freeze(config), settings };
}

/** What was set of the engine, the thresholds and the trust lists, as options of a checker. */
export function checkerSettings(
  config: Config,
): Pick<Config, 'threads' | 'memoryMb' | 'trustDir' | 'shippedTrustDir' | 'cudaGraphs'> &
  Pick<CheckerOptions, 'modelsDir' | 'bandsFile' | 'views' | 'epLibrary'> {
  const { modelsDir, bandsFile, views, epLibrary, cudaGraphs } = config;
  const { threads, memoryMb, trustDir, shippedTrustDir } = config;
  return {
    ...(modelsDir !== null && { modelsDir }),
    ...(bandsFile !== null && { bandsFile }),
    ...(views !== null && { views }),
    ...(epLibrary !== null && { epLibrary }),
    ...{ cudaGraphs, threads, memoryMb, trustDir, shippedTrustDir },
  };
}

/** A running service, as its clients know it. */
export interface ServiceAccess {
  /** Without a slash at its end. */
  readonly url: string;
  readonly key: string;
}

/**
 * The service of TELLTALE_URL and TELLTALE_KEY, which clients go by; null if no address is set. Throws StartError
 * `config_invalid`.
 */
export function loadServiceAccess(environment: Environment = process.env): ServiceAccess | null {
  const { TELLTALE_URL: url, TELLTALE_KEY: key } = environment;
  if (!url) return null;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new StartError(
      'config_invalid',
      `Expected an http or https address for TELLTALE_URL but received '${url}'`,
    );
  if (!key)
    throw new StartError(
      'config_invalid',
      'TELLTALE_URL names a service: TELLTALE_KEY has to hold a key for it',
    );
  return { url: url.replace(/\/+$/, ''), key };
}

function parseDatabase(text: string): DatabaseSetting | null {
  if (text.startsWith('sqlite:')) {
    const path = text.slice('sqlite:'.length);
    return path === '' ? null : { kind: 'sqlite', path: resolve(path) };
  }
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text) ? { kind: 'postgres', url: text } : null;
}

/** All three settings or none, and where people come back to. */
function readOpenId(settings: SettingReader, publicUrl: string | null): OpenIdSetting | null {
  const issuer = settings.parsed('OIDC_ISSUER', parseIssuer, 'https://HOST/PATH (http on this machine only)');
  const clientId = settings.text('OIDC_CLIENT_ID');
  const clientSecret = settings.text('OIDC_CLIENT_SECRET');
  const given = [settings.text('OIDC_ISSUER'), clientId, clientSecret].filter((text) => text !== null);
  if (given.length === 0) return null;
  if (given.length < 3)
    settings.refuse('Expected all of TELLTALE_OIDC_ISSUER, _CLIENT_ID and _CLIENT_SECRET, or none');
  if (publicUrl === null)
    settings.refuse('TELLTALE_OIDC_ISSUER needs TELLTALE_PUBLIC_URL: the provider sends people back there');
  return { issuer: issuer ?? '', clientId: clientId ?? '', clientSecret: clientSecret ?? '' };
}
