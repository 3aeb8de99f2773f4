// What webhooks bring, as JSON Schema: published with the routes, so that clients have types for it.
import { Type } from '@sinclair/typebox';
import { Scan } from './scan-schemas.js';

const timestamp = Type.String({ format: 'date-time', description: 'when it happened, UTC' });

/** The body of a webhook. */
export const WebhookEvent = Type.Union(
  [
    Type.Object({
      type: Type.Union([Type.Literal('scan.finished'), Type.Literal('scan.progress')], {
        description: 'the scan has finished or was cancelled; it has come another 10% on',
      }),
      timestamp,
      data: Scan,
    }),
    Type.Object({
      type: Type.Literal('webhook.test', { description: 'sent by hand' }),
      timestamp,
      data: Type.Object({ webhook: Type.String({ description: 'identifier of the webhook' }) }),
    }),
  ],
  { $id: 'WebhookEvent' },
);
