// Period in which a key signs. Records outside the period don't count, so a stolen key is useless after its end.

/** Times of a key, in ISO 8601 and UTC. A missing time is unknown or has not come yet. */
export interface KeyPeriod {
  readonly signs_from?: string;
  readonly signs_until?: string;
  /** Time from which no record by the key counts, whatever its date. */
  readonly revoked_at?: string;
}

/** Time after a rotation in which another process may still sign with the previous key. */
export const KEEP_MS = 60_000;
/** Tolerance for clock differences. Chosen: clocks of unattended servers differ by minutes. */
const CLOCK_MS = 5 * 60_000;

const NAMES = ['signs_from', 'signs_until', 'revoked_at'] as const;

/** Reads the period of a published key. Treats values that aren't valid times as missing. */
export function readPeriod(key: Readonly<Record<string, unknown>>): KeyPeriod {
  const moments = NAMES.flatMap((name) => {
    const value = key[name];
    return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? [[name, value]] : [];
  });
  return Object.fromEntries(moments) as KeyPeriod;
}

/** Makes a period from times in milliseconds since 1970; null for an unknown time. */
export function periodOf(fromMs: number | null, untilMs: number | null, revokedMs: number | null): KeyPeriod {
  const moments = [fromMs, untilMs, revokedMs].flatMap((ms, index) =>
    ms === null ? [] : [[NAMES[index], new Date(ms).toISOString()]],
  );
  return Object.fromEntries(moments) as KeyPeriod;
}

/**
 * Returns the reason why a record of this time can't be by the key, as text to follow the key's name; null if it can.
 */
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
