// Runs a statement as another library wrote it, with $1, $2, on the connection of a transaction of ours.
import type { Queries } from './database.js';

/** Knex's way to the one connection of a transaction; its public types don't name it. */
interface TransactionClient {
  acquireConnection(): Promise<Connection>;
}
interface Connection {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** PostgreSQL alone; `queries` is a transaction. Knex would take every question mark of the text for a placeholder. */
export async function runStatement(
  queries: Queries,
  text: string,
  values: unknown[] | undefined,
): Promise<{ rows: unknown[] }> {
  const connection = await (queries.client as TransactionClient).acquireConnection();
  return connection.query(text, values);
}
