// Tests database tables and programs of different versions, as during updates and rollbacks.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { openDatabase, type Queries } from '../../../src/storage/db/database.js';
import { migrate, MIGRATION_LOCK, STEPS } from '../../../src/storage/db/migrate.js';
import { describeOnEachDatabase, sharedPostgres } from '../../support/databases.js';
import { SCENE_JPEG } from '../../support/images.js';
import { openBench, postForm } from '../../support/service.js';

/** A column as PostgreSQL describes it. */
interface Column {
  readonly table_name: string;
  readonly column_name: string;
  readonly data_type: string;
  readonly is_nullable: 'YES' | 'NO';
  readonly column_default: string | null;
}

/** Last migration of the first release. Migrations up to this one may change tables freely. */
const RELEASED = '0005-scan-hosts';

describeOnEachDatabase('an older version on a newer database', (bench) => {
  it('starts, and serves while the newer version runs too', async () => {
    const database = await bench.open();
    // Adds a row that a later version's migration would leave behind.
    await database.run((queries) =>
      queries('knex_migrations').insert({ name: '9999-later', batch: 2, migration_time: new Date() }),
    );
    await database.run((queries) => queries.raw('alter table accounts add column later text'));
    await database.run((queries) => queries.raw('create table laters (id text primary key)'));
    const service = await openBench(bench.setting());
    try {
      const answer = await postForm(`${service.url}/v1/check`, await service.newKey(), 'file', [SCENE_JPEG]);
      assert.equal(answer.status, 200, answer.text);
    } finally {
      await service.close();
    }
    const names = await database.run((queries) => queries('knex_migrations').pluck<string[]>('name'));
    assert.deepEqual(names, [...STEPS.map(({ name }) => name), '9999-later']);
  });
});

describe('database migrations', function () {
  this.timeout(60_000);
  let url: string;

  beforeEach(async function () {
    const server = await sharedPostgres();
    if (server === null) return this.skip();
    url = server.createDatabase('template0');
  });

  it('may take longer than the time limit for statements', async () => {
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const database = await openDatabase({ kind: 'postgres', url });
    const migrated = migrate(database);
    migrated.catch(() => undefined);
    // Longer than both statement time limits: 5 s of the server and 6 s of the program.
    await setTimeout(6500);
    await other.end();
    await migrated;
    assert.deepEqual(await database.run((queries) => queries('accounts').select()), []);
    await database.close();
  });

  it('never lower an API key’s plan when plans move from keys to accounts', async () => {
    const database = await openDatabase({ kind: 'postgres', url });
    const given = {
      raised: { plan: 'scale', keys: ['free', 'free'] },
      // A later key was the only way to give an account a larger plan.
      grown: { plan: 'free', keys: ['free', 'growth'] },
      mixed: { plan: 'growth', keys: ['growth', 'free'] },
      own: { plan: 'gold', keys: ['gold', 'silver'] },
      empty: { plan: null, keys: [] },
    };
    await database.transaction(async (queries) => {
      const [last] = STEPS.filter(({ name }) => name === '0018-plans-of-accounts');
      for (const step of STEPS.slice(0, STEPS.indexOf(last!))) await step.up(queries);
      for (const [id, { plan, keys }] of Object.entries(given)) {
        await queries('accounts').insert({ id, name: id, plan, created_at: 1 });
        for (const [index, of] of keys.entries())
          await queries('api_keys').insert({
            ...{ id: `${id}${index}`, account_id: id, name: 'k', plan: of },
            ...{ scopes: 'check', hash: '', created_at: index },
          });
      }
      await last!.up(queries);
      const rows = await queries('accounts')
        .leftJoin('api_keys', 'api_keys.account_id', 'accounts.id')
        .orderBy(['accounts.id', 'api_keys.id'])
        .select<{ id: string; plan: string; narrowed_to: string | null }[]>(
          'accounts.id as id',
          'accounts.plan as plan',
          'narrowed_to',
        );
      assert.deepEqual(
        rows.map(({ id, plan, narrowed_to }) => `${id} ${plan} ${narrowed_to ?? '-'}`),
        ['empty null -', 'grown growth free', 'grown growth -', 'mixed growth -', 'mixed growth free', 'own gold -', 'own gold silver', 'raised scale -', 'raised scale -'], // prettier-ignore
      );
    });
    await database.close();
  });

  it('replace the addresses of members in fitted thresholds by their number', async () => {
    const database = await openDatabase({ kind: 'postgres', url });
    const row = (names: string) => ['desk \\| a', '400', '27 of 400, 6.75%', '4 of 400, 1%', names];
    const given = {
      one: ['m@mill.example', '1 member'],
      many: [
        'a@x.example, an API key or a former member, b\\_c@x.example and 2 more',
        '4 members, API keys or former members',
      ],
      key: ['an API key or a former member', 'API keys or former members'],
    } as const;
    const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
    const whose = (at: 0 | 1): string[][] => [
      ['account', 'genuine images', 'flagged before (strict)', 'flagged after', 'confirmed as genuine by'],
      ...Object.values(given).map((texts) => row(texts[at])),
    ];
    const cardOf = ([headings = [], ...rows]: string[][]): string =>
      ['# name', '', line(headings), '| --- |', ...rows.map(line), '', '* note | by', ''].join('\n');
    await database.transaction(async (queries) => {
      const last = STEPS.find(({ name }) => name === '0031-unnamed-labellers');
      for (const step of STEPS.slice(0, STEPS.indexOf(last!))) await step.up(queries);
      await queries('corrections').insert({
        ...{ id: 'thr_1', name: 'desk', state: 'ready', made_by: 'o', created_at: 1, wanted: '{}' },
        ...{ outcome: JSON.stringify({ table: [], whose: whose(0), warnings: [] }), card: cardOf(whose(0)) },
      });
      await last!.up(queries);
      const [{ outcome, card } = {}] = await queries<Record<string, string>>('corrections');
      assert.deepEqual(JSON.parse(outcome ?? ''), { table: [], whose: whose(1), warnings: [] });
      assert.equal(card, cardOf(whose(1)));
    });
    await database.close();
  });

  it('only add to the tables, so that the previous version keeps working', async () => {
    const database = await openDatabase({ kind: 'postgres', url });
    await database.transaction(async (queries) => {
      let isReleased = false;
      for (const step of STEPS) {
        const before = await readColumns(queries);
        await step.up(queries);
        if (isReleased) requireAdditive(step.name, before, await readColumns(queries));
        isReleased ||= step.name === RELEASED;
      }
      assert.ok(isReleased);
    });
    await database.close();
  });
});

async function readColumns(queries: Queries): Promise<Map<string, Column>> {
  const columns = await queries('information_schema.columns')
    .where({ table_schema: 'public' })
    .select<Column[]>('table_name', 'column_name', 'data_type', 'is_nullable', 'column_default');
  return new Map(columns.map((column) => [`${column.table_name}.${column.column_name}`, column]));
}

/**
 * Columns that may become nullable. The previous version joins a scan with its key: it lists a member's scan,
 * can cancel it, and its worker ignores the images.
 */
const FREED = ['scans.key_id'];

/** Requires that existing columns are unchanged and that the previous version's rows are still valid. */
function requireAdditive(
  step: string,
  before: ReadonlyMap<string, Column>,
  after: ReadonlyMap<string, Column>,
): void {
  const tables = new Set([...before.values()].map((column) => column.table_name));
  for (const [name, column] of before) {
    const isFreed = FREED.includes(name) && after.get(name)?.is_nullable === 'YES';
    const kept = isFreed ? { ...column, is_nullable: 'YES' } : column;
    assert.deepEqual(after.get(name), kept, `${step} changes ${name}`);
  }
  for (const [name, column] of after)
    if (!before.has(name) && tables.has(column.table_name))
      assert.ok(
        column.is_nullable === 'YES' || column.column_default !== null,
        `${step}: rows of the version before lack ${name}`,
      );
}
