// The events that webhooks tell an account of: endpoints choose from these, and tests send one more.

/** Names of events, as the Standard Webhooks specification has them: the thing, a dot, what became of it. */
export const EVENT_TYPES = ['scan.finished', 'scan.progress', 'quota.reached', 'key.expiring'] as const;
/** The name of an event. */
export type EventType = (typeof EVENT_TYPES)[number];

/** What `telltale webhooks test` and the console send. */
export const TEST_TYPE = 'webhook.test';
