// Tests moving an installation from SQLite to PostgreSQL.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import pg from 'pg';
import { sharedPostgres } from '../../support/databases.js';
import { makeFolder } from '../../support/folders.js';
import { SCENE_JPEG } from '../../support/images.js';
import { callTelltale, fixture, type Finished } from '../../support/telltale.js';
import { serve, type Served } from '../../support/telltale-serve.js';

/** Number of rows that are added to the history, so that it has more than one page. */
const CHECKS = Number(process.env.MIGRATED_CHECKS ?? 2500);

const digest = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

describe('telltale migrate (copies SQLite to PostgreSQL)', function () {
  this.timeout(180_000);
  let folder: string;
  let source: string;
  let target: string;
  let env: Record<string, string>;

  beforeEach(async function () {
    const server = await sharedPostgres();
    if (server === null) return this.skip();
    folder = makeFolder('migrate');
    source = join(folder, 'telltale.sqlite');
    env = { TELLTALE_DATA_DIR: folder };
    target = server.createDatabase('template0');
  });

  const migrate = (...args: string[]): Promise<Finished> =>
    callTelltale(['migrate', '--to', target, ...args], { env });
  const newKey = async (): Promise<string> => {
    const made = await callTelltale(['keys', 'create', '--account', 'A', '--plan', 'scale', '--json'], {
      env,
    });
    return (JSON.parse(made.stdout) as { key: string }).key;
  };
  const withService = async <T>(work: (served: Served) => Promise<T>): Promise<T> => {
    const served = await serve(env);
    try {
      return await work(served);
    } finally {
      await served.end();
    }
  };
  const ask = async ({ url }: Served, key: string, path: string): Promise<unknown> => {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(SCENE_JPEG)]), 'scene.jpg');
    const isCheck = path.startsWith('/v1/check?');
    const answer = await fetch(`${url}${path}`, {
      headers: { authorization: `Bearer ${key}` },
      ...(isCheck && { method: 'POST', body: form }),
    });
    assert.equal(answer.status, 200, await answer.clone().text());
    return answer.json();
  };
  const usedChecks = async (served: Served, key: string): Promise<number> =>
    ((await ask(served, key, '/v1/usage')) as { checks: { used: number } }).checks.used;
  /** Copies the newest check of the history until there are CHECKS more. */
  const addChecks = (): void => {
    const database = new BetterSqlite(source);
    const columns = (database.pragma('table_info(checks)') as { name: string }[]).map(({ name }) => name);
    const copied = columns.map((name) => (name === 'id' ? "printf('chk_%026d', n)" : name));
    database.exec(
      `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${CHECKS})
       insert into checks (${columns.join()}) select ${copied.join()}
       from numbers, (select * from checks order by id desc limit 1)`,
    );
    database.close();
  };
  const runOnTarget = async (sql: string): Promise<pg.QueryResult> => {
    const client = new pg.Client({ connectionString: target });
    await client.connect();
    try {
      return await client.query(sql);
    } finally {
      await client.end();
    }
  };

  /** Marks the target as a partial copy, with the checks up to `rowid` and all other tables complete. */
  const markUnfinished = (rowid: number): Promise<unknown> =>
    runOnTarget(
      `create table unfinished_transfer (name text primary key, last_rowid bigint not null, copied bigint not null);
       insert into unfinished_transfer
       select table_name, case table_name when 'checks' then ${rowid} else 1000000 end, 0
       from information_schema.tables where table_schema = 'public'`,
    );

  it('copies an installation in use, whose keys, history and usage then continue on PostgreSQL', async () => {
    const key = await newKey();
    await withService(async (served) => {
      for (let n = 0; n < 3; n++) await ask(served, key, '/v1/check?store=true&include=record');
    });
    addChecks();
    const before = digest(source);
    const moved = await migrate('--json');
    assert.equal(moved.status, 0, moved.stderr);
    assert.equal(digest(source), before);
    const { tables } = JSON.parse(moved.stdout) as { tables: { name: string; rows: number }[] };
    assert.equal(tables.find(({ name }) => name === 'checks')?.rows, CHECKS + 3);
    env.TELLTALE_DATABASE_URL = target;
    await withService(async (served) => {
      assert.equal(await usedChecks(served, key), 3);
      const { checks } = (await ask(served, key, '/v1/checks?limit=1')) as { checks: { id: string }[] };
      await ask(served, key, `/v1/checks/${checks[0]?.id}`);
      await ask(served, key, '/v1/check?store=true');
      assert.equal(await usedChecks(served, key), 4);
    });
  });

  it('continues after an interruption; until then, no service starts on the partial copy', async () => {
    const key = await newKey();
    await withService((served) => ask(served, key, '/v1/check?'));
    addChecks();
    assert.equal((await migrate()).status, 0);
    // Removes everything that was copied after the first page of checks.
    const database = new BetterSqlite(source, { readonly: true });
    const page = database
      .prepare<[], { id: string; rowid: number }>('select id, rowid from checks order by rowid limit 1000')
      .all();
    database.close();
    await runOnTarget(`delete from checks where id not in (${page.map(({ id }) => `'${id}'`).join()})`);
    await markUnfinished(page.at(-1)?.rowid ?? 0);
    env.TELLTALE_DATABASE_URL = target;
    const started = await callTelltale(['keys', 'list'], { env });
    assert.equal(started.status, 1);
    assert.match(started.stderr, /unfinished copy. Run 'telltale migrate' again/);
    const moved = await migrate('--from', `sqlite:${source}`);
    assert.equal(moved.status, 0, moved.stderr);
    const { rows } = await runOnTarget('select count(*)::integer as n from checks');
    assert.deepEqual(rows, [{ n: CHECKS + 1 }]);
  });

  it('refuses a target that contains data, a copy that differs, and a source of another version', async () => {
    await newKey();
    assert.equal((await migrate()).status, 0);
    const again = await migrate();
    assert.equal(again.status, 1);
    assert.match(again.stderr, /target contains data in the table accounts/);

    await runOnTarget("update accounts set name = 'B'");
    await markUnfinished(0);
    const changed = await migrate();
    assert.equal(changed.status, 1);
    assert.match(changed.stderr, /The table accounts differs: 1 rows in the source, 1 in the target/);

    const database = new BetterSqlite(source);
    database.exec("delete from knex_migrations where name = '0028-assessments'");
    database.close();
    const old = await migrate();
    assert.equal(old.status, 1);
    assert.match(old.stderr, /older version. Start this version on it once/);
  });

  it('explains a missing source or a wrong address without repeating the password', async () => {
    const missing = await migrate();
    assert.match(missing.stderr, /There is no database at .*telltale\.sqlite/);
    assert.equal(missing.status, 1);
    for (const path of [fixture('jpeg/scene.jpg'), folder]) {
      const other = await migrate('--from', `sqlite:${path}`);
      assert.equal(other.status, 1);
      assert.match(other.stderr, /^telltale: .* can't be read as an SQLite database: [^\n]*\n$/);
    }
    for (const args of [['--from', 'postgres://a:secret@h/n'], ['--to', 'mysql://a:secret@h/n'], ['more']]) {
      const refused = await migrate(...args);
      assert.equal(refused.status, 2);
      assert.doesNotMatch(refused.stderr, /secret/);
    }
  });
});
