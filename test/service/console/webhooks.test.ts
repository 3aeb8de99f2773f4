// Tests webhooks in the console: the API on both databases, and the page in a browser.
import assert from 'node:assert/strict';
import { pino } from 'pino';
import type { Browser, Page } from 'playwright-core';
import type { DatabaseSetting } from '../../../src/config.js';
import type { DeliveryPage, NewWebhook, Webhooks } from '../../../src/service/console/shapes.js';
import { openQueue } from '../../../src/storage/queue/queue.js';
import type { PresentedDelivery } from '../../../src/service/webhooks/deliveries.js';
import type { PresentedEndpoint } from '../../../src/service/webhooks/endpoints.js';
import { startDeliveries } from '../../../src/service/webhooks/work.js';
import { findSerious, openConsole, type Person, type Watch } from '../../support/browser.js';
import { closeWindows, sharedBrowser } from '../../support/visit.js';
import { signIn } from '../../support/console.js';
import { sharedPostgres } from '../../support/databases.js';
import { openBench, type ServiceBench } from '../../support/service.js';
import { isSignedWith, openReceiver, type Receiver } from '../../support/webhook-receiver.js';

const ann: Person = { account: 'acme', email: 'ann@acme.example', role: 'owner' };
const bob: Person = { account: 'globex', email: 'bob@globex.example', role: 'owner' };
const events = ['scan.finished'];

describe('webhooks in the console API', function () {
  this.timeout(600_000);
  let bench: ServiceBench;
  let receiver: Receiver;
  const endings: (() => unknown)[] = [];

  before(async function () {
    const server = await sharedPostgres();
    if (server === null) return this.skip();
    const database: DatabaseSetting = { kind: 'postgres', url: server.createDatabase() };
    bench = await openBench(database);
    endings.push(() => bench.close());
    receiver = await openReceiver();
    endings.push(() => receiver.close());
    const queue = await openQueue(database.url, () => undefined);
    endings.push(() => queue.close());
    const log = pino({ level: 'silent' });
    endings.push(await startDeliveries({ database: bench.database, queue, log, fetcher: receiver.world }));
  });
  after(async () => {
    for (const end of endings.reverse()) await end();
  });

  it('are available only to owners of their account', async () => {
    const [mine, theirs] = [await signIn(bench, ann), await signIn(bench, bob)];
    const made = await mine.call<NewWebhook>('POST', '/webhooks', { url: `${receiver.url}/api`, events });
    assert.equal(made.status, 201, made.text);
    assert.match(made.body.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    const listed = await mine.call<Webhooks>('GET', '/webhooks');
    assert.deepEqual(
      listed.body.webhooks.map(({ id }) => id),
      [made.body.id],
    );
    assert.ok(!listed.text.includes('whsec_'));
    const path = `/webhooks/${made.body.id}`;
    for (const [method, end] of [
      ['DELETE', ''],
      ['PUT', '/events'],
      ['POST', '/rotate'],
      ['POST', '/enable'],
      ['POST', '/test'],
      ['GET', '/deliveries'],
      ['POST', '/deliveries/whd_00000000000000000000000000/redeliver'],
    ] as const)
      assert.equal(
        (await theirs.call(method, path + end, end === '/events' ? { events } : undefined)).status,
        404,
        end,
      );
    assert.deepEqual((await theirs.call<Webhooks>('GET', '/webhooks')).body.webhooks, []);
    const member = await signIn(bench, { ...ann, email: 'mia@acme.example', role: 'member' });
    assert.equal((await member.call('GET', '/webhooks')).status, 403);
  });

  it('are refused with an error code if the address or the events are invalid', async () => {
    const client = await signIn(bench, ann);
    const refuse = async (body: unknown, status: number, code: string): Promise<void> => {
      const answer = await client.call('POST', '/webhooks', body);
      assert.deepEqual([answer.status, answer.body.error.code], [status, code], JSON.stringify(body));
    };
    await refuse({ url: 'http://hooks.example.org/', events }, 400, 'invalid_url');
    await refuse({ url: 'https://10.0.0.1/', events }, 400, 'url_not_public');
    await refuse({ url: 'https://localhost:8443/', events }, 400, 'url_not_public');
    await refuse({ url: 'https://hooks.example.org/', events: [] }, 400, 'invalid_request');
    await refuse({ url: 'https://hooks.example.org/', events: ['scan.begun'] }, 400, 'invalid_request');
    await refuse({ url: `https://hooks.example.org/${'a'.repeat(3000)}`, events }, 400, 'invalid_request');
    await refuse([], 400, 'invalid_request');
    const { id } = (await client.call<Webhooks>('GET', '/webhooks')).body.webhooks[0]!;
    const strange = await client.call('GET', `/webhooks/${id}/deliveries?before=1`);
    assert.deepEqual([strange.status, strange.body.error.code], [400, 'invalid_request']);
    for (const none of [[], ['scan.begun']]) {
      const answer = await client.call('PUT', `/webhooks/${id}/events`, { events: none });
      assert.deepEqual([answer.status, answer.body.error.code], [400, 'invalid_request']);
    }
  });

  it('send a test event, replace secrets, repeat deliveries and list all deliveries', async () => {
    const client = await signIn(bench, ann);
    const url = `${receiver.url}/tested`;
    const made = (await client.call<NewWebhook>('POST', '/webhooks', { url, events })).body;
    const path = `/webhooks/${made.id}`;
    const sent = await client.call<PresentedDelivery>('POST', `${path}/test`);
    assert.deepEqual([sent.status, sent.body.state], [202, 'pending']);
    const [first] = await receiver.waitFor('/tested', 1);
    assert.ok(first && isSignedWith(first, made.secret));
    const rotated = (await client.call<NewWebhook>('POST', `${path}/rotate`)).body;
    assert.ok(rotated.former_secret_until && rotated.secret !== made.secret);
    const again = await client.call('POST', `${path}/deliveries/${sent.body.id}/redeliver`);
    assert.equal(again.status, 202, again.text);
    const [, second] = await receiver.waitFor('/tested', 2);
    assert.ok(second && isSignedWith(second, made.secret) && isSignedWith(second, rotated.secret));
    assert.equal(second.id, sent.body.event_id);
    const log = async () => (await client.call<DeliveryPage>('GET', `${path}/deliveries`)).body.deliveries;
    // The first attempt may still be storing its response. A repeated delivery replaces the attempt that is
    // waiting.
    while ((await log())[0]?.state === 'pending' || (await log())[0]?.tries === 1);
    assert.deepEqual(
      (await log()).map(({ type, state, tries, last_status: status }) => [type, state, tries, status]),
      [['webhook.test', 'delivered', 2, 204]],
    );
    assert.equal((await client.call('DELETE', path)).status, 204);
    assert.equal((await client.call('GET', `${path}/deliveries`)).status, 404);
  });

  it('can be enabled again after a 410 response disabled them', async () => {
    const client = await signIn(bench, ann);
    const url = `${receiver.url}/gone`;
    const { id } = (await client.call<NewWebhook>('POST', '/webhooks', { url, events })).body;
    receiver.answer((_req, res) => res.writeHead(410).end());
    await client.call('POST', `/webhooks/${id}/test`);
    const find = async (): Promise<PresentedEndpoint | undefined> =>
      (await client.call<Webhooks>('GET', '/webhooks')).body.webhooks.find((webhook) => webhook.id === id);
    while ((await find())?.disabled_at === null);
    receiver.answer((_req, res) => res.writeHead(204).end());
    assert.equal((await client.call('POST', `/webhooks/${id}/test`)).status, 400);
    assert.equal((await client.call('POST', `/webhooks/${id}/enable`)).status, 200);
    assert.equal((await client.call('POST', `/webhooks/${id}/test`)).status, 202);
    await receiver.waitFor('/gone', 2);
    await client.call('DELETE', `/webhooks/${id}`);
  });

  describe('webhooks on the console page in a browser', () => {
    let browser: Browser;
    let page: Page;
    let watch: Watch;

    before(async () => {
      browser = await sharedBrowser();
      endings.push(closeWindows);
      ({ page, watch } = await openConsole(browser, bench, { ...ann, account: 'initech', email: 'ivy@initech.example' })); // prettier-ignore
      await page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).click();
      await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    });

    it('are added, tested, changed and deleted', async () => {
      await page.getByText('No webhooks yet').waitFor();
      await page.getByRole('button', { name: 'Add a webhook' }).click();
      await page.getByLabel('Address').fill('https://10.0.0.1/');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByText('Expected the address of a public host').waitFor();
      await page.getByLabel('Address').fill(`${receiver.url}/page`);
      await page.getByLabel('a scan made another 10% of progress').uncheck();
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByText('It is not shown again').waitFor();
      const secret = await page.locator('.secret code').innerText();
      await page.getByRole('button', { name: 'Done' }).click();
      assert.equal(await page.getByText(secret).count(), 0);
      await page.getByText('Nothing was sent yet').waitFor();
      await page.getByRole('button', { name: 'Send a test event' }).click();
      const [arrival] = await receiver.waitFor('/page', 1);
      assert.ok(arrival && isSignedWith(arrival, secret));
      await page.getByRole('cell', { name: 'delivered' }).waitFor();
      assert.deepEqual(await findSerious(page), []);
      await page.getByRole('button', { name: 'Change events' }).click();
      assert.equal(await page.getByLabel('a scan made another 10% of progress').isChecked(), false);
      await page.getByLabel('a scan has finished').uncheck();
      await page.getByRole('button', { name: 'Save' }).click();
      await page
        .getByText(/^quota\.reached, key\.expiring, appeal\.received, appeal\.decided; since/)
        .waitFor();
      await page.getByRole('button', { name: 'Rotate the secret' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate', exact: true }).click();
      await page.getByText('It is not shown again').waitFor();
      const rotated = await page.locator('.secret code').innerText();
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByText('The previous secret also signs until').waitFor();
      await page.getByRole('button', { name: `Send again ${arrival.id}` }).click();
      const [, second] = await receiver.waitFor('/page', 2);
      assert.ok(second && isSignedWith(second, rotated) && isSignedWith(second, secret));
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No webhooks yet').waitFor();
      assert.deepEqual(watch.foreignRequests, []);
      assert.deepEqual(watch.errors.filter((line) => !/status of 400.*\/console\/api\/webhooks/.test(line)), []); // prettier-ignore
    });
  });
});

describe('the console’s webhooks without PostgreSQL', function () {
  this.timeout(600_000);
  it('return the error not_configured with status 501, and a plain explanation on the page', async () => {
    const bench = await openBench();
    const browser = await sharedBrowser();
    try {
      const client = await signIn(bench, ann);
      for (const [method, path] of [
        ['GET', '/webhooks'],
        ['POST', '/webhooks'],
        ['DELETE', '/webhooks/whe_1'],
      ] as const) {
        const answer = await client.call(method, path, method === 'POST' ? {} : undefined);
        assert.deepEqual([answer.status, answer.body.error.code], [501, 'not_configured']);
      }
      const { page } = await openConsole(browser, bench, ann);
      await page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).click();
      await page.getByText('Scans and webhooks need PostgreSQL').waitFor();
      assert.equal(await page.getByRole('alert').count(), 0);
      assert.equal(await page.getByRole('button', { name: 'Add a webhook' }).count(), 0);
    } finally {
      await closeWindows();
      await bench.close();
    }
  });
});
