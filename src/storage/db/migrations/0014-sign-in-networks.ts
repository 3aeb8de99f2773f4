// Where members signed in from, so that strangers' guesses keep nobody out of his own account.
import type { Queries } from '../database.js';

/** Makes the table. */
export async function up(queries: Queries): Promise<void> {
  await queries.schema.createTable('sign_in_networks', (table) => {
    table.text('member_id').notNullable().references('members.id').onDelete('CASCADE');
    // An IPv4 address, or the first four groups of an IPv6 one.
    table.text('network').notNullable();
    table.bigInteger('seen_at').notNullable().index();
    table.primary(['member_id', 'network']);
  });
}
