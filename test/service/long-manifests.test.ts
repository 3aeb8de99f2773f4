// Tests manifests with megabytes of text, in every response, table, webhook and log line that describes a
// check.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { sharedPostgres } from '../support/databases.js';
import { signIn } from '../support/console.js';
import { openInternet, openScanBench, ScanCaller, type Internet, type ScanBench } from '../support/scans.js';
import { postForm, send } from '../support/service.js';
import { sourceType } from '../support/sign.js';
import { openStudio } from '../support/studio.js';

/** Maximum characters of any text about one image: details, or a record with its small image. */
const MAX_CHARACTERS = 100_000;

describe('megabytes of text in an image’s C2PA manifest', function () {
  this.timeout(300_000);
  let bench: ScanBench;
  let internet: Internet;
  let key: string;
  const account = 'long';
  const images: Buffer[] = [readFileSync('test/fixtures/manifests/long_signer.png')];

  before(async function () {
    const postgres = await sharedPostgres();
    if (postgres === null) return this.skip();
    const studio = await openStudio();
    const long = (name: string): string => `${name}\u202e\n${'x'.repeat(1_000_000)}`;
    const wish = {
      generator: long('generator'),
      actions: [
        { action: 'c2pa.created', softwareAgent: { name: long('NovelAI') } },
        {
          action: 'c2pa.edited',
          digitalSourceType: sourceType('trainedAlgorithmicMedia'),
          softwareAgent: { name: long('tool') },
        },
        { action: 'c2pa.edited', digitalSourceType: long('type') },
      ],
      assertions: { 'c2pa.soft-binding': { alg: long('alg'), blocks: [] } },
    };
    images.push(await studio.sign('png', wish), await studio.sign('jpeg', { ...wish, actions: [] }));
    await studio.close();
    internet = await openInternet((req, res) => res.end(images[Number(req.url?.slice(1))]));
    bench = await openScanBench(postgres);
    key = await bench.service.newKey({ account, plan: 'scale' });
  });
  after(async () => {
    await bench.close();
    internet.close();
  });

  const include = '?include=credentials,marks,warnings,record';
  /** Asserts that a text about `count` images is no longer than allowed. */
  const assertShort = (text: string, count = 1): void => {
    assert.ok(text.length < count * MAX_CHARACTERS, `${text.length} characters: ${text.slice(0, 500)}`);
    assert.doesNotMatch(text, /x{201}|\u202e|\\u202e/);
  };

  it('are shortened in responses, records, batches and repeated responses', async () => {
    const { url } = bench.service;
    for (const image of images) {
      const repeat = { 'idempotency-key': randomUUID() };
      for (let time = 0; time < 2; time += 1) {
        const answer = await postForm(`${url}/v1/check${include}`, key, 'file', [image], {}, repeat);
        assert.equal(answer.status, 200, answer.text.slice(0, 500));
        assertShort(answer.text);
      }
    }
    const batch = await postForm(`${url}/v1/check/batch${include}`, key, 'files', images);
    assert.equal(batch.status, 200);
    assertShort(batch.text, images.length);
  });

  it('are shortened in check lists, in the console and in the console’s records', async () => {
    const headers = { authorization: `Bearer ${key}` };
    const { text, body } = await send(`${bench.service.url}/v1/checks`, { headers });
    const { checks } = body as unknown as { checks: { id: string }[] };
    assertShort(text, checks.length);
    const client = await signIn(bench.service, { account, email: 'ann@long.example', role: 'owner' });
    assertShort((await client.call('GET', '/checks')).text, checks.length);
    for (const { id } of checks) {
      assertShort((await send(`${bench.service.url}/v1/checks/${id}`, { headers })).text);
      assertShort((await client.call('GET', `/checks/${id}`)).text);
      assertShort((await client.call('GET', `/checks/${id}/record`)).text);
    }
  });

  it('are shortened in scan results, database rows, webhook events and log lines', async () => {
    await bench.startWorker();
    const caller = new ScanCaller(bench.service.url, key);
    const lines = images.map((_, at) => ({ url: `http://pictures.example.org:${internet.port}/${at}` }));
    const list = lines.map((line) => JSON.stringify(line)).join('\n');
    const response = await caller.postList(list, { include: 'credentials,marks' });
    const begun = (await response.json()) as { id: string };
    assert.equal(response.status, 202, JSON.stringify(begun));
    await caller.wait(begun.id);
    const entries = await caller.results(begun.id);
    assert.deepEqual(
      entries.map(({ error }) => error),
      images.map(() => undefined),
    );
    for (const entry of entries) assertShort(JSON.stringify(entry));
    const tables = await bench.service.database.run((queries) =>
      queries('information_schema.tables')
        .whereNotIn('table_schema', ['pg_catalog', 'information_schema'])
        .select<{ table_schema: string; table_name: string }[]>('table_schema', 'table_name'),
    );
    assert.ok(tables.length > 20);
    for (const { table_schema: schema, table_name: name } of tables) {
      const rows = await bench.service.database.run((queries) =>
        queries
          .from(queries.raw('??.?? as "row"', [schema, name]))
          .select<{ text: string }[]>(queries.raw('"row"::text as text')),
      );
      // This table stores the response to a batch as a whole, under its Idempotency-Key.
      for (const { text } of rows) assertShort(text, images.length);
    }
    for (const line of bench.service.logged) assertShort(line);
  });
});
