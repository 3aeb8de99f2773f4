// Tells a database that can't serve from a mistake of ours, by the codes that SQLite and PostgreSQL give.
import { AskerFault, CheckError, StartError } from 'telltale-engine/internal/base/errors.js';

/** SQLSTATE classes and SQLite codes that say: the statement or the data is wrong, the database is well. */
const OUR_MISTAKE =
  /^(21|22|23|26|2F|34|3F|42)[0-9A-Z]{3}$|^SQLITE_(ERROR|CONSTRAINT|MISMATCH|RANGE|MISUSE|TOOBIG)/;

/** SQLSTATE class of values that PostgreSQL can't take: its message quotes them. */
const REFUSED_VALUE = /^22[0-9A-Z]{3}$/;
/** Members of PostgreSQL's errors that quote values: of the row, of the key, of a function's arguments. */
const QUOTING = ['detail', 'where', 'internalQuery'];

/** A row names another that is gone. */
const GONE = ['23503', 'SQLITE_CONSTRAINT_FOREIGNKEY'];
/** PostgreSQL's names of the constraints by which a row names its account, or a key or a member of the account. */
const NAMES_OWNER = /_(account|key|member)_id_/;

/** Errors that came out of a database's driver. */
const driverErrors = new WeakSet<Error>();

/** Remembers that an error came from a driver, and gives it: nothing in an error tells where it was thrown. */
export function noteDriverError(error: unknown): unknown {
  if (error instanceof Error) driverErrors.add(error);
  return error;
}

/** PostgreSQL stores no NUL in a text: the sender of one, in a path or a member, is told. */
const NO_SUCH_CHARACTER = '22021';

/**
 * Gives the error to pass on. Errors that no driver has thrown, and errors of a driver that say that we made a mistake, stay
 * as they are. Other errors of a driver become CheckError `unavailable`: no connection, a pool that ran dry, shutting down,
 * disk full, locked for too long. No error of a database tells a value of the statement any more: it may be logged.
 */
export function asDatabaseFault(error: unknown): unknown {
  if (error instanceof CheckError || error instanceof AskerFault || error instanceof StartError) return error;
  if (!(error instanceof Error) || !driverErrors.has(error)) return error;
  hideValues(error);
  const code = codeOf(error);
  if (code === NO_SUCH_CHARACTER)
    return new CheckError('invalid_request', 'Expected text without NUL characters', { cause: error });
  if (code !== null && GONE.includes(code))
    return 'constraint' in error && !NAMES_OWNER.test(String(error.constraint))
      ? new CheckError('not_found', 'what the request names was erased while it ran', { cause: error })
      : new CheckError('unauthorized', 'the account was erased while the request ran', { cause: error });
  if (code !== null && OUR_MISTAKE.test(code)) return error;
  if (code === null && error instanceof TypeError) return error;
  if (code === 'ERR_DLOPEN_FAILED')
    return new StartError(
      'config_invalid',
      `better-sqlite3 is not built for Node ${process.version}: 'npm rebuild better-sqlite3' builds it`,
      { cause: error },
    );
  return new CheckError('unavailable', 'the database can not be reached; try again shortly', {
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

/** What an error says, or the first of those that it stands for: of a host with several addresses. */
export function causeOf({ cause }: CheckError): string | null {
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  return first instanceof Error && first.message !== '' ? first.message : null;
}

/** Codes with which PostgreSQL refuses a user: wrong password; no such user, or no entry in pg_hba.conf. */
const REFUSED_USER = ['28P01', '28000'];
/** Code for a database that PostgreSQL does not have. */
const NO_DATABASE = '3D000';
/** Codes of Node for a certificate that is not trusted. */
const UNTRUSTED = /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|ERR_TLS_CERT)/;

/** Gives what the operator has to change, as a sentence, if trying again never helps; null for any other fault. */
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

/** True if a unique constraint refused a row: SQLSTATE 23505, or SQLite's equal. */
export function isUniqueViolation(error: unknown): boolean {
  const code = codeOf(error);
  return code === '23505' || code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
}

function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}
