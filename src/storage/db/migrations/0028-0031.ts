// Migrations 0028 to 0031, one function each.
import type { Queries } from '../database.js';

/**
 * Adds the assessment of checks, and of scans the number of checks by assessment as JSON. Both are null in rows that
 * were stored before.
 */
export async function addAssessments(queries: Queries): Promise<void> {
  await queries.raw('alter table checks add column assessment text');
  await queries.raw('alter table scans add column assessments text');
}

/**
 * Adds to each appeal its link and whether it was withdrawn, to links whether they were revoked, and to checks the
 * state of their appeals.
 */
export async function separateAppealLinks(queries: Queries): Promise<void> {
  await queries.schema.alterTable('appeals', (table) => {
    // Link through which the appeal was made; null for the account's own appeals, and if a former version stored it.
    table.text('link_id').index();
    table.bigInteger('withdrawn_at');
  });
  await queries.schema.alterTable('appeal_links', (table) => {
    table.bigInteger('revoked_at');
  });
  await queries.schema.alterTable('checks', (table) => {
    // `open`, `confirmed` or `overturned`; null without an appeal.
    table.text('appeal');
  });
  // If a check has a single link, its appeals came through this link.
  const links = 'from appeal_links where appeal_links.check_id = appeals.check_id';
  await queries.raw(
    `update appeals set link_id = (select min(id) ${links}) where "by" = 'link' and (select count(*) ${links}) = 1`,
  );
  const appeals = (decision: string): string =>
    `exists (select 1 from appeals where appeals.check_id = checks.id and ${decision})`;
  await queries.raw(
    `update checks set appeal = case when ${appeals("decision like '%overturned'")} then 'overturned'
       when ${appeals('decision is null')} then 'open' else 'confirmed' end
     where id in (select check_id from appeals)`,
  );
}

/** Adds thumbnails of known images: small JPEGs, or null for images that were added before. */
export async function addKnownThumbnails(queries: Queries): Promise<void> {
  await queries.schema.alterTable('known_images', (table) => table.binary('thumbnail'));
}

/** Fitted thresholds, as stored: `outcome` is JSON, `card` is Markdown. Both end each account's row with names. */
interface FittedRow {
  readonly id: string;
  readonly outcome: string;
  readonly card: string | null;
}

/** Text that stood for API keys and former members among the names. */
const OTHERS = 'an API key or a former member';

/**
 * Replaces the e-mail addresses of members in fitted thresholds by the number of members, because the thresholds stay
 * when a member leaves or an account is erased.
 */
export async function removeLabellerNames(queries: Queries): Promise<void> {
  const rows = await queries<FittedRow>('corrections')
    .whereNotNull('outcome')
    .select('id', 'outcome', 'card');
  for (const { id, outcome, card } of rows) {
    const { whose = [], ...rest } = JSON.parse(outcome) as { whose?: string[][] };
    const counted = whose.map((cells, at) =>
      at === 0 ? cells : [...cells.slice(0, -1), countNames(cells.at(-1) ?? '')],
    );
    await queries('corrections')
      .where({ id })
      .update({ outcome: JSON.stringify({ ...rest, whose: counted }), card: countNamesInCard(card) });
  }
}

/** Replaces `a@x.example, b@x.example and 1 more` by `3 members`. */
function countNames(names: string): string {
  const [, shown = '', more = '0'] = /^(.*?)(?: and (\d+) more)?$/s.exec(names) ?? [];
  const parts = shown.split(', ');
  const members = parts.filter((name) => name !== '' && name !== OTHERS).length + Number(more);
  const counted = members === 0 ? [] : [members === 1 ? '1 member' : `${members} members`];
  return [...counted, ...(parts.includes(OTHERS) ? ['API keys or former members'] : [])].join(', ');
}

/** Replaces the names in the last table of a card. A vertical bar within a cell has a backslash before it. */
function countNamesInCard(card: string | null): string | null {
  const table = card?.indexOf('| account | genuine images |') ?? -1;
  if (card === null || table === -1) return card;
  const [heading = '', line = '', ...rows] = card.slice(table).split('\n');
  const counted = rows.map((row) => {
    const last = row.lastIndexOf(' | ');
    return row.startsWith('| ') ? `${row.slice(0, last)} | ${countNames(row.slice(last + 3, -2))} |` : row;
  });
  return card.slice(0, table) + [heading, line, ...counted].join('\n');
}
