// Creates the table of networks from which members signed in. Sign-in attempts by strangers can't lock a member out of
// these networks.
import type { Queries } from '../database.js';

export async function up(queries: Queries): Promise<void> {
  await queries.schema.createTable('sign_in_networks', (table) => {
    table.text('member_id').notNullable().references('members.id').onDelete('CASCADE');
    // An IPv4 address, or the first four groups of an IPv6 address.
    table.text('network').notNullable();
    table.bigInteger('seen_at').notNullable().index();
    table.primary(['member_id', 'network']);
  });
}
