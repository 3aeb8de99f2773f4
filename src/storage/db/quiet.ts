// Keeps Knex from writing to the console: every fault it reports is also thrown, and logged where it is handled.
const ignore = (): void => undefined;

/** Knex's `log` setting. */
export const QUIET = { debug: ignore, warn: ignore, error: ignore, deprecate: ignore };
