// Tests webhooks on the command line, on a real PostgreSQL, with a process that delivers and a server that
// receives.
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { EVENT_TYPES } from '../../../src/service/webhooks/endpoints.js';
import type { PresentedDelivery } from '../../../src/service/webhooks/deliveries.js';
import type { PresentedEndpoint } from '../../../src/service/webhooks/endpoints.js';
import { sharedPostgres } from '../../support/databases.js';
import { makeFolder } from '../../support/folders.js';
import { callTelltale, runTelltale, type Finished } from '../../support/telltale.js';
import { isSignedWith, openReceiver, type Receiver } from '../../support/webhook-receiver.js';
import { startWebhookWorker } from '../../support/webhook-worker.js';

type Made = PresentedEndpoint & { readonly secret: string };

describe('telltale webhooks', function () {
  this.timeout(120_000);
  let env: Record<string, string>;
  let receiver: Receiver;
  let worker: ChildProcess;

  before(async function () {
    const server = await sharedPostgres();
    if (server === null) return this.skip();
    const url = server.createDatabase();
    env = {
      TELLTALE_DATA_DIR: makeFolder('webhooks'),
      TELLTALE_DATABASE_URL: url,
    };
    receiver = await openReceiver();
  });
  after(() => {
    worker.kill();
    receiver.close();
  });

  const run = (...args: string[]): Promise<Finished> => callTelltale(['webhooks', ...args], { env });
  const read = async <T>(...args: string[]): Promise<T> => {
    const { status, stdout, stderr } = await run(...args, '--json');
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout) as T;
  };

  it('creates, lists, tests and deletes webhooks, replaces their secrets and prints deliveries', async () => {
    const made = await read<Made>('create', '--account', 'acme', '--url', `${receiver.url}/cli`);
    assert.deepEqual(made.events, EVENT_TYPES);
    const [listed, ...others] = await read<(PresentedEndpoint & { account: string })[]>('list', '--account', 'acme'); // prettier-ignore
    assert.deepEqual([listed?.id, listed?.account, others], [made.id, 'acme', []]);
    const unheard = await run('test', made.id);
    assert.equal(unheard.status, 1);
    assert.match(unheard.stderr, /Is a 'telltale worker' running/);
    worker = await startWebhookWorker(env.TELLTALE_DATABASE_URL!, receiver.world.ca ?? '');
    const testing = await runTelltale(['webhooks', 'test', made.id, '--json'], { env });
    const tested = JSON.parse(testing.stdout) as PresentedDelivery;
    assert.deepEqual([tested.type, tested.state, tested.last_status], ['webhook.test', 'delivered', 204]);
    const [first] = await receiver.waitFor('/cli', 2);
    assert.ok(first && isSignedWith(first, made.secret));
    const { stdout: rotated } = await run('rotate', made.id);
    const [secret = ''] = rotated.split('\n');
    assert.match(rotated, /only time the secret of whe_\w+ is shown/);
    receiver.answer((_req, res) => res.writeHead(410).end());
    const gone = await run('test', made.id);
    assert.deepEqual([gone.status, /status 410/.test(gone.stdout)], [1, true], gone.stdout);
    const last = receiver.arrivals.at(-1)!;
    assert.ok(isSignedWith(last, made.secret) && isSignedWith(last, secret));
    assert.match((await run('list')).stdout, /disabled: .*410/);
    assert.equal((await read<PresentedEndpoint>('enable', made.id)).disabled_at, null);
    const log = await run('log', made.id);
    assert.equal(log.stdout.trim().split('\n').length, 1 + 3);
    for (const text of [log.stdout, (await run('list')).stdout]) assert.ok(!text.includes('whsec_'));
    const fewer = await read<PresentedEndpoint>('events', made.id, '--events', 'key.expiring,scan.finished');
    assert.deepEqual(fewer.events, ['scan.finished', 'key.expiring']);
    assert.deepEqual(
      (await read<PresentedEndpoint[]>('list')).map(({ events }) => events),
      [fewer.events],
    );
    assert.deepEqual(await read('delete', made.id), { id: made.id });
    assert.deepEqual(await read('list'), []);
  });

  it('refuses invalid arguments with exit code 2', async () => {
    const account = ['--account', 'acme'];
    const calls = [[], ['create'], ['create', ...account, '--url', 'http://hooks.example.org/'], ['create', ...account, '--url', 'https://10.0.0.1/'], ['create', ...account, '--url', 'https://a.example/', '--events', 'all'], ['list', '--account', 'nobody'], ['list', 'extra'], ['rotate'], ['rotate', 'whe_1'], ['events', 'whe_1'], ['events', 'whe_1', '--events', ''], ['events', 'whe_1', '--events', 'scan.finished'], ['log', 'whe_1'], ['test', 'whe_1', 'extra'], ['constructor', 'whe_1']]; // prettier-ignore
    for (const args of calls) assert.equal((await run(...args)).status, 2, args.join(' '));
  });

  it('explains how to enable webhooks if the database is not PostgreSQL', async () => {
    const sqlite = { TELLTALE_DATA_DIR: env.TELLTALE_DATA_DIR! };
    const { status, stderr } = await callTelltale(['webhooks', 'list'], { env: sqlite });
    assert.equal(status, 1);
    assert.match(stderr, /need PostgreSQL: TELLTALE_DATABASE_URL=postgres/);
  });
});
