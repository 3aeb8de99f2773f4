// Creates the tables of corrections: changes of the full-image detector learned from an operator's images (removed in
// 0019). Times are milliseconds since 1970 in UTC.
import type { Queries } from '../database.js';

export async function up(queries: Queries): Promise<void> {
  await queries.schema.createTable('corrections', (table) => {
    table.text('id').primary();
    table.text('name').notNullable().unique();
    // `waiting`, `learning`, `ready`, `refused` or `failed`.
    table.text('state').notNullable();
    // 1 while the correction waits or is computed, then null. The unique index allows only one at a time.
    table.integer('at_work').unique();
    table.text('made_by').notNullable();
    table.bigInteger('created_at').notNullable();
    // The process that computes the correction, the end of its lease, and the number of attempts.
    table.text('claim');
    table.bigInteger('claimed_until');
    table.integer('tries').notNullable().defaultTo(0);
    // Number of images processed so far, and of all images.
    table.integer('seen').notNullable().defaultTo(0);
    table.integer('pictures').notNullable().defaultTo(0);
    table.text('reason');
    // Files made by `telltale models adapt`: table and warnings as JSON; card.md, adaptation.json and bands.json.
    table.text('outcome');
    table.text('card');
    table.text('adaptation');
    table.text('bands');
  });
  await queries.schema.createTable('correction_in_force', (table) => {
    // Always 1, so that the table has at most one row. Without a correction, the shipped model is used unchanged.
    table.integer('slot').primary();
    table.text('correction_id');
  });
}
