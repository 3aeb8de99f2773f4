// The changes that the audit log can contain, and their text for people.

/** Names of changes. Each consists of the thing that changed, a dot, and the event, such as `key.created`. */
export const CHANGES = [
  'account.created',
  'account.plan_changed',
  'account.prefix_changed',
  'account.hashes_changed',
  'account.maker_changed',
  'account.erased',
  'key.created',
  'key.rolled',
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
  'check.status_changed',
  'known_image.added',
  'known_image.removed',
  'appeal.received',
  'appeal.withdrawn',
  'appeal.decided',
  'appeal_link.created',
  'appeal_link.revoked',
  'webhook.created',
  'webhook.events_changed',
  'webhook.enabled',
  'webhook.secret_rotated',
  'webhook.deleted',
  'record_key.rotated',
  'record_key.revoked',
  'sign_in.succeeded',
  'sign_in.failed',
  'sign_in.blocked',
] as const;
export type ChangeName = (typeof CHANGES)[number];
/** Values by which the audit log can be filtered: one change, or all changes of one kind of thing. */
export const CHANGE_FILTERS: readonly string[] = [
  ...new Set(CHANGES.map((what) => what.split('.')[0] ?? '')),
  ...CHANGES,
];

/** Properties of a thing before or after a change. They never contain a key, password, token or other secret. */
export type Facts = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** Returns a change in words, such as `key created` for `key.created`. */
export function nameChange(what: string): string {
  return what.replace(/[._]/g, ' ');
}

/** Describes what changed, such as `plan: free → growth`. If nothing changed, lists all properties. */
export function describeFacts(before: Facts | null, after: Facts | null): string {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const facts = names.map((name) => ({ name, was: show(before?.[name]), is: show(after?.[name]) }));
  const changed = before && after ? facts.filter(({ was, is }) => was !== is) : [];
  if (changed.length > 0)
    return changed.map(({ name, was, is }) => `${nameChange(name)}: ${was} → ${is}`).join(', ');
  return facts.map(({ name, was, is }) => `${nameChange(name)}: ${after ? is : was}`).join(', ');
}

/** Sentences for changes of appeals. `subject` is the contested check. */
const SENTENCES: Partial<Record<ChangeName, (subject: string, facts: Facts) => string>> = {
  'appeal_link.created': (check, { link, valid_until: until }) =>
    `Created the link ${show(link)} for an appeal against ${check}, valid until ${show(until).slice(0, 10)}`,
  'appeal_link.revoked': (check, { link }) => `Revoked the link ${show(link)} for an appeal against ${check}`,
  'appeal.received': (check, { appeal, link }) =>
    `Appeal ${show(appeal)} against ${check} arrived ${link === null ? 'with an API key' : `through the link ${show(link)}`}`,
  'appeal.withdrawn': (check, { appeal }) => `The sender withdrew appeal ${show(appeal)} against ${check}`,
  'appeal.decided': (check, { appeal, outcome, remark }) =>
    `Decided ${appeal === undefined ? 'the appeal' : `appeal ${show(appeal)}`} against ${check}: ${nameChange(show(outcome))}` +
    (remark === '' ? '' : ` (“${show(remark)}”)`),
};

/** Describes a change for people: as a sentence, or by the properties that changed. */
export function describeChange(change: {
  readonly what: string;
  readonly subject: string;
  readonly before: Facts | null;
  readonly after: Facts | null;
}): string {
  const write = SENTENCES[change.what as ChangeName];
  return write && change.after
    ? write(change.subject, change.after)
    : describeFacts(change.before, change.after);
}

function show(value: Facts[string] | undefined): string {
  if (value === null || value === undefined) return 'none';
  return typeof value === 'object' ? value.join(' ') : String(value);
}
