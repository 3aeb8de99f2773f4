// Corrections of the full-image specialist, and which of them is in force. Times are milliseconds since 1970 in UTC.
import type { Queries } from '../database.js';

/** Makes both tables. */
export async function up(queries: Queries): Promise<void> {
  await queries.schema.createTable('corrections', (table) => {
    table.text('id').primary();
    table.text('name').notNullable().unique();
    // waiting, learning, ready, refused, failed
    table.text('state').notNullable();
    // 1 while it waits or is learned, and null from then on: only one at a time.
    table.integer('at_work').unique();
    table.text('made_by').notNullable();
    table.bigInteger('created_at').notNullable();
    // Who learns it, until when nobody else may, and how often it was begun.
    table.text('claim');
    table.bigInteger('claimed_until');
    table.integer('tries').notNullable().defaultTo(0);
    // Images that were looked at, of how many.
    table.integer('seen').notNullable().defaultTo(0);
    table.integer('pictures').notNullable().defaultTo(0);
    table.text('reason');
    // What `telltale models adapt` prints and writes: a table and warnings as JSON; card.md, adaptation.json, bands.json.
    table.text('outcome');
    table.text('card');
    table.text('adaptation');
    table.text('bands');
  });
  await queries.schema.createTable('correction_in_force', (table) => {
    // Always 1. Without a row, and with null in it, what shipped is in force.
    table.integer('slot').primary();
    table.text('correction_id');
  });
}
