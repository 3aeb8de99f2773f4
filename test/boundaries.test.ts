// Dependencies point down, and each outside library has one owner: the architecture as a test.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const source = fileURLToPath(new URL('../src', import.meta.url));

/** Rooms from the ground up: a file imports from its own room and from rooms of a lower level. */
const LEVELS: readonly (readonly string[])[] = [
  ['errors.ts', 'package-paths.ts', 'places', 'version.ts'],
  ['config.ts'],
  ['engine', 'db', 'terminal', 'lists'],
  ['check', 'accounts', 'queue'],
  ['meter', 'store', 'pictures', 'members', 'history', 'sweeping.ts'],
  ['scans', 'record'],
  ['evaluation', 'http'],
  ['adaptation'],
  ['webhooks', 'corrections'],
  ['console', 'open-scans.ts'],
  ['index.ts', 'service.ts', 'scan-worker.ts'],
  ['processes'],
  ['commands'],
  ['cli.ts'],
];

/** Where an outside library may be imported; folders end in a slash. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  '@contentauth/c2pa-node': ['check/credentials/', 'check/credentials.ts'],
  cborg: ['check/credentials/'],
  saxes: ['check/marks/xmp.ts'],
  ulid: [
    'check/check-id.ts',
    'accounts/',
    'members/',
    'history/',
    'http/request-id.ts',
    'store/keeper.ts',
    'scans/',
    'webhooks/',
    'corrections/',
  ],
  'string-width': ['terminal/', 'commands/check/table-writer.ts'],
  'csv-parse': ['adaptation/', 'evaluation/', 'lists/'],
  'ml-matrix': ['adaptation/logistic.ts'],
  'p-map': ['adaptation/', 'commands/', 'evaluation/', 'scans/'],
  'openid-client': ['console/openid.ts'],
  koa: ['http/'],
  knex: ['db/', 'accounts/', 'meter/', 'http/'],
  pg: ['db/'],
  'pg-boss': ['queue/'],
  'better-sqlite3': ['db/'],
  '@koa/router': ['http/', 'console/'],
  '@node-rs/argon2': ['members/passwords.ts'],
  '@koa/multer': ['http/multipart.ts'],
  '@fastify/busboy': ['http/receive-list.ts'],
  '@sinclair/typebox': ['accounts/plans.ts', 'http/', 'console/', 'record/'],
  canonicalize: ['record/sign.ts'],
  '@aws-sdk/client-s3': ['store/s3-store.ts', 'store/s3-source.ts'],
  undici: ['http/fetch/'],
  'ipaddr.js': ['http/fetch/'],
  pino: [
    'service.ts',
    'open-scans.ts',
    'scan-worker.ts',
    'sweeping.ts',
    'http/',
    'webhooks/',
    'corrections/',
    'processes/',
  ],
  standardwebhooks: ['webhooks/signature.ts'],
  'prom-client': ['http/metrics.ts', 'http/scan-metrics.ts', 'processes/'],
};

interface Import {
  readonly from: string;
  readonly to: string;
}

const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
);

const imports = files.flatMap((from): Import[] => {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(source, from), 'utf8'), true, true);
  return importedFiles.map(({ fileName }) => ({ from, to: fileName }));
});

const inside = imports
  .filter(({ to }) => to.startsWith('.'))
  .map(({ from, to }) => ({ from, to: normalize(join(dirname(from), to)).replace(/\.js$/, '.ts') }));

const roomOf = (file: string): string => file.split('/')[0] ?? file;
const levelOf = (file: string): number => LEVELS.findIndex((rooms) => rooms.includes(roomOf(file)));
const packageOf = (name: string): string =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');

/** Files of type declarations and constants alone, which every room may share. */
const isVocabulary = (file: string): boolean => /^(check\/types|engine\/(types|findings))\.ts$/.test(file);

describe('the rooms of src', () => {
  it('are all placed', () => {
    assert.deepEqual([...new Set(files.filter((file) => levelOf(file) < 0).map(roomOf))], []);
  });

  it('depend downwards only', () => {
    const upward = inside.filter(
      ({ from, to }) => roomOf(from) !== roomOf(to) && levelOf(to) >= levelOf(from) && !isVocabulary(to),
    );
    assert.deepEqual(
      upward.map(({ from, to }) => `${from} imports ${to}`),
      [],
    );
    assert.ok(inside.length > 50, 'imports were found at all');
  });

  it('have no circle of imports', () => {
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

  it('share vocabularies that import nothing but vocabularies', () => {
    const impure = inside.filter(
      ({ from, to }) => isVocabulary(from) && !isVocabulary(to) && to !== 'errors.ts',
    );
    assert.deepEqual(impure, []);
  });

  it('leave each outside library to its owner', () => {
    const outside = imports.filter(({ to }) => !/^(\.|node:)/.test(to) && !builtinModules.includes(to));
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

  it('hold no file of more than 300 lines', () => {
    const long = files.filter((file) => readFileSync(join(source, file), 'utf8').split('\n').length > 301);
    assert.deepEqual(long, []);
  });

  it('keep Koa and Knex out of what embedders import', () => {
    const reached = new Set<string>(['index.ts']);
    for (const file of reached) for (const { from, to } of inside) if (from === file) reached.add(to);
    const heavy = imports.filter(({ from, to }) => reached.has(from) && /^(koa|knex|@koa)/.test(to));
    assert.deepEqual(heavy, []);
    assert.ok(reached.has('check/check.ts'));
  });
});
