// Tests the architecture: files import only from lower layers, and few files may import an outside package.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const source = fileURLToPath(new URL('../src', import.meta.url));

/** Layers from lowest to highest. A file may import from its own layer and from lower layers. */
const STOREYS: readonly string[] = [
  'base',
  'engine',
  'check',
  'index.ts',
  'config.ts',
  'tables',
  'html',
  'storage',
  'accounts',
  'record',
  'calibration',
  'service',
  'cli',
];

/** Files and folders that may import each outside package. Folders end in a slash. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  cborg: ['library/check/credentials/'],
  leven: ['library/base/unknown-field.ts'],
  saxes: ['library/check/marks/xmp.ts'],
  ulid: [
    'library/check/report.ts',
    'storage/images/image-retention.ts',
    'accounts/',
    'service/http/middleware/access-log.ts',
    'service/scans/',
    'service/webhooks/',
    'service/own-thresholds/',
  ],
  'string-width': ['tables/columns.ts', 'cli/terminal/', 'cli/commands/check/output.ts'],
  'csv-parse': ['tables/', 'calibration/'],
  'p-map': ['library/check/check-many.ts', 'calibration/', 'service/worker.ts', 'cli/commands/'],
  '@modelcontextprotocol/server': [
    'cli/commands/mcp.ts',
    'cli/commands/mcp/',
    'service/mcp/',
    'service/http/routes/mcp.ts',
  ],
  'openid-client': ['service/console/openid.ts'],
  koa: ['service/http/'],
  knex: ['storage/db/', 'accounts/'],
  pg: ['storage/db/', 'storage/queue/'],
  'pg-boss': ['storage/queue/'],
  'better-sqlite3': ['storage/db/'],
  '@koa/router': ['service/http/', 'service/console/'],
  '@node-rs/argon2': ['accounts/members/passwords.ts'],
  '@koa/multer': ['service/http/body/multipart.ts'],
  '@sinclair/typebox': [
    'library/',
    'accounts/plans.ts',
    'record/',
    'service/http/',
    'service/console/',
    'service/mcp/server.ts',
    'service/scans/scan.ts',
    'service/makers/',
  ],
  canonicalize: ['record/keys/keys.ts'],
  '@aws-sdk/client-s3': ['storage/images/'],
  undici: ['service/outbound/'],
  'ipaddr.js': ['service/outbound/'],
  pino: ['service/'],
  'sonic-boom': ['service/log.ts'],
  standardwebhooks: ['service/webhooks/signature.ts'],
  '@opentelemetry/api': ['service/traces/'],
  '@opentelemetry/core': ['service/traces/sdk.ts'],
  '@opentelemetry/exporter-trace-otlp-http': ['service/traces/sdk.ts'],
  '@opentelemetry/exporter-trace-otlp-proto': ['service/traces/sdk.ts'],
  '@opentelemetry/resources': ['service/traces/sdk.ts'],
  '@opentelemetry/sdk-trace-base': ['service/traces/sdk.ts'],
  'prom-client': ['service/http/metrics/', 'service/cluster.ts'],
};

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(source, folder, 'package.json'), 'utf8')) as Manifest;

interface Import {
  readonly from: string;
  readonly to: string;
}

const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.includes('dist/'),
);

const imports = files.flatMap((from): Import[] => {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(source, from), 'utf8'), true, true);
  return importedFiles.map(({ fileName }) => ({ from, to: fileName }));
});

const LIBRARY = /^telltale-engine\/internal\//;
const isInside = (to: string): boolean => to.startsWith('.') || to === 'telltale-engine' || LIBRARY.test(to);

const inside = imports
  .filter(({ to }) => isInside(to))
  .map(({ from, to }) => {
    const path = to.startsWith('.')
      ? join(dirname(from), to)
      : join('library', to === 'telltale-engine' ? 'index.js' : to.replace(LIBRARY, ''));
    return { from, to: normalize(path).replace(/\.js$/, '.ts') };
  });

const storeyOf = (file: string): string => file.split('/')[file.startsWith('library/') ? 1 : 0] ?? file;
const levelOf = (file: string): number => STOREYS.indexOf(storeyOf(file));
const packageOf = (name: string): string =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');

describe('the source folders (layers) of src', () => {
  it('are all listed in this test', () => {
    assert.deepEqual([...new Set(files.filter((file) => levelOf(file) < 0).map(storeyOf))], []);
  });

  it('import only from their own or a lower layer', () => {
    const upward = inside.filter(
      ({ from, to }) => storeyOf(from) !== storeyOf(to) && levelOf(to) >= levelOf(from),
    );
    assert.deepEqual(
      upward.map(({ from, to }) => `${from} imports ${to}`),
      [],
    );
    assert.ok(inside.length > 50, 'imports were found at all');
  });

  it('have no circular imports', () => {
    const circles: string[] = [];
    const done = new Set<string>();
    const follow = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
      if (path.includes(file) || done.has(file)) return;
      for (const { from, to } of inside) if (from === file) follow(to, [...path, file]);
      done.add(file);
    };
    for (const file of files) follow(file, []);
    assert.deepEqual(circles, []);
  });

  it('import each external package only in the files that are responsible for it', () => {
    const outside = imports.filter(
      ({ to }) => !isInside(to) && !to.startsWith('node:') && !builtinModules.includes(to),
    );
    const strays = outside.filter(({ from, to }) => {
      const owners = OWNERS[packageOf(to)];
      return (
        owners?.some((owner) => (owner.endsWith('/') ? from.startsWith(owner) : from === owner)) !== true
      );
    });
    assert.deepEqual(
      strays.map(({ from, to }) => `${from} imports ${to}`),
      [],
    );
  });

  it('contain no file of more than 300 lines', () => {
    const long = files.filter((file) => readFileSync(join(source, file), 'utf8').split('\n').length > 301);
    assert.deepEqual(long, []);
  });

  it('import into the library only its own files and the packages in its package.json', () => {
    const { dependencies } = readManifest('library');
    const own = imports.filter(({ from }) => from.startsWith('library/'));
    const strays = own.filter(({ from, to }) =>
      to.startsWith('.')
        ? !normalize(join(dirname(from), to)).startsWith('library/')
        : !to.startsWith('node:') && !(packageOf(to) in dependencies),
    );
    assert.deepEqual(
      strays.map(({ from, to }) => `${from} imports ${to}`),
      [],
    );
    const unused = Object.keys(dependencies).filter((name) => !own.some(({ to }) => packageOf(to) === name));
    assert.deepEqual(unused, []);
  });

  it('reach no module of Node from the pages of the console', () => {
    const pages = join(source, '../console/src');
    const modules: string[] = [];
    const done = new Set<string>();
    const follow = (path: string): void => {
      if (done.has(path)) return;
      done.add(path);
      const text = readFileSync(path, 'utf8');
      for (const [, to = ''] of text.matchAll(/^(?:import|export) (?!type\b)[^;]*?from '([^']+)';/gm)) {
        if (to.startsWith('node:')) modules.push(`${path} imports ${to}`);
        const target = LIBRARY.test(to)
          ? join(source, 'library', to.replace(LIBRARY, ''))
          : join(dirname(path), to);
        const file = ['.ts', '.tsx']
          .map((end) => target.replace(/\.js$/, end))
          .find((name) => existsSync(name));
        if (file !== undefined && (to.startsWith('.') || LIBRARY.test(to))) follow(file);
      }
    };
    for (const name of readdirSync(pages, { recursive: true, encoding: 'utf8' }))
      if (/\.tsx?$/.test(name)) follow(join(pages, name));
    assert.deepEqual(modules, []);
  });

  it('depend on the library in the same version as the service', () => {
    const [library, service] = [readManifest('library'), readManifest('..')];
    assert.equal(library.version, service.version);
    assert.equal(service.dependencies['telltale-engine'], library.version);
  });
});
