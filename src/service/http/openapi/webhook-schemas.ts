// What webhooks bring, as JSON Schema: published with the routes, so that clients have types for it.
import { Type } from '@sinclair/typebox';
import { ScanSchema } from '../../scans/scan.js';

const timestamp = Type.String({ format: 'date-time', description: 'when it happened, UTC' });

const ofScan = <T extends string>(type: T, title: string, description: string) =>
  Type.Object({ type: Type.Literal(type, { description }), timestamp, data: ScanSchema }, { title });

/** The body of a webhook; one shape for each type, so that the type tells the rest. */
export const WebhookEvent = Type.Union(
  [
    ofScan('scan.finished', 'ScanFinished', 'the scan has finished or was cancelled: its state tells which'),
    ofScan('scan.progress', 'ScanProgress', 'another tenth of the items is answered'),
    Type.Object(
      {
        type: Type.Literal('webhook.test', { description: 'sent by hand' }),
        timestamp,
        data: Type.Object(
          { webhook: Type.String({ description: 'identifier of the webhook' }) },
          { title: 'TestedWebhook' },
        ),
      },
      { title: 'WebhookTest' },
    ),
  ],
  { $id: 'WebhookEvent' },
);
