// Names of the events that webhooks can receive.

/** Names of events: a subject, a dot and a change. Source: Standard Webhooks specification. */
export const EVENT_TYPES = [
  'scan.finished',
  'scan.progress',
  'quota.reached',
  'key.expiring',
  'appeal.received',
  'appeal.decided',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Type of the event that `telltale webhooks test` and the console send. */
export const TEST_TYPE = 'webhook.test';
