// Settings: reads TELLTALE_* and some OTEL_* variables into a frozen Config, or reports every error at once. The only
// reader of process.env.
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

/** Location of the database. */
export type DatabaseSetting =
  | { readonly kind: 'sqlite'; /** Absolute path of the file. */ readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** Location of stored images. */
export type StoreSetting =
  | { readonly kind: 'folder'; /** Absolute path. */ readonly path: string }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      /** Without slashes at its ends; may be empty. */ readonly prefix: string;
    };

/** OpenID Connect provider of an organisation. */
export type OpenIdSetting = Readonly<Record<'issuer' | 'clientId' | 'clientSecret', string>>;

/** All settings. Paths are absolute. */
export interface Config {
  readonly host: string;
  /** Port; 0 selects a free one. */
  readonly port: number;
  readonly dataDir: string;
  readonly database: DatabaseSetting;
  readonly store: StoreSetting;
  /** Number of days for which a stored image is kept, counted from the last request to store it. */
  readonly storeDays: number;
  /** Folder of the trust lists as PEM files, to which `telltale trust update` writes. */
  readonly trustDir: string;
  /** Folder of the package's trust lists, used if they are newer; null if TELLTALE_TRUST_DIR is set. */
  readonly shippedTrustDir: string | null;
  /**
   * Path of the key that signs records; null for the key in the database, or in the data folder without a database.
   */
  readonly recordKeyFile: string | null;
  /** Folder of the models; null for the package's. */
  readonly modelsDir: string | null;
  /** Path of the thresholds; null for those in the models folder. */
  readonly bandsFile: string | null;
  /** Number of crops of an image; null for the models' default. */
  readonly views: number | null;
  readonly device: Device;
  /** Path of the library that runs TensorRT; null for the built-in provider. */
  readonly epLibrary: string | null;
  /** True if CUDA replays captured graphs. */
  readonly cudaGraphs: boolean;
  /** Number of threads that all pools share. */
  readonly threads: number;
  /** Memory in MB that all concurrent decodes may use. */
  readonly memoryMb: number;
  /** Number of service processes. */
  readonly workers: number;
  /** Profile of requests that name none. */
  readonly profile: ProfileName;
  /** Maximum number of requests that wait for a permit. */
  readonly queueLimit: number;
  /** Time limit of a check in milliseconds, including a fetch. */
  readonly deadlineMs: number;
  /** Path of the plans; null for the package's. */
  readonly plansFile: string | null;
  /** Number of days for which the history keeps a check; 0 keeps none. */
  readonly historyDays: number;
  /** True if the history keeps names of files and addresses. */
  readonly historyNames: boolean;
  /** True if a known fake makes the verdict AI by itself. */
  readonly knownDecides: boolean;
  /** Number of days for which an ended scan and its results can be read. */
  readonly scanDays: number;
  /** Number of days for which the audit log keeps an entry. */
  readonly auditDays: number;
  /** Public address of the service without a trailing slash; null for the request's address. */
  readonly publicUrl: string | null;
  /** Number of reverse proxies in front of the service. Each adds the address of its client to X-Forwarded-For. */
  readonly proxies: number;
  /** OpenID Connect for the console, or null. Requires `publicUrl`. */
  readonly openId: OpenIdSetting | null;
  /**
   * Hosts, `.suffixes` and networks that may be fetched from and receive webhooks, in addition to public addresses.
   */
  readonly fetchAllow: readonly string[];
  /** Proxy for fetches and webhooks, or null. */
  readonly fetchProxy: string | null;
  /** True if Content Credentials that an image only points to are fetched. */
  readonly remoteManifests: boolean;
  /** Makers' services that can be asked. */
  readonly makers: MakerSettings;
  /** Contacts for vulnerabilities in security.txt; empty to publish none. */
  readonly securityContacts: readonly string[];
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Destination of traces from OTEL_*, or null. */
  readonly traces: TracesSetting | null;
}

/**
 * Reads all settings. An empty value counts as not set. Throws StartError `config_invalid` that lists every error:
 * values out of range and unknown TELLTALE_* names, which are usually typing errors.
 */
export function loadConfig(environment: Environment = process.env): Config {
  return loadSettings(environment).config;
}

/** Settings, and the names that the environment sets. */
interface LoadedSettings {
  readonly config: Config;
  readonly settings: SettingReader;
}

/** Reads all settings with the names that the environment sets. Throws as `loadConfig` does. */
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
    database: settings.parsed('DATABASE_URL', parseDatabase, DATABASE_FORMS) ?? {
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

/** Returns the settings of engine, thresholds and trust lists as options of a checker. */
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

/** Access to a running service for its clients. */
export interface ServiceAccess {
  /** Address without a trailing slash. */
  readonly url: string;
  readonly key: string;
}

/**
 * Returns the service of TELLTALE_URL and TELLTALE_KEY, or null without an address. Throws StartError
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

/** Modes of TLS that pg takes for verify-full, and says so in plain text on standard error. */
const AS_VERIFY_FULL = ['prefer', 'require', 'verify-ca'];
/** Forms of addresses that parseDatabase reads. */
export const DATABASE_FORMS =
  'sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME with one host (a proxy or a DNS name may stand for several)';

/** Parses the address of a database. Returns null for any other text. */
export function parseDatabase(text: string): DatabaseSetting | null {
  if (text.startsWith('sqlite:')) {
    const path = text.slice('sqlite:'.length);
    return path === '' ? null : { kind: 'sqlite', path: resolve(path) };
  }
  if (!/^postgres(ql)?:\/\//.test(text)) return null;
  // As in `user:password@/name?host=/run/postgresql`, which is no URL to Node: the host of the query counts.
  const spelled = URL.canParse(text) ? text : text.replace(/@(?=[/?]|$)/, '@localhost');
  if (!URL.canParse(spelled)) return null;
  const url = new URL(spelled);
  const { searchParams: options } = url;
  if (`${url.hostname}${options.get('host') ?? ''}`.includes(',')) return null;
  // Said outright, the mode is what it was, and nothing but JSON goes to standard error.
  const isAlias = AS_VERIFY_FULL.includes(options.get('sslmode') ?? '') && !options.has('uselibpqcompat');
  if (!isAlias) return { kind: 'postgres', url: spelled };
  options.set('sslmode', 'verify-full');
  return { kind: 'postgres', url: url.href };
}

/** Reads the OpenID settings: all three or none. Requires a public address. */
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
