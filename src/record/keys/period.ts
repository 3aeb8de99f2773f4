// The period in which a key signs. Records from outside don't count, so a stolen key becomes useless.

/** Times of a key in ISO 8601 and UTC. A missing time is unknown or still to come. */
export interface KeyPeriod {
  readonly signs_from?: string;
  readonly signs_until?: string;
  /** Time at which the key was revoked. None of its records counts then, even earlier ones. */
  readonly revoked_at?: string;
}

/** Milliseconds after a change of keys in which other processes may still sign with the previous key. */
export const KEEP_MS = 60_000;
/** Maximum difference between two machines' clocks. Clocks of unattended servers differ by minutes. */
const CLOCK_MS = 5 * 60_000;

const NAMES = ['signs_from', 'signs_until', 'revoked_at'] as const;

/** Reads the period of a published key. Leaves out values that are not times. */
export function readPeriod(key: Readonly<Record<string, unknown>>): KeyPeriod {
  const moments = NAMES.flatMap((name) => {
    const value = key[name];
    return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? [[name, value]] : [];
  });
  return Object.fromEntries(moments) as KeyPeriod;
}

/** Returns a period made of times in milliseconds since 1970. Null stands for an unknown time. */
export function periodOf(fromMs: number | null, untilMs: number | null, revokedMs: number | null): KeyPeriod {
  const moments = [fromMs, untilMs, revokedMs].flatMap((ms, index) =>
    ms === null ? [] : [[NAMES[index], new Date(ms).toISOString()]],
  );
  return Object.fromEntries(moments) as KeyPeriod;
}

/** Returns why the key can't have signed a record of this time, as an ending for a message, or null. */
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
