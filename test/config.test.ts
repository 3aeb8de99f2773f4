// Tests the settings: defaults, values, and all errors at once.
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defaultMemoryMb } from '../src/library/engine/native/options.js';
import { loadConfig } from '../src/config.js';
import { StartError } from '../src/library/base/errors.js';
import { PACKAGE_TRUST_DIR } from '../src/library/base/package-paths.js';
import { sharedPostgres } from './support/databases.js';
import { callTelltale, runTelltale } from './support/telltale.js';

const faultsOf = (environment: Record<string, string>): string => {
  try {
    loadConfig(environment);
  } catch (error) {
    assert.ok(error instanceof StartError);
    assert.equal(error.code, 'config_invalid');
    return error.message;
  }
  return '';
};

describe('TELLTALE_DATABASE_URL', () => {
  const read = (text: string): string => {
    const { database } = loadConfig({ TELLTALE_DATABASE_URL: text });
    assert.ok(database.kind === 'postgres');
    return database.url;
  };

  it('replaces the TLS modes prefer, require and verify-ca by verify-full, so that pg writes no warning', () => {
    for (const mode of ['prefer', 'require', 'verify-ca'])
      assert.equal(
        read(`postgres://u:p%40w@db:5433/name?sslmode=${mode}&sslrootcert=/etc/ca.pem`),
        'postgres://u:p%40w@db:5433/name?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.pem',
      );
    for (const text of [
      'postgres://u:p@db/name',
      'postgres://u:p@db/name?sslmode=disable',
      'postgres://u:p@db/name?sslmode=no-verify',
      'postgres://u:p@db/name?sslmode=require&uselibpqcompat=true',
      'postgresql:///name?host=/run/postgresql',
    ])
      assert.equal(read(text), text);
  });

  it('may omit the host for a local socket, and must not name several hosts', () => {
    assert.equal(
      read('postgres://user:pw@/db?host=/run/postgresql'),
      'postgres://user:pw@localhost/db?host=/run/postgresql',
    );
    for (const text of [
      'postgres://u:p@one:5432,two:5432/name?target_session_attrs=read-write',
      'postgres://u:p@one,two/name',
      'postgres://u:p@/name?host=one,two',
    ])
      assert.throws(
        () => read(text),
        (error: Error) => /with one host/.test(error.message) && !error.message.includes('u:p'),
      );
  });

  it('leads to an error without advice to retry if the user or database name is wrong', async function () {
    const postgres = await sharedPostgres();
    if (postgres === null) this.skip();
    const right = new URL(postgres.createDatabase());
    const [noUser, noDatabase] = [new URL(right), new URL(right)];
    noUser.username = 'nobody_of_this_name';
    noDatabase.pathname = '/nothing_of_this_name';
    for (const [url, message] of [
      [noUser, /^telltale: PostgreSQL refuses the user name or the password in TELLTALE_DATABASE_URL: /],
      [noDatabase, /^telltale: PostgreSQL has no database of the name in TELLTALE_DATABASE_URL; create it/],
    ] as const) {
      const { status, stderr } = await callTelltale(['accounts', 'list'], {
        env: { TELLTALE_DATABASE_URL: url.href },
      });
      assert.equal(status, 1);
      assert.match(stderr, message);
    }
  });

  it('causes only the error message on standard error if it contains sslmode', async () => {
    const TELLTALE_DATABASE_URL = 'postgres://u:p@127.0.0.1:1/name?sslmode=require';
    const { stderr, status } = await runTelltale(['accounts', 'list'], { env: { TELLTALE_DATABASE_URL } });
    assert.equal(status, 1);
    assert.match(stderr, /^telltale: The database can't be reached\. [^\n]*ECONNREFUSED[^\n]*\n$/);
  });
});

describe('the settings reader', () => {
  it('returns the documented defaults', () => {
    const config = loadConfig({ HOME: '/root', TELLTALE_PROFILE: '' });
    assert.deepEqual(config, {
      host: '127.0.0.1',
      port: 8080,
      dataDir: resolve('data'),
      database: { kind: 'sqlite', path: resolve('data/telltale.sqlite') },
      store: { kind: 'folder', path: resolve('data/images') },
      storeDays: 30,
      trustDir: resolve('data/trust'),
      shippedTrustDir: PACKAGE_TRUST_DIR,
      recordKeyFile: null,
      modelsDir: null,
      bandsFile: null,
      views: null,
      device: 'auto',
      epLibrary: null,
      cudaGraphs: false,
      threads: availableParallelism(),
      memoryMb: defaultMemoryMb(),
      workers: 1,
      profile: 'balanced',
      queueLimit: 64,
      deadlineMs: 30_000,
      plansFile: null,
      historyDays: 30,
      historyNames: true,
      knownDecides: false,
      scanDays: 30,
      auditDays: 365,
      publicUrl: null,
      proxies: 0,
      openId: null,
      fetchAllow: [],
      fetchProxy: null,
      remoteManifests: false,
      makers: { openAi: null, azure: null },
      securityContacts: [],
      logLevel: 'info',
      traces: null,
    });
    assert.ok(Object.isFrozen(config));
  });

  it('accepts a value for every setting', () => {
    const config = loadConfig({
      TELLTALE_HOST: '0.0.0.0',
      TELLTALE_PORT: '0',
      TELLTALE_DATA_DIR: '/var/lib/telltale',
      TELLTALE_DATABASE_URL: 'postgres://user:secret@db/telltale',
      TELLTALE_STORE_URL: 's3://pictures/kept/here/',
      TELLTALE_STORE_DAYS: '7',
      TELLTALE_TRUST_DIR: 'lists',
      TELLTALE_MODELS_DIR: '/models',
      TELLTALE_BANDS: 'own/bands.json',
      TELLTALE_RECORD_KEY: '/run/secrets/record.pem',
      TELLTALE_VIEWS: '8',
      TELLTALE_DEVICE: 'cuda',
      TELLTALE_EP_LIBRARY: 'lib/provider.so',
      TELLTALE_CUDA_GRAPHS: '1',
      TELLTALE_THREADS: '3',
      TELLTALE_MEMORY_MB: '2000',
      TELLTALE_WORKERS: '4',
      TELLTALE_PROFILE: 'strict',
      TELLTALE_QUEUE: '0',
      TELLTALE_DEADLINE_MS: '500',
      TELLTALE_PLANS_FILE: 'plans.json',
      TELLTALE_LOG: 'debug',
      TELLTALE_HISTORY_DAYS: '0',
      TELLTALE_HISTORY_NAMES: '0',
      TELLTALE_KNOWN_DECIDES: '1',
      TELLTALE_SCAN_DAYS: '7',
      TELLTALE_AUDIT_DAYS: '90',
      TELLTALE_PUBLIC_URL: 'https://telltale.example/',
      TELLTALE_PROXIES: '2',
      TELLTALE_OIDC_ISSUER: 'https://id.example/realms/staff',
      TELLTALE_OIDC_CLIENT_ID: 'telltale',
      TELLTALE_OIDC_CLIENT_SECRET: 'secret',
      TELLTALE_FETCH_ALLOW: 'nas, 10.0.0.0/8',
      TELLTALE_FETCH_PROXY: 'http://proxy:3128',
      TELLTALE_REMOTE_MANIFESTS: '1',
      TELLTALE_OPENAI_KEY: 'sk-secret',
      TELLTALE_AZURE_SAFETY_URL: 'https://acme.cognitiveservices.azure.com/',
      TELLTALE_AZURE_SAFETY_KEY: 'key',
      TELLTALE_SECURITY_CONTACT: 'mailto:a@b.example, https://b.example/report',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector:4318',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    });
    assert.deepEqual(config, {
      host: '0.0.0.0',
      port: 0,
      dataDir: '/var/lib/telltale',
      database: { kind: 'postgres', url: 'postgres://user:secret@db/telltale' },
      store: { kind: 's3', bucket: 'pictures', prefix: 'kept/here' },
      storeDays: 7,
      trustDir: resolve('lists'),
      shippedTrustDir: null,
      recordKeyFile: '/run/secrets/record.pem',
      modelsDir: '/models',
      bandsFile: resolve('own/bands.json'),
      views: 8,
      device: 'cuda',
      epLibrary: resolve('lib/provider.so'),
      cudaGraphs: true,
      threads: 3,
      memoryMb: 2000,
      workers: 4,
      profile: 'strict',
      queueLimit: 0,
      deadlineMs: 500,
      plansFile: resolve('plans.json'),
      historyDays: 0,
      historyNames: false,
      knownDecides: true,
      scanDays: 7,
      auditDays: 90,
      publicUrl: 'https://telltale.example',
      proxies: 2,
      openId: { issuer: 'https://id.example/realms/staff', clientId: 'telltale', clientSecret: 'secret' },
      fetchAllow: ['nas', '10.0.0.0/8'],
      fetchProxy: 'http://proxy:3128/',
      remoteManifests: true,
      makers: {
        openAi: 'sk-secret',
        azure: { url: 'https://acme.cognitiveservices.azure.com/', key: 'key' },
      },
      securityContacts: ['mailto:a@b.example', 'https://b.example/report'],
      logLevel: 'debug',
      traces: { url: 'https://collector:4318/v1/traces', protocol: 'http/json' },
    });
  });

  it('accepts only Azure addresses for Azure’s provenance service, and only together with a key', () => {
    const url = 'https://acme.cognitiveservices.azure.com';
    for (const other of [
      'http://acme.cognitiveservices.azure.com',
      'https://evil.example',
      `${url}.evil.example`,
      `${url}:8443`,
      'https://a@acme.cognitiveservices.azure.com',
    ])
      assert.match(
        faultsOf({ TELLTALE_AZURE_SAFETY_URL: other, TELLTALE_AZURE_SAFETY_KEY: 'key' }),
        /Expected https:\/\/NAME\.cognitiveservices\.azure\.com for TELLTALE_AZURE_SAFETY_URL/,
      );
    assert.match(faultsOf({ TELLTALE_AZURE_SAFETY_URL: url }), /Expected both of/);
    assert.match(faultsOf({ TELLTALE_AZURE_SAFETY_KEY: 'key' }), /Expected both of/);
  });

  it('accepts alternative notations of the database and the image store', () => {
    const config = loadConfig({ TELLTALE_DATABASE_URL: 'sqlite:/tmp/a.db', TELLTALE_STORE_URL: '/srv/kept' });
    assert.deepEqual(config.database, { kind: 'sqlite', path: '/tmp/a.db' });
    assert.deepEqual(config.store, { kind: 'folder', path: '/srv/kept' });
  });

  it('lists all invalid settings at once, with the expected values', () => {
    const faults = faultsOf({
      TELLTALE_PORT: '70000',
      TELLTALE_THREADS: '2.5',
      TELLTALE_VIEWS: '9',
      TELLTALE_DEVICE: 'gpu',
      TELLTALE_PROFILE: 'Strict',
      TELLTALE_DATABASE_URL: 'mysql://x',
      TELLTALE_STORE_URL: 's3://',
      TELLTALE_DEADLINE: '1',
    });
    assert.match(faults, /whole number from 0 to 65535 for TELLTALE_PORT but received '70000'/);
    assert.match(faults, /TELLTALE_THREADS but received '2\.5'/);
    assert.match(faults, /whole number from 1 to 8 for TELLTALE_VIEWS but received '9'/);
    assert.match(faults, /one of auto, cpu, cuda, tensorrt for TELLTALE_DEVICE but received 'gpu'/);
    assert.match(faults, /TELLTALE_PROFILE but received 'Strict'/);
    assert.match(faults, /TELLTALE_DATABASE_URL but received 'mysql:\/\/x'/);
    assert.match(faults, /TELLTALE_STORE_URL/);
    assert.match(faults, /TELLTALE_DEADLINE is not a setting/);
    assert.match(faults, /the settings are .*TELLTALE_DEADLINE_MS/);
  });

  it('accepts the client’s environment variables, and refuses unknown names that resemble a setting', () => {
    const client = { TELLTALE_KEY: 'tt_live_x', TELLTALE_URL: 'http://127.0.0.1:8080' };
    assert.equal(faultsOf(client), '');
    const faults = faultsOf({ ...client, TELLTALE_KEYS: 'x' });
    assert.match(faults, /TELLTALE_KEYS is not a setting/);
    const slip = faultsOf({ TELLTALE_THRAEDS: '2' });
    assert.match(slip, /TELLTALE_THRAEDS is not a setting; did you mean TELLTALE_THREADS\?/);
    assert.doesNotMatch(faults, /TELLTALE_KEY\b|TELLTALE_URL/);
  });

  it('explains in one error how to remove the variables that Kubernetes adds for services named telltale', () => {
    const links = {
      TELLTALE_PORT: 'tcp://10.96.12.34:80',
      TELLTALE_SERVICE_HOST: '10.96.12.34',
      TELLTALE_SERVICE_PORT_HTTP: '80',
      TELLTALE_PORT_80_TCP_ADDR: '10.96.12.34',
      TELLTALE_CLOSED_PORT: 'tcp://10.96.12.35:80',
    };
    const faults = faultsOf(links);
    const names = Object.keys(links).join(', ');
    assert.ok(
      faults.includes(`Kubernetes has set ${names} for a Service; set enableServiceLinks: false`),
      faults,
    );
    assert.doesNotMatch(faults, /is not a setting|the settings are TELLTALE/);
    assert.equal(faultsOf({ TELLTALE_PORT: '8080' }), '');
  });

  it('enables traces if the standard variables name a collector and tracing is not disabled', () => {
    const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/otlp/' };
    const traces = (more: Record<string, string>) => loadConfig({ ...collector, ...more }).traces;
    const protocol = 'http/protobuf';
    assert.deepEqual(traces({}), { url: 'http://collector:4318/otlp/v1/traces', protocol });
    const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces:4318/here' };
    assert.deepEqual(traces(own), { url: 'http://traces:4318/here', protocol });
    const both = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' };
    assert.equal(traces(both)?.protocol, 'http/json');
    assert.equal(traces({ OTEL_SDK_DISABLED: 'TRUE' }), null);
    assert.equal(traces({ OTEL_TRACES_EXPORTER: 'none' }), null);
    assert.equal(loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: '' }).traces, null);
    // An unsupported protocol in this variable is accepted if tracing is off, because nothing uses it then.
    assert.equal(faultsOf({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }), '');
  });

  it('reports unsupported values of the standard tracing variables', () => {
    for (const address of ['collector:4318', 'grpc://collector:4317', 'http://', 'collector'])
      assert.equal(
        faultsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: address }).split('\n')[1],
        `  Expected http(s)://HOST:PORT for OTEL_EXPORTER_OTLP_ENDPOINT but received '${address}'`,
      );
    const secret = faultsOf({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'ftp://user:secret@collector' });
    assert.match(secret, /for OTEL_EXPORTER_OTLP_TRACES_ENDPOINT but received another address$/);
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
    assert.match(
      faultsOf({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }),
      /one of http\/protobuf, http\/json for OTEL_EXPORTER_OTLP_PROTOCOL but received 'grpc'$/,
    );
    assert.match(
      faultsOf({ ...endpoint, OTEL_TRACES_EXPORTER: 'zipkin' }),
      /otlp or none for OTEL_TRACES_EXPORTER but received 'zipkin'$/,
    );
  });

  it('accepts OpenID Connect settings only if they are complete and secure and there is a public address', () => {
    const whole = {
      TELLTALE_PUBLIC_URL: 'https://telltale.example',
      TELLTALE_OIDC_ISSUER: 'https://id.example',
      TELLTALE_OIDC_CLIENT_ID: 'telltale',
      TELLTALE_OIDC_CLIENT_SECRET: 'secret',
    };
    assert.equal(faultsOf(whole), '');
    assert.equal(faultsOf({ ...whole, TELLTALE_OIDC_ISSUER: 'http://127.0.0.1:9000' }), '');
    for (const name of ['ISSUER', 'CLIENT_ID', 'CLIENT_SECRET'])
      assert.match(faultsOf({ ...whole, [`TELLTALE_OIDC_${name}`]: '' }), /, or none$/);
    assert.match(faultsOf({ ...whole, TELLTALE_PUBLIC_URL: '' }), /needs TELLTALE_PUBLIC_URL/);
    for (const issuer of ['http://id.example', 'id.example', 'https://id.example/?a=b'])
      assert.match(faultsOf({ ...whole, TELLTALE_OIDC_ISSUER: issuer }), /for TELLTALE_OIDC_ISSUER/);
  });

  it('never prints an address, because it may contain a password', () => {
    assert.doesNotMatch(faultsOf({ TELLTALE_DATABASE_URL: 'mysql://user:secret@db/x' }), /secret/);
  });
});
