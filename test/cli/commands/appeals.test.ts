// Tests `telltale appeals`: listing open appeals, and deciding one in a newly signed record.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Static } from '@sinclair/typebox';
import sharp from 'sharp';
import { pageAudit } from '../../../src/accounts/audit.js';
import { readValue } from '../../../src/record/verify/read-record.js';
import type { AppealList, AppealSchema } from '../../../src/service/http/openapi/appeal-schemas.js';
import { makeFolder } from '../../support/folders.js';
import { openBench, postForm, postJson, send, type ServiceBench } from '../../support/service.js';
import { callTelltale, ROOT, type Finished } from '../../support/telltale.js';

type Appeal = Static<typeof AppealSchema>;
type Listed = Appeal & { readonly account: string; readonly was_ai: boolean };

const ORIGINAL = readFileSync(join(ROOT, 'samples/portrait.png'));

describe('telltale appeals', () => {
  const folder = makeFolder('appeals-cli');
  const path = join(folder, 'a.sqlite');
  const env = { TELLTALE_DATA_DIR: folder, TELLTALE_DATABASE_URL: `sqlite:${path}` };
  let bench: ServiceBench;

  before(async () => {
    bench = await openBench(
      { kind: 'sqlite', path },
      { store: { kind: 'folder', path: join(folder, 'images') } },
    );
  });
  after(() => bench.close());

  const run = (...args: string[]): Promise<Finished> => callTelltale(['appeals', ...args], { env });
  const list = async (...args: string[]): Promise<Listed[]> => {
    const { status, stdout, stderr } = await run('list', '--json', ...args);
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout) as Listed[];
  };
  /** Checks a smaller copy of the original, and returns an appeal against this check. */
  const appeal = async (key: string, remark: string): Promise<Appeal> => {
    const copy = await sharp(ORIGINAL).resize(300).jpeg().toBuffer();
    const { body } = await postForm(`${bench.url}/v1/check?store=true`, key, 'file', [copy]);
    const made = await postForm(`${bench.url}/v1/checks/${body.id}/appeals`, key, 'file', [ORIGINAL], {
      remark,
    });
    assert.equal(made.status, 201, made.text);
    return JSON.parse(made.text) as Appeal;
  };

  it('lists open appeals against verdicts, decides one, and signs a record of the decision', async () => {
    assert.deepEqual(await list(), []);
    assert.equal((await run('list')).stdout, '');
    const key = await bench.newKey({ account: 'acme' });
    const first = await appeal(key, 'mine \u001b[31m');
    const second = await appeal(key, '');
    assert.deepEqual(
      (await list()).map(({ id, account, remark }) => [id, account, remark]),
      [
        [second.id, 'acme', ''],
        [first.id, 'acme', 'mine \u001b[31m'],
      ],
    );
    const [, , line] = (await run('list')).stdout.split('\n');
    assert.match(
      line ?? '',
      new RegExp(`^${first.id} .* No AI detected +yes +No AI detected +open +acme +mine \\\\u001b\\[31m$`),
    );

    const long = await run('decide', first.id, 'verdict_confirmed', '--remark', 'x'.repeat(1001));
    assert.deepEqual([long.status, /at most 1000 characters/.test(long.stderr)], [2, true], long.stderr);
    const decided = await run(
      'decide',
      first.id,
      'verdict_overturned',
      '--remark',
      'seen on the card',
      '--json',
    );
    assert.deepEqual(
      JSON.parse(decided.stdout),
      { id: first.id, outcome: 'verdict_overturned' },
      decided.stderr,
    );
    assert.equal(
      (await run('decide', second.id, 'verdict_confirmed')).stdout,
      `${second.id}: verdict_confirmed\n`,
    );
    assert.deepEqual(await list(), []);
    assert.deepEqual(
      (await list('--all')).map(({ decision }) => [decision?.outcome, decision?.remark]),
      [
        ['verdict_confirmed', ''],
        ['verdict_overturned', 'seen on the card'],
      ],
    );
    const answer = await send(`${bench.url}/v1/checks/${first.check_id}/appeals`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const [shown] = (JSON.parse(answer.text) as Static<typeof AppealList>).appeals;
    assert.deepEqual(
      [shown?.decision?.outcome, shown?.decision?.remark],
      ['verdict_overturned', 'seen on the card'],
    );
    const { record } = readValue(shown?.record);
    assert.deepEqual([record.appeal?.id, record.appeal?.decision?.outcome], [first.id, 'verdict_overturned']);
    assert.notDeepEqual(shown?.record, first.record);
    const past = await bench.database.run((queries) =>
      queries<{ id: string; reported_note: string | null }>('checks').orderBy('id').pluck('reported_note'),
    );
    assert.deepEqual(past, [`appeal ${first.id}`, null]);
    const { rows } = await pageAudit(bench.database, { what: 'appeal.decided' });
    assert.deepEqual(
      rows.map(({ subject, actor }) => [subject, actor.kind, actor.name]),
      [second, first].map(({ check_id: id }) => [id, 'command', userInfo().username]),
    );
    const again = await run('decide', first.id, 'verdict_confirmed');
    assert.deepEqual([again.status, /already decided/.test(again.stderr)], [2, true], again.stderr);
  });

  it('lists the links of a check, without their tokens, and revokes one', async () => {
    const key = await bench.newKey({ account: 'links' });
    const copy = await sharp(ORIGINAL).resize(300).jpeg().toBuffer();
    const { body } = await postForm(`${bench.url}/v1/check?store=true`, key, 'file', [copy]);
    const made = await postJson(`${bench.url}/v1/checks/${body.id}/appeal-links`, key, {});
    const { id } = JSON.parse(made.text) as { id: string };
    assert.match((await run('links', body.id)).stdout, new RegExp(`\\n${id} .* open +3\\n`));
    const [link] = JSON.parse((await run('links', body.id, '--json')).stdout) as { token?: string }[];
    assert.deepEqual([link?.token, Object.keys(link ?? {}).includes('state')], [undefined, true]);
    assert.equal((await run('revoke', id)).stdout, `${id}: revoked\n`);
    assert.match((await run('links', body.id)).stdout, / revoked +3\n/);
    const unknown = await run('revoke', 'apk_none');
    assert.deepEqual([unknown.status, /no such link/.test(unknown.stderr)], [2, true], unknown.stderr);
  });

  it('creates a link that opens the appeals of a check, and records who created it', async () => {
    const key = await bench.newKey({ account: 'the desk' });
    const copy = await sharp(ORIGINAL).resize(300).jpeg().toBuffer();
    const { body } = await postForm(`${bench.url}/v1/check?store=true`, key, 'file', [copy]);
    const printed = await run('link', body.id, '--days', '3');
    assert.equal(printed.status, 0, printed.stderr);
    const [url = '', note] = printed.stdout.split('\n');
    const [, token = ''] = new RegExp(`^http://.*/appeal#${body.id}\\.(apt_\\S+)$`).exec(url) ?? [];
    assert.match(note!, /^apk_.*: valid until .*This is the only time/);
    assert.match(printed.stderr, /TELLTALE_PUBLIC_URL sets another address/);
    const answer = await send(`${bench.url}/v1/checks/${body.id}/appeals`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { link } = JSON.parse(answer.text) as Static<typeof AppealList>;
    const days = (Date.parse(link!.expires_at) - Date.now()) / 86_400_000;
    assert.ok(days > 2.9 && days <= 3, String(days));
    const { rows } = await pageAudit(bench.database, { what: 'appeal_link.created' });
    assert.deepEqual(
      [rows[0]?.subject, rows[0]?.accountName, rows[0]?.actor.kind, rows[0]?.after?.link],
      [body.id, 'the desk', 'command', link!.id],
    );
    const json = JSON.parse((await run('link', body.id, '--json')).stdout) as { url: string; token: string };
    assert.ok(json.url.endsWith(json.token));
    assert.equal((await run('link', 'chk_none')).status, 2);
  });

  it('refuses invalid arguments with exit code 2', async () => {
    const calls = [[], ['list', 'extra'], ['list', '--remark', 'x'], ['decide'], ['decide', 'apl_1'], ['decide', 'apl_1', 'won'], ['decide', 'apl_1', 'verdict_confirmed'], ['decide', 'apl_1', 'verdict_confirmed', 'extra'], ['decide', 'apl_1', 'verdict_confirmed', '--all'], ['links'], ['links', 'chk_1', 'extra'], ['revoke'], ['revoke', 'apk_1', '--remark', 'x'], ['link'], ['link', 'chk_1', '--days', '91'], ['links', 'chk_1', '--days', '3'], ['toString', 'chk_1']]; // prettier-ignore
    for (const args of calls) assert.equal((await run(...args)).status, 2, args.join(' '));
  });
});
