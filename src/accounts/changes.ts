// What the audit log writes down: the names of changes, and their facts in words.

/** What is written down: a thing, a dot, what became of it. */
export const CHANGES = [
  'account.created',
  'account.plan_changed',
  'account.prefix_changed',
  'account.hashes_changed',
  'account.erased',
  'key.created',
  'key.revoked',
  'member.invited',
  'member.invitation_withdrawn',
  'member.joined',
  'member.changed',
  'member.removed',
  'thresholds.requested',
  'thresholds.activated',
  'thresholds.deleted',
  'check.erased',
  'known_image.added',
  'known_image.removed',
  'appeal.decided',
  'webhook.created',
  'webhook.enabled',
  'webhook.secret_rotated',
  'webhook.deleted',
  'record_key.rotated',
  'record_key.revoked',
  'sign_in.succeeded',
  'sign_in.failed',
  'sign_in.blocked',
] as const;
/** One of them. */
export type ChangeName = (typeof CHANGES)[number];
/** What a list may be narrowed to: one change, or all of one thing. */
export const CHANGE_FILTERS: readonly string[] = [
  ...new Set(CHANGES.map((what) => what.split('.')[0] ?? '')),
  ...CHANGES,
];

/** Facts about a thing before or after a change. Never a key, a password, a token or a secret. */
export type Facts = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** `key.created` as `key created`. */
export function nameChange(what: string): string {
  return what.replace(/[._]/g, ' ');
}

/** What changed, such as `plan: free → growth, burst: 5`; empty where nothing is said. */
export function describeFacts(before: Facts | null, after: Facts | null): string {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const show = (value: Facts[string] | undefined): string =>
    value === null || value === undefined ? 'none' : Array.isArray(value) ? value.join(' ') : String(value);
  return [...names]
    .map((name) => {
      const [was, is] = [before?.[name], after?.[name]].map(show);
      const both = before !== null && after !== null && was !== is;
      return `${nameChange(name)}: ${both ? `${was} → ${is}` : after === null ? was : is}`;
    })
    .join(', ');
}
