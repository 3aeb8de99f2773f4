// Distinguishes failures of the database from programming errors, by the error codes of SQLite and PostgreSQL.
import {
  RequestFault,
  CheckError,
  invalidRequest,
  StartError,
} from 'telltale-engine/internal/base/errors.js';

/** Matches SQLSTATE classes and SQLite codes for wrong statements or data. The database works if one occurs. */
const OUR_MISTAKE =
  /^(21|22|23|26|2F|34|3F|42)[0-9A-Z]{3}$|^SQLITE_(ERROR|CONSTRAINT|MISMATCH|RANGE|MISUSE|TOOBIG)/;

/** Matches the SQLSTATE class of values that PostgreSQL refuses. The error's message contains the value. */
const REFUSED_VALUE = /^22[0-9A-Z]{3}$/;
/** Properties of PostgreSQL's errors that quote values of rows, keys or function arguments. */
const QUOTING = ['detail', 'where', 'internalQuery'];

/** Error codes for a foreign key whose row does not exist. */
const REFERENCED_ROW_MISSING = ['23503', 'SQLITE_CONSTRAINT_FOREIGNKEY'];
/** Matches names of PostgreSQL's foreign keys that refer to an account, or to a key or a member of an account. */
const NAMES_OWNER = /_(account|key|member)_id_/;

/** Errors that a database driver threw. */
const driverErrors = new WeakSet<Error>();

/** Records that a database driver threw this error, and returns it. The error itself does not show that. */
export function markDriverError(error: unknown): unknown {
  if (error instanceof Error) driverErrors.add(error);
  return error;
}

/** SQLSTATE of text with a NUL character, which PostgreSQL can't store. The caller sent it and gets an error. */
const NO_SUCH_CHARACTER = '22021';

/**
 * Converts a driver's error to CheckError `unavailable` if the database can't work: no connection, shutdown, full
 * disk, a lock that took too long. Converts errors about rows erased meanwhile to `not_found` or `unauthorized`.
 * Returns programming errors and errors of other code unchanged. Removes values of the statement from the error, so
 * that it can be logged.
 */
export function asDatabaseFault(error: unknown): unknown {
  if (error instanceof CheckError || error instanceof RequestFault || error instanceof StartError)
    return error;
  if (!(error instanceof Error) || !driverErrors.has(error)) return error;
  hideValues(error);
  const code = codeOf(error);
  if (code === NO_SUCH_CHARACTER)
    return invalidRequest('Expected text without NUL characters', { cause: error });
  if (code !== null && REFERENCED_ROW_MISSING.includes(code))
    return 'constraint' in error && !NAMES_OWNER.test(String(error.constraint))
      ? new CheckError('not_found', 'An object of the request was erased while the request was running', {
          cause: error,
        })
      : new CheckError('unauthorized', 'The account was erased while the request was running', {
          cause: error,
        });
  if (code !== null && OUR_MISTAKE.test(code)) return error;
  if (code === null && error instanceof TypeError) return error;
  if (code === 'ERR_DLOPEN_FAILED')
    return new StartError(
      'config_invalid',
      `better-sqlite3 is not built for Node ${process.version}: 'npm rebuild better-sqlite3' builds it`,
      { cause: error },
    );
  return new CheckError('unavailable', "The database can't be reached. Try again shortly", {
    cause: error,
  });
}

function hideValues(error: unknown): void {
  if (!(error instanceof Error)) return;
  for (const member of QUOTING) Reflect.deleteProperty(error, member);
  const code = codeOf(error);
  if (code === null || !REFUSED_VALUE.test(code)) return;
  const { message, stack = '' } = error;
  error.message = `the database refuses a value of the statement (SQLSTATE ${code})`;
  error.stack = error.message + (stack.includes(message) ? (stack.split(message).at(-1) ?? '') : '');
}

/**
 * Returns the message of an error's cause, or null. If the cause combines several errors, one for each IP address of a
 * host, returns the first message.
 */
export function causeOf({ cause }: CheckError): string | null {
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  return first instanceof Error && first.message !== '' ? first.message : null;
}

/** SQLSTATEs of a refused user: wrong password; unknown user or no entry in pg_hba.conf. */
const REFUSED_USER = ['28P01', '28000'];
/** SQLSTATE of a database that does not exist. */
const NO_DATABASE = '3D000';
/** Matches Node's error codes for an untrusted certificate. */
const UNTRUSTED = /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|ERR_TLS_CERT)/;

/** Returns advice for the operator if trying again can't help; otherwise null. */
export function adviceOn({ cause }: CheckError): string | null {
  const code = codeOf(cause) ?? '';
  if (REFUSED_USER.includes(code))
    return 'PostgreSQL refuses the user name or the password in TELLTALE_DATABASE_URL';
  if (code === NO_DATABASE)
    return 'PostgreSQL has no database of the name in TELLTALE_DATABASE_URL; create it, or correct the name';
  if (UNTRUSTED.test(code))
    return "PostgreSQL's certificate is not trusted; name its authority by sslrootcert=PATH in TELLTALE_DATABASE_URL";
  return null;
}

/** Returns whether a unique constraint refused a row: SQLSTATE 23505 or SQLite's equivalent. */
export function isUniqueViolation(error: unknown): boolean {
  const code = codeOf(error);
  return code === '23505' || code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
}

function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}
