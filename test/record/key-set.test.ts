// Tests reading public keys from a file or address, and the validity periods published with them.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openKeyFile } from '../../src/record/keys/key-file.js';
import { loadKeySet, presentKeys } from '../../src/record/keys/key-set.js';
import {
  generateSigner,
  isSignedBy,
  publicPem,
  readPeriod,
  explainWrongPeriod,
} from '../../src/record/keys/keys.js';
import { makeFolder } from '../support/folders.js';

const MIB = 1 << 20;
const refused = (message: RegExp) => ({ name: 'RecordFault', message });

describe('reading keys that verify records, from a file or address', () => {
  const { publicKey, pem: privatePem } = generateSigner();
  const set = JSON.stringify(presentKeys([publicKey]));
  const folder = makeFolder('key-set');
  let server: Server;
  let handle: RequestListener;
  let address: string;

  before((done) => {
    server = createServer((req, res) => handle(req, res)).listen(0, '127.0.0.1', () => {
      address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys.json`;
      done();
    });
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const load = async (text: string): ReturnType<typeof loadKeySet> => {
    const path = join(folder, 'keys');
    await writeFile(path, text);
    return loadKeySet(path);
  };

  it('accepts a JSON key set or PEM, even after text or white space', async () => {
    for (const text of [set, `\n  ${set}`, publicPem(publicKey), `keys {of} 2026:\n${publicPem(publicKey)}`])
      assert.deepEqual(await load(text), [publicKey], text);
  });

  it('finds the keys among keys of other kinds in a key set', async () => {
    const { kty, crv, x } = publicKey;
    const others = [
      null,
      5,
      { kty: 'EC', crv, x },
      { kty, crv: 'X25519', x },
      { kty, crv },
      { kty, crv, x: 5 },
    ];
    assert.deepEqual(await load(JSON.stringify({ keys: [...others, publicKey] })), [publicKey]);
    for (const keys of [others, [], 'keys', undefined])
      await assert.rejects(load(JSON.stringify({ keys })), refused(/contains no Ed25519 public key/));
    await assert.rejects(load('neither'), refused(/contains no Ed25519 public key/));
    await assert.rejects(load('{'), refused(/not valid JSON/));
  });

  it('refuses a PEM file that contains another kind of key or no key', async () => {
    const pem = generateKeyPairSync('ed448').publicKey.export({ type: 'spki', format: 'pem' });
    await assert.rejects(load(String(pem)), refused(/not an Ed25519 key/));
    const empty = '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n';
    await assert.rejects(load(empty), refused(/cannot be read/));
  });

  it('accepts up to one mebibyte', async () => {
    assert.deepEqual(await load(set.padEnd(MIB)), [publicKey]);
    await assert.rejects(load(set.padEnd(MIB + 1)), refused(/too large for keys/));
    handle = (_req, res) => res.end(set.padEnd(MIB));
    assert.deepEqual(await loadKeySet(address), [publicKey]);
    handle = (_req, res) => res.end(set.padEnd(MIB + 1));
    await assert.rejects(loadKeySet(address), refused(/too large for keys/));
  });

  it('fails if the file or address contains no key', async () => {
    await assert.rejects(loadKeySet(join(folder, 'none')), refused(/ENOENT/));
    handle = (_req, res) => res.writeHead(404).end(set);
    await assert.rejects(loadKeySet(address), refused(/can't be loaded: status 404/));
    handle = (req, res) =>
      req.url === '/keys.json' ? res.writeHead(302, { location: '/other' }).end() : res.end(set);
    await assert.rejects(loadKeySet(address), refused(/can't be loaded/));
  });

  it('refuses another machine’s address without TLS', async () => {
    for (const place of ['http://example.org/keys.json', 'HTTP://127.0.0.2/keys.json'])
      await assert.rejects(loadKeySet(place), refused(/Expected an https address for keys/));
    // Keys may be requested from this machine over http. The error shows that they were, because nothing
    // listens there.
    for (const host of ['localhost', '[::1]', '127.0.0.1'])
      await assert.rejects(loadKeySet(`http://${host}:1/`), refused(/can't be loaded/));
    await assert.rejects(loadKeySet('https://127.0.0.1:1/'), refused(/can't be loaded/));
  });

  it('accepts private keys, one per file, in the operator’s own files', async () => {
    const second = generateSigner().pem;
    for (const text of ['', publicPem(publicKey), privatePem + second, 'no key']) {
      const path = join(folder, 'own.pem');
      await writeFile(path, text);
      await assert.rejects(openKeyFile(path, false).signer(), {
        name: 'StartError',
        code: 'config_invalid',
        message: /the key of records in .*own\.pem can't be used: it must contain one private key/,
      });
    }
    await assert.rejects(openKeyFile(folder, false).signer(), { message: /can't be used: EISDIR/ });
  });

  it('returns keys that accept only signatures made with their own private key', () => {
    const signer = generateSigner();
    const bytes = Buffer.from('evidence');
    const signature = signer.sign(bytes);
    assert.equal(isSignedBy(signer.publicKey, bytes, signature), true);
    assert.equal(isSignedBy(signer.publicKey, Buffer.from('evidencf'), signature), false);
    assert.equal(isSignedBy(publicKey, bytes, signature), false);
  });
});

describe('the validity period of a published record key', () => {
  const at = (time: string): number => Date.parse(time);
  const FROM = '2026-02-01T00:00:00.000Z';
  const UNTIL = '2026-03-01T00:00:00.000Z';
  const now = at('2026-04-01T00:00:00.000Z');
  const explain = (key: Parameters<typeof explainWrongPeriod>[0], time: string): string | null =>
    explainWrongPeriod(key, { time, source: 'check' }, now);

  it('accepts only valid timestamps', () => {
    const period = { signs_from: FROM, signs_until: UNTIL, revoked_at: UNTIL };
    assert.deepEqual(readPeriod({ ...period, kid: 'x' }), period);
    assert.deepEqual(readPeriod({ signs_from: 'soon', signs_until: 5, revoked_at: null }), {});
  });

  it('is extended by five minutes at both ends, because clocks differ', () => {
    const key = { signs_from: FROM, signs_until: UNTIL };
    const cases: readonly [time: string, counts: boolean][] = [
      ['2026-01-31T23:54:59.999Z', false],
      ['2026-01-31T23:55:00.000Z', true],
      ['2026-03-01T00:05:00.000Z', true],
      ['2026-03-01T00:05:00.001Z', false],
    ];
    for (const [time, counts] of cases) assert.equal(explain(key, time) === null, counts, time);
    assert.equal(explain({ signs_from: FROM }, '2026-04-01T00:05:00.000Z'), null);
    assert.equal(
      explain({ signs_from: FROM }, '2026-04-01T00:05:00.001Z'),
      `which signs from ${FROM} until now, not at 2026-04-01T00:05:00.001Z`,
    );
    assert.equal(
      explain({ signs_until: UNTIL }, '2026-03-02T00:00:00.000Z'),
      `which signs until ${UNTIL}, not at 2026-03-02T00:00:00.000Z`,
    );
    assert.equal(
      explain({ revoked_at: UNTIL }, FROM),
      'which was revoked on 2026-03-01: none of its records counts',
    );
  });

  it('is ignored if its timestamps are invalid', () => {
    assert.notEqual(explain({}, 'yesterday'), null);
  });
});
