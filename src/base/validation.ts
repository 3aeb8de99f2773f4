// The one form of a message about an invalid option: 'Expected X for Y but received Z'.

/** `value` as a message shows it: its text if that is short, and its type. */
function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'string')
    return `'${value.length > 40 ? `${value.slice(0, 40)}...` : value}' of type string`;
  if (typeof value === 'number' || typeof value === 'boolean') return `${value} of type ${typeof value}`;
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** The message for a `value` of `name` that is not as `expected`. */
export function describeInvalid(expected: string, name: string, value: unknown): string {
  return `Expected ${expected} for ${name} but received ${describe(value)}`;
}

/** True for whole numbers from `least` to `most`. */
export function isInteger(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}

/** True for finite numbers from `least` to `most`. */
export function isNumber(value: unknown, least = -Infinity, most = Infinity): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= least && value <= most;
}

/** True for strings with at least one character. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0;
}

/** True for objects that are neither null nor arrays. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
