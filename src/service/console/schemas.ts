// Schemas for the bodies and queries of requests to the console's API.
import { Type } from '@sinclair/typebox';
import { DECISIONS, MAX_REMARK } from '../../accounts/appeals/appeals.js';
import { CHANGE_FILTERS } from '../../accounts/changes.js';
import { SCOPES } from '../../accounts/keys.js';
import { OUTCOMES, LABELS } from '../../accounts/history/outcomes.js';
import { MAX_NOTE } from '../../accounts/history/remarks.js';
import { MAX_KNOWN_NOTE, MAX_SOURCE } from '../../accounts/seen/known.js';
import { MAX_NAME_LENGTH, MAX_PREFIX_LENGTH } from '../../accounts/accounts.js';
import { MAX_URL_LENGTH } from '../outbound/fetch-allow.js';
import { STATUSES } from '../../accounts/history/filter.js';
import { ROLES } from '../../accounts/members/members.js';
import { exactly, nullable, oneOf } from 'telltale-engine/internal/base/shape.js';
import { KNOWN_LABELS, SIGNALS } from 'telltale-engine/internal/check/types.js';
import { EVENT_TYPES } from '../webhooks/endpoints.js';

const text = (maxLength: number) =>
  Type.String({ maxLength, description: `a string of at most ${maxLength} characters` });

/** Body of POST session, which signs in. `account_id` is needed if the password fits several accounts. */
export const Credentials = exactly({
  email: text(300),
  password: text(1000),
  account_id: Type.Optional(text(40)),
});
/** Body of POST choice, which signs in to one of several accounts. */
export const ChoiceBody = exactly({ account_id: text(40) });
/** Body of POST links/look, which returns the purpose of a link. */
export const LinkToken = exactly({ token: text(100) });
/** Body of POST links/follow, which uses a link, such as an invitation. */
export const LinkVisit = exactly({ token: text(100), password: Type.Optional(text(1000)) });
/** Query of GET checks, which lists past checks. */
export const HistoryQuery = exactly({
  verdict: Type.Optional(oneOf([...OUTCOMES, 'reported'])),
  status: Type.Optional(oneOf([...STATUSES, 'none'])),
  claimed: Type.Optional(oneOf(['me', 'anybody', 'nobody'])),
  text: Type.Optional(text(200)),
  person: Type.Optional(text(300)),
  from: Type.Optional(text(40)),
  to: Type.Optional(text(40)),
  /** Maximum number of checks in the response. */
  limit: Type.Optional(
    Type.String({ pattern: '^([1-9][0-9]?|[1-4][0-9]{2}|500)$', description: '1 to 500' }),
  ),
  scan: Type.Optional(Type.String({ pattern: '^scn_[0-9A-Z]{26}$', description: 'an identifier: scn_...' })),
  order: Type.Optional(Type.Literal('worst')),
  fired: Type.Optional(oneOf(SIGNALS)),
  id: Type.Optional(
    Type.String({ pattern: '^chk_[0-9A-Z]{0,26}$', description: 'the start of an identifier: chk_...' }),
  ),
  before: Type.Optional(
    Type.String({ pattern: '^chk_[0-9A-Z]{26}$', description: 'an identifier: chk_...' }),
  ),
});
/** Query of POST scans and POST scans/folder. `name` is the display name of the list. */
export const ScanNameQuery = exactly({ name: Type.Optional(text(1000)) });
/** Query of a paged list. `before` or `after` is the last identifier of the previous page. */
export const PageQuery = exactly({ before: Type.Optional(text(40)), after: Type.Optional(text(40)) });
/** Body of PUT checks/ID/note. An empty text with a null status deletes the note. */
export const NoteBody = exactly({ text: text(MAX_NOTE), status: nullable(oneOf(STATUSES)) });
/** Body of PUT checks/status. A null status marks the checks as not reviewed. */
export const StatusesBody = exactly({
  ids: Type.Array(text(40), { minItems: 1, maxItems: 100, uniqueItems: true }),
  status: nullable(oneOf(STATUSES)),
});
/** Body of PUT checks/ID/report, which reports a wrong verdict. */
export const ReportBody = exactly({ label: oneOf(LABELS), note: text(MAX_NOTE) });
/** Body of POST keys, which creates an API key. */
export const KeyBody = exactly({
  name: text(MAX_NAME_LENGTH),
  /** Scopes of the key. Ignored for a sandbox key, because its scope is fixed. */
  scopes: Type.Array(oneOf(SCOPES), { maxItems: SCOPES.length, uniqueItems: true }),
  sandbox: Type.Optional(Type.Boolean()),
  /** Last day (UTC) on which the key is valid. */
  expires: nullable(text(10)),
});
/** Body of POST keys/ID/roll, which replaces a key. `overlap` is a duration such as `24h`. */
export const RollBody = exactly({ overlap: text(10) });
/** Body of POST invitations. An operator may set the account that the person is invited to. */
export const InvitationBody = exactly({
  email: text(300),
  role: oneOf(ROLES),
  account_id: Type.Optional(text(40)),
});
const events = Type.Array(oneOf(EVENT_TYPES), {
  minItems: 1,
  maxItems: EVENT_TYPES.length,
  uniqueItems: true,
});
/** Body of POST webhooks, which creates a webhook. */
export const WebhookBody = exactly({ url: text(MAX_URL_LENGTH), events });
/** Body of PUT webhooks/ID/events, which changes a webhook's events. */
export const EventsBody = exactly({ events });
/** Query of GET webhooks/ID/deliveries, which lists a webhook's deliveries. */
export const DeliveriesQuery = exactly({
  before: Type.Optional(
    Type.String({ pattern: '^whd_[0-9A-Z]{26}$', description: 'an identifier: whd_...' }),
  ),
});
const auditFields = {
  /** Name of a change, such as `webhook.deleted`, or only `webhook` for all changes of webhooks. */
  what: Type.Optional(oneOf(CHANGE_FILTERS)),
  from: Type.Optional(text(40)),
  to: Type.Optional(text(40)),
  before: Type.Optional(
    Type.String({ pattern: '^aud_[0-9A-Z]{26}$', description: 'an identifier: aud_...' }),
  ),
};
/** Query of GET audit, which lists the audit log of an account. */
export const AuditQuery = exactly(auditFields);
/** Query of GET operator/audit, which lists the audit log of all accounts or of one named in `account`. */
export const WholeAuditQuery = exactly({ ...auditFields, account: Type.Optional(text(100)) });
/** Body of POST operator/accounts, which creates an account. */
export const AccountBody = exactly({ name: text(MAX_NAME_LENGTH), plan: text(40) });
/** Query of GET operator/judged, which counts images for fitting thresholds. */
export const JudgedQuery = exactly({
  from: Type.Optional(text(40)),
  to: Type.Optional(text(40)),
  also_reported: Type.Optional(oneOf(['true', 'false'])),
});
const share = Type.Number({ minimum: 0, maximum: 0.5, description: 'a number from 0 to 0.5' });
/** Body of POST operator/thresholds, which requests a fit of thresholds. */
export const ThresholdsBody = exactly({
  name: text(32),
  /** Target false-positive rate of each profile, 0..1. */
  aims: exactly({ strict: share, balanced: share, sensitive: share }),
  from: Type.Optional(text(40)),
  to: Type.Optional(text(40)),
  also_reported: Type.Boolean(),
  /** Accounts whose images are used. */
  account_ids: Type.Array(text(40), { minItems: 1, maxItems: 100, uniqueItems: true }),
});
/** Body of PUT operator/thresholds/active. A null `id` activates the shipped thresholds. */
export const ActiveBody = exactly({ id: nullable(text(40)) });
/** Body of PUT operator/accounts/ID/plan, which changes an account's plan. */
export const PlanBody = exactly({ plan: text(40) });
/** Body of PUT operator/accounts/ID/prefix, which sets the part of the bucket that an account may scan. */
export const PrefixBody = exactly({ prefix: text(MAX_PREFIX_LENGTH) });
/** Body of PUT operator/accounts/ID/seen, which switches stored hashes on or off. */
export const SeenBody = exactly({ on: Type.Boolean() });
/** Form fields of POST operator/known, which adds a known image. */
export const KnownForm = exactly({
  label: oneOf(KNOWN_LABELS),
  note: Type.Optional(text(MAX_KNOWN_NOTE)),
  source: Type.Optional(text(MAX_SOURCE)),
});
/** Query of GET operator/appeals, which lists appeals. */
export const AppealsQuery = exactly({
  before: Type.Optional(text(40)),
  state: Type.Optional(Type.Literal('open')),
});
/** Body of POST operator/appeals/ID/decision, which decides an appeal. */
export const DecisionBody = exactly({ outcome: oneOf(DECISIONS), remark: text(MAX_REMARK) });
