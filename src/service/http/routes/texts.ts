// Routes of plain texts: explanations of error codes, and security.txt.
import { errorFacts, isErrorCode } from 'telltale-engine/internal/base/error-codes.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { DAY_MS } from 'telltale-engine/internal/base/numbers.js';
import type { Context } from '../state.js';

/** Handles GET /problems/CODE, the `type` in RFC 9457 errors: explains it. Throws CheckError not_found. */
export function getProblem(ctx: Context): void {
  const { code } = (ctx as unknown as { params: { code: string } }).params;
  if (!isErrorCode(code)) throw new CheckError('not_found', 'there is no error with this code');
  const { status, meaning } = errorFacts(code);
  ctx.type = 'text/plain';
  ctx.body = `${code} (${status}): ${meaning}\n`;
}

/** Days until security.txt expires. RFC 9116 recommends less than a year. */
const VALID_DAYS = 180;

/**
 * Handles GET /.well-known/security.txt (RFC 9116): lists contacts for vulnerabilities. The text expires half
 * a year after the day of the request.
 */
export function getSecurityTxt(
  contacts: readonly string[],
  publicUrl: string | null,
): (ctx: Context) => void {
  return (ctx) => {
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const expires = new Date(today + VALID_DAYS * DAY_MS).toISOString().replace('.000', '');
    const lines = [
      ...contacts.map((contact) => `Contact: ${contact}`),
      `Expires: ${expires}`,
      ...(publicUrl === null ? [] : [`Canonical: ${publicUrl}${ctx.path}`]),
    ];
    ctx.type = 'text/plain';
    ctx.body = `${lines.join('\n')}\n`;
  };
}
