// Check boxes for the events of a webhook.
import type { JSX } from 'preact';
import type { EventType } from '../../../src/service/webhooks/endpoints.js';

const HINTS: Readonly<Record<EventType, string>> = {
  'scan.finished': 'a scan has finished or was cancelled',
  'scan.progress': 'a scan made another 10% of progress',
  'quota.reached': '80% or 100% of the month’s checks are used',
  'key.expiring': 'an API key expires in a week, or in a day',
  'appeal.received': 'somebody appeals against a verdict',
  'appeal.decided': 'an appeal is decided',
};

/** Draws a check box named `event` for each of `types`. The boxes of `chosen` are ticked. */
export function EventChoices(props: {
  types: readonly EventType[];
  chosen: readonly EventType[];
}): JSX.Element {
  return (
    <fieldset class="choices">
      <legend>Send an event when</legend>
      {props.types.map((type) => (
        <label key={type}>
          <input type="checkbox" name="event" value={type} defaultChecked={props.chosen.includes(type)} />{' '}
          {HINTS[type]} <code class="quiet">{type}</code>
        </label>
      ))}
    </fieldset>
  );
}
