// Migrations 0028 to 0030, one function each.
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
