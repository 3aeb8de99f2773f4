// Request schemas of the console's own API.
import { Type } from '@sinclair/typebox';
import { DECISIONS } from '../../accounts/appeals.js';
import { CHANGE_FILTERS } from '../../accounts/changes.js';
import { SCOPES } from '../../accounts/keys.js';
import { LABELS } from '../../accounts/history/remarks.js';
import { STATUSES } from '../../accounts/history/filter.js';
import { ROLES } from '../../accounts/members/members.js';
import { exactly, nullable, oneOf } from 'telltale-engine/internal/base/shape.js';
import { KNOWN_LABELS, SIGNALS } from 'telltale-engine/internal/check/types.js';
import { EVENT_TYPES } from '../webhooks/event-types.js';

const text = (maxLength: number) =>
  Type.String({ maxLength, description: `a string of at most ${maxLength} characters` });

/** Body of POST session; the account is named if the password fits several. */
export const Credentials = exactly({
  email: text(300),
  password: text(1000),
  account_id: Type.Optional(text(40)),
});
/** Body of POST choice. */
export const ChoiceBody = exactly({ account_id: text(40) });
/** Body of POST links/look. */
export const LinkToken = exactly({ token: text(100) });
/** Body of POST links/follow. */
export const LinkVisit = exactly({ token: text(100), password: Type.Optional(text(1000)) });
/** Query of GET checks. */
export const HistoryQuery = exactly({
  verdict: Type.Optional(oneOf(['ai', 'no_ai', 'reported', 'look', 'blank'])),
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
/** Query of POST scans and scans/folder: the display name of the list. */
export const ScanNameQuery = exactly({ name: Type.Optional(text(1000)) });
/** Query of a paged list: the identifier at the end of the previous page. */
export const PlaceQuery = exactly({ before: Type.Optional(text(40)), after: Type.Optional(text(40)) });
/** Body of PUT checks/ID/note; an empty text without status deletes both. */
export const NoteBody = exactly({ text: text(500), status: nullable(oneOf(STATUSES)) });
/** Body of PUT checks/ID/report. */
export const ReportBody = exactly({ label: oneOf(LABELS), note: text(500) });
/** Body of POST keys. */
export const KeyBody = exactly({
  name: text(100),
  /** Scopes; ignored for a sandbox key, which has its own scope. */
  scopes: Type.Array(oneOf(SCOPES), { maxItems: SCOPES.length, uniqueItems: true }),
  sandbox: Type.Optional(Type.Boolean()),
  /** Last day (UTC) on which the key is valid. */
  expires: nullable(text(10)),
});
/** Body of POST keys/ID/roll; `overlap` such as `24h`. */
export const RollBody = exactly({ overlap: text(10) });
/** Body of POST invitations; an operator may name another account. */
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
/** Body of POST webhooks. */
export const WebhookBody = exactly({ url: text(2048), events });
/** Body of PUT webhooks/ID/events. */
export const EventsBody = exactly({ events });
/** Query of GET webhooks/ID/deliveries. */
export const DeliveriesQuery = exactly({
  before: Type.Optional(
    Type.String({ pattern: '^whd_[0-9A-Z]{26}$', description: 'an identifier: whd_...' }),
  ),
});
const auditFields = {
  /** Name of a change, or of a subject for all of its changes. */
  what: Type.Optional(oneOf(CHANGE_FILTERS)),
  from: Type.Optional(text(40)),
  to: Type.Optional(text(40)),
  before: Type.Optional(
    Type.String({ pattern: '^aud_[0-9A-Z]{26}$', description: 'an identifier: aud_...' }),
  ),
};
/** Query of GET audit. */
export const AuditQuery = exactly(auditFields);
/** Query of GET operator/audit; `account` is a name. */
export const WholeAuditQuery = exactly({ ...auditFields, account: Type.Optional(text(100)) });
/** Body of POST operator/accounts. */
export const AccountBody = exactly({ name: text(100), plan: text(40) });
/** Query of GET operator/judged. */
export const JudgedQuery = exactly({
  from: Type.Optional(text(40)),
  to: Type.Optional(text(40)),
  also_reported: Type.Optional(oneOf(['true', 'false'])),
});
const share = Type.Number({ minimum: 0, maximum: 0.5, description: 'a number from 0 to 0.5' });
/** Body of POST operator/thresholds. */
export const ThresholdsBody = exactly({
  name: text(32),
  /** Target FPR of each profile, 0..1. */
  aims: exactly({ strict: share, balanced: share, sensitive: share }),
  from: Type.Optional(text(40)),
  to: Type.Optional(text(40)),
  also_reported: Type.Boolean(),
  /** Accounts whose images are used. */
  account_ids: Type.Array(text(40), { minItems: 1, maxItems: 100, uniqueItems: true }),
});
/** Body of PUT operator/thresholds/active; null activates the shipped thresholds. */
export const ActiveBody = exactly({ id: nullable(text(40)) });
/** Body of PUT operator/accounts/ID/plan. */
export const PlanBody = exactly({ plan: text(40) });
/** Body of PUT operator/accounts/ID/prefix. */
export const PrefixBody = exactly({ prefix: text(500) });
/** Body of PUT operator/accounts/ID/seen. */
export const SeenBody = exactly({ on: Type.Boolean() });
/** Fields of POST operator/known, in addition to the file. */
export const KnownForm = exactly({
  label: oneOf(KNOWN_LABELS),
  note: Type.Optional(text(200)),
  source: Type.Optional(text(500)),
});
/** Query of GET operator/appeals. */
export const AppealsQuery = exactly({
  before: Type.Optional(text(40)),
  state: Type.Optional(Type.Literal('open')),
});
/** Body of POST operator/appeals/ID/decision. */
export const DecisionBody = exactly({ outcome: oneOf(DECISIONS), remark: text(1000) });
