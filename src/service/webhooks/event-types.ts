// Types of webhook events.

/** Names of events: subject, dot, change. Source: Standard Webhooks specification. */
export const EVENT_TYPES = ['scan.finished', 'scan.progress', 'quota.reached', 'key.expiring'] as const;
/** Name of an event. */
export type EventType = (typeof EVENT_TYPES)[number];

/** Type of the event that `telltale webhooks test` and the console send. */
export const TEST_TYPE = 'webhook.test';
