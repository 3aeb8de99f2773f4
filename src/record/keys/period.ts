// When a key signs, and whether a record falls into that time: who has stolen a key can't use it ever after.

/** What of a key is about time: moments as ISO 8601 in UTC; a missing one is not known, or has not come. */
export interface KeyPeriod {
  readonly signs_from?: string;
  readonly signs_until?: string;
  /** From when on no record by the key counts, whatever its date. */
  readonly revoked_at?: string;
}

/** After a rotation another process may sign with the former key for so long. */
export const KEEP_MS = 60_000;
/** Chosen: clocks of servers that nobody looks after are minutes apart. */
const CLOCK_MS = 5 * 60_000;

const NAMES = ['signs_from', 'signs_until', 'revoked_at'] as const;

/** The period of a key as somebody published it; members that are no moments are none. */
export function readPeriod(key: Readonly<Record<string, unknown>>): KeyPeriod {
  const moments = NAMES.flatMap((name) => {
    const value = key[name];
    return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? [[name, value]] : [];
  });
  return Object.fromEntries(moments) as KeyPeriod;
}

/** A period of moments in milliseconds since 1970; null for a moment that is not known. */
export function periodOf(fromMs: number | null, untilMs: number | null, revokedMs: number | null): KeyPeriod {
  const moments = [fromMs, untilMs, revokedMs].flatMap((ms, index) =>
    ms === null ? [] : [[NAMES[index], new Date(ms).toISOString()]],
  );
  return Object.fromEntries(moments) as KeyPeriod;
}

/** Why a record of this time can't be by the key, as what follows its name; null if it can. */
export function whyNotBy(key: KeyPeriod, time: string, nowMs: number): string | null {
  const { signs_from: from, signs_until: until, revoked_at: revoked } = key;
  if (revoked !== undefined)
    return `which was revoked on ${revoked.slice(0, 10)}: none of its records counts`;
  const ms = Date.parse(time);
  const first = from === undefined ? -Infinity : Date.parse(from) - CLOCK_MS;
  const last = (until === undefined ? nowMs : Date.parse(until)) + CLOCK_MS;
  if (ms >= first && ms <= last) return null;
  const span = `${from === undefined ? '' : `from ${from} `}${until === undefined ? 'until now' : `until ${until}`}`;
  return `which signs ${span}, not at ${time}`;
}
