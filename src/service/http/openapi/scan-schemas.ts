// Schemas of scans and webhooks, which validate requests and are published in /openapi.json.
import { exactly, named, nullable, oneOf } from 'telltale-engine/internal/base/shape.js';
import { Type, type TSchema } from '@sinclair/typebox';
import { AppealOutcome } from './appeal-schemas.js';
import { ScanSchema } from '../../scans/scan.js';
import { CheckResultSchema } from 'telltale-engine/internal/check/result-schema.js';
import { listOf, OPTIONS } from './option-schemas.js';
import { cursorOf, ErrorBody, limitOf, NEXT } from './schemas.js';
import { DETAIL_NAMES } from 'telltale-engine/internal/check/types.js';
import { FILE_MARK_KINDS } from 'telltale-engine/internal/check/marks/kinds.js';

const { profile } = OPTIONS;
/** Details that a scan adds to results. Excludes signed records, because a million of them would fill the database. */
const include = Type.Optional(
  listOf(
    named(
      'ScanDetailName',
      oneOf(
        DETAIL_NAMES.filter((name) => name !== 'record' && name !== 'seen'),
        'name of a field of details in results of a scan',
      ),
    ),
    'fields of details to add to the results',
  ),
);

/** Options of a scan as form fields. */
export const ScanOptions = exactly({ profile, include });

/** Form of POST /v1/scans. */
export const ScanForm = exactly({
  file: Type.String({
    format: 'binary',
    description:
      'list of images in UTF-8 or UTF-16, as JSON lines ({"url": "https://...", "ref": "..."}) or as CSV with a header ' +
      'row, a column url (or image_url) and an optional column ref. At most 1,000,000 items, 256 MB, 65,536 bytes per line',
  }),
  profile,
  include,
});

/** Item of a scan in a JSON body. */
export const ScanItem = named(
  'ScanItem',
  exactly({ url: Type.String(), ref: Type.Optional(Type.String({ maxLength: 1024 })) }),
);

/** JSON body of POST /v1/scans. Other code requires exactly one of `items` and `source`. */
export const ScanJson = named(
  'ScanJson',
  exactly({
    items: Type.Optional(
      Type.Array(ScanItem, {
        description: 'images to check; the JSON body has at most 4 MB, so send a longer list as a file',
      }),
    ),
    source: Type.Optional(
      Type.String({
        description:
          "s3://bucket/prefix in the service's own object store, whose objects are all checked. The operator sets the prefix that an account may read",
      }),
    ),
    profile,
    include,
  }),
);

/** Response of GET /v1/scans, which lists scans. */
export const ScanList = Type.Object(
  { scans: Type.Array(ScanSchema, { description: 'scans, newest first' }), next: NEXT },
  { $id: 'ScanList' },
);

/** Query of GET /v1/scans, which lists scans. */
export const ScanListQuery = exactly({
  limit: limitOf('^([1-9][0-9]?|100)$', 100, 100),
  cursor: cursorOf('^scn_[0-9A-Z]{26}$'),
  before: Type.Optional(
    Type.String({
      description: 'former name of cursor: returns only scans older than this scan',
      deprecated: true,
    }),
  ),
});

/** Query of GET /v1/scans/{id}/results, which returns a page of results. */
export const ScanResultsQuery = exactly({
  limit: limitOf('^([1-9][0-9]{0,3}|10000)$', 10_000, 10_000),
  cursor: cursorOf(String.raw`^\d{1,9}$`),
  mark: Type.Optional(
    listOf(
      named('FileMarkKind', oneOf(FILE_MARK_KINDS, 'kind of mark in the file or its pixels')),
      'returns only results with a mark of one of these kinds. Requires a scan with include=marks, otherwise the error is ' +
        'invalid_request. The limit counts results before this filter, so a page may be empty although more pages follow',
    ),
  ),
});

const POSITION = {
  line: Type.Integer({ minimum: 1, description: 'number of the item in the list, from 1' }),
  ref: Type.Optional(Type.String()),
};
const overturned = Type.Optional(
  Type.Literal('overturned', {
    description: 'present if an appeal overturned the verdict: show the check to people as overturned',
  }),
);
/** A line in the results of a scan. */
const ScanEntry = named(
  'ScanEntry',
  Type.Union([
    Type.Object(
      { ...CheckResultSchema.properties, appeal: overturned, ...POSITION },
      { $id: 'ScanEntryResult' },
    ),
    Type.Object({ ...ErrorBody.properties, ...POSITION }, { $id: 'ScanEntryError' }),
  ]),
);
/** Body of a page of results, with a JSON object per line. */
export const ScanEntries = Type.String({
  contentMediaType: 'application/jsonl',
  contentSchema: ScanEntry,
  description: 'a ScanEntry per line',
});

const timestamp = Type.String({ format: 'date-time', description: 'time of the event, UTC' });

const ofScan = <T extends string>(type: T, $id: string, description: string) =>
  Type.Object({ type: Type.Literal(type, { description }), timestamp, data: ScanSchema }, { $id });

const AppealEvent = Type.Object(
  {
    appeal: Type.String({ description: 'identifier of the appeal: apl_...' }),
    check: Type.String({ description: 'identifier of the check: chk_...' }),
    outcome: nullable(AppealOutcome),
  },
  { $id: 'AppealEvent' },
);

const EVENTS = [
  ofScan('scan.finished', 'ScanFinished', 'the scan has finished or was cancelled, as its state says'),
  ofScan('scan.progress', 'ScanProgress', 'another tenth of the items has a result or an error'),
  Type.Object(
    {
      type: Type.Literal('quota.reached', {
        description: "80 or 100% of the month's checks are used or reserved",
      }),
      timestamp,
      data: Type.Object(
        {
          plan: Type.String(),
          period: Type.Object({
            start: Type.String({ format: 'date-time' }),
            end: Type.String({ format: 'date-time' }),
          }),
          percent: Type.Integer({ description: 'percentage that was reached: 80 or 100' }),
          checks: Type.Object({
            used: Type.Integer(),
            reserved: Type.Integer({ description: 'number of checks reserved for running scans' }),
            quota: Type.Integer(),
          }),
        },
        { title: 'QuotaMark' },
      ),
    },
    { $id: 'QuotaReached' },
  ),
  Type.Object(
    {
      type: Type.Literal('key.expiring', {
        description: 'an API key expires within seven days or within one day',
      }),
      timestamp,
      data: Type.Object(
        {
          key: Type.Object({
            id: Type.String({ description: 'identifier of the key: the 8 characters after tt_live_' }),
            name: Type.String(),
            expires_at: Type.String({ format: 'date-time' }),
          }),
          days: Type.Integer({ description: 'maximum number of days left: 7 or 1' }),
        },
        { title: 'ExpiringKey' },
      ),
    },
    { $id: 'KeyExpiring' },
  ),
  Type.Object(
    {
      type: Type.Literal('appeal.received', { description: 'somebody appeals against a verdict' }),
      timestamp,
      data: AppealEvent,
    },
    { $id: 'AppealReceived' },
  ),
  Type.Object(
    {
      type: Type.Literal('appeal.decided', { description: 'an appeal is decided' }),
      timestamp,
      data: AppealEvent,
    },
    { $id: 'AppealDecided' },
  ),
  Type.Object(
    {
      type: Type.Literal('webhook.test', { description: 'test event, sent on request' }),
      timestamp,
      data: Type.Object(
        { webhook: Type.String({ description: 'identifier of the webhook' }) },
        { title: 'TestedWebhook' },
      ),
    },
    { $id: 'WebhookTest' },
  ),
] as const;

/** Body of a webhook request, with a schema for each type of event. */
export const WebhookEvent: TSchema = {
  ...Type.Unsafe({
    oneOf: EVENTS,
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(
        EVENTS.map(({ $id = '', properties }) => [properties.type.const, `#/components/schemas/${$id}`]),
      ),
    },
  }),
  $id: 'WebhookEvent',
  // Names the body of the webhook in client generators that lose the reference.
  title: 'WebhookEvent',
};
