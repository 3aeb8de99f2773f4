// Reading all settings from environment variables (TELLTALE_* and some OTEL_*) into a Config, or reporting
// all errors together. Only this file reads process.env.
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import type { CheckerOptions } from 'telltale-engine/internal/check/checker.js';
import { PROFILE_NAMES, type ProfileName } from 'telltale-engine/internal/check/types.js';
import { DEVICE_NAMES, MAX_CROPS, type Device } from 'telltale-engine/internal/engine/types.js';
import {
  MIN_MEMORY_MB,
  MAX_MEMORY_MB,
  defaultMemoryMb,
} from 'telltale-engine/internal/engine/native/options.js';
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
  readMakers,
  type MakerSettings,
} from 'telltale-engine/internal/base/settings.js';
import { PACKAGE_TRUST_DIR } from 'telltale-engine/internal/base/package-paths.js';
import { SettingReader, type Environment } from 'telltale-engine/internal/base/setting-reader.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Where the database is. */
export type DatabaseSetting =
  | { readonly kind: 'sqlite'; /** Absolute path of the file. */ readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** Where images are stored. */
export type StoreSetting =
  | { readonly kind: 'folder'; /** Absolute path. */ readonly path: string }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      /** Without slashes at its ends; may be empty. */ readonly prefix: string;
    };

/** Settings of an organisation's OpenID Connect provider, with which its people sign in. */
export type OpenIdSetting = Readonly<Record<'issuer' | 'clientId' | 'clientSecret', string>>;

/** All settings of a process. Paths are absolute. */
export interface Config {
  readonly host: string;
  /** Port; 0 selects a free one. */
  readonly port: number;
  readonly dataDir: string;
  readonly database: DatabaseSetting;
  readonly store: StoreSetting;
  /** Number of days for which an image is stored, counted from the last request to store it. */
  readonly storeDays: number;
  /** Folder of the trust lists (certificates of trusted signers) that `telltale trust update` writes. */
  readonly trustDir: string;
  /** Folder of the package's trust lists, used if newer; null if TELLTALE_TRUST_DIR is set. */
  readonly shippedTrustDir: string | null;
  /**
   * Path of the key that signs records. Null for the key in the database or, without one, the data folder.
   */
  readonly recordKeyFile: string | null;
  /** Folder of the models; null for the package's own. */
  readonly modelsDir: string | null;
  /** Path of the file of thresholds; null for the file in the models folder. */
  readonly bandsFile: string | null;
  /** Number of crops (squares) to score per image; null for the models' default. */
  readonly views: number | null;
  readonly device: Device;
  /** Path of a library that replaces the built-in TensorRT support; null for none. */
  readonly epLibrary: string | null;
  /** True to run the networks as recorded CUDA graphs. */
  readonly cudaGraphs: boolean;
  /** Total number of threads of all processes. */
  readonly threads: number;
  /** Memory in MB for decoding images, shared by all processes. */
  readonly memoryMb: number;
  /** Number of processes that run the service. */
  readonly workers: number;
  /** Profile (set of thresholds) for requests that name none. */
  readonly profile: ProfileName;
  /** Maximum number of requests that wait because too many are running. */
  readonly queueLimit: number;
  /** Time limit of a check in milliseconds, including fetching the image. */
  readonly deadlineMs: number;
  /** Path of the file of plans; null for the package's own. */
  readonly plansFile: string | null;
  /** Number of days for which a check stays in the history; 0 for no history. */
  readonly historyDays: number;
  /** True if the history stores names of files and addresses of images. */
  readonly historyNames: boolean;
  /** True if a match with a known fake makes the verdict AI. */
  readonly knownDecides: boolean;
  /** Number of days for which the results of a finished scan can be read. */
  readonly scanDays: number;
  /** Number of days for which an entry stays in the audit log. */
  readonly auditDays: number;
  /** Public address of the service, without a slash at the end; null for the address that a request used. */
  readonly publicUrl: string | null;
  /** Number of reverse proxies in front of the service. Each adds its client's address to X-Forwarded-For. */
  readonly proxies: number;
  /** OpenID Connect provider for signing in to the console, or null. Requires `publicUrl`. */
  readonly openId: OpenIdSetting | null;
  /** Private hosts, `.suffixes` and networks from which to fetch images and to which to send webhooks. */
  readonly fetchAllow: readonly string[];
  /** Proxy for fetching images and sending webhooks, or null. */
  readonly fetchProxy: string | null;
  /** True to fetch Content Credentials for an image that contains only their address. */
  readonly remoteManifests: boolean;
  /**
   * Access to provenance services: each is run by a company with an image generator, and tells whether this
   * generator made an image.
   */
  readonly makers: MakerSettings;
  /** Contacts for reports of vulnerabilities, published in security.txt; empty for no security.txt. */
  readonly securityContacts: readonly string[];
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Where to send traces, from OTEL_* variables, or null. */
  readonly traces: TracesSetting | null;
}

/**
 * Reads all settings. Treats an empty value as missing. Throws StartError `config_invalid`, which lists all
 * errors: invalid values, and unknown TELLTALE_* names, which are usually mistyped.
 */
export function loadConfig(environment: Environment = process.env): Config {
  return loadSettings(environment).config;
}

/** Settings, with the names of the environment variables that set them. */
interface LoadedSettings {
  readonly config: Config;
  readonly settings: SettingReader;
}

/** Reads all settings, and which variables the environment sets. Throws as `loadConfig` does. */
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
    views: settings.integer('VIEWS', 1, MAX_CROPS),
    device: settings.oneOf('DEVICE', DEVICE_NAMES) ?? 'auto',
    epLibrary: settings.path('EP_LIBRARY'),
    cudaGraphs: settings.integer('CUDA_GRAPHS', 0, 1) === 1,
    threads: settings.integer('THREADS', 1, 1024) ?? availableParallelism(),
    memoryMb: settings.integer('MEMORY_MB', MIN_MEMORY_MB, MAX_MEMORY_MB) ?? defaultMemoryMb(workers),
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

/** Returns the settings of engine, thresholds and trust lists as options of `createChecker`. */
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

/** Address of a running service, and a key for it. */
export interface ServiceAccess {
  /** Address without a slash at the end. */
  readonly url: string;
  readonly key: string;
}

/**
 * Returns the service that TELLTALE_URL and TELLTALE_KEY name, or null without TELLTALE_URL. Throws
 * StartError `config_invalid`.
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
      'TELLTALE_URL is set, but TELLTALE_KEY is not. Set TELLTALE_KEY to an API key of this service',
    );
  return { url: url.replace(/\/+$/, ''), key };
}

/** TLS modes that the PostgreSQL driver treats as verify-full, with a warning on standard error. */
const AS_VERIFY_FULL = ['prefer', 'require', 'verify-ca'];
/** Valid addresses of databases, for messages. */
export const DATABASE_FORMS =
  'sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME with one host (a proxy or a DNS name may stand for several)';

/** Parses the address of a database, or returns null if it is invalid. */
export function parseDatabase(text: string): DatabaseSetting | null {
  if (text.startsWith('sqlite:')) {
    const path = text.slice('sqlite:'.length);
    return path === '' ? null : { kind: 'sqlite', path: resolve(path) };
  }
  if (!/^postgres(ql)?:\/\//.test(text)) return null;
  // Adds the missing host in `user:password@/name?host=/run/postgresql`, which Node can't parse otherwise.
  const spelled = URL.canParse(text) ? text : text.replace(/@(?=[/?]|$)/, '@localhost');
  if (!URL.canParse(spelled)) return null;
  const url = new URL(spelled);
  const { searchParams: options } = url;
  if (`${url.hostname}${options.get('host') ?? ''}`.includes(',')) return null;
  // Names the mode verify-full explicitly, so that no warning mixes with the JSON log.
  const isAlias = AS_VERIFY_FULL.includes(options.get('sslmode') ?? '') && !options.has('uselibpqcompat');
  if (!isAlias) return { kind: 'postgres', url: spelled };
  options.set('sslmode', 'verify-full');
  return { kind: 'postgres', url: url.href };
}

/** Reads the OpenID Connect settings: all three or none. They require a public address. */
function readOpenId(settings: SettingReader, publicUrl: string | null): OpenIdSetting | null {
  const issuer = settings.parsed('OIDC_ISSUER', parseIssuer, 'https://HOST/PATH (http on this machine only)');
  const clientId = settings.text('OIDC_CLIENT_ID');
  const clientSecret = settings.text('OIDC_CLIENT_SECRET');
  const provided = [settings.text('OIDC_ISSUER'), clientId, clientSecret].filter((text) => text !== null);
  if (provided.length === 0) return null;
  if (provided.length < 3)
    settings.refuse('Expected all of TELLTALE_OIDC_ISSUER, _CLIENT_ID and _CLIENT_SECRET, or none');
  if (publicUrl === null)
    settings.refuse('TELLTALE_OIDC_ISSUER needs TELLTALE_PUBLIC_URL: the provider sends people back there');
  return { issuer: issuer ?? '', clientId: clientId ?? '', clientSecret: clientSecret ?? '' };
}
