// Outcomes as JSON for programs: one object, an array, or one line each.
import { presentCheck } from '../../check/present.js';
import type { DetailName } from '../../check/types.js';
import type { TerminalStream } from '../../terminal/terminal.js';
import { visibleJson } from '../../terminal/visible-text.js';
import type { Outcome, OutcomeWriter } from './outcome.js';

/** How outcomes are set out: `object` is exactly the specification's; the others put a member `file` first. */
export type JsonLayout = 'object' | 'array' | 'lines';

/** A writer of JSON; a failure is `{ error: { code, message } }` in place of the result. */
export function createJsonWriter(
  stream: TerminalStream,
  layout: JsonLayout,
  include: readonly DetailName[],
): OutcomeWriter {
  let count = 0;
  return {
    async add(outcome) {
      const body = presentOutcome(outcome, include);
      const value = layout === 'object' ? body : { file: outcome.name, ...body };
      const json = visibleJson(JSON.stringify(value, null, layout === 'lines' ? undefined : 2));
      const opening = layout !== 'array' ? '' : count === 0 ? '[\n' : ',\n';
      count += 1;
      await stream.write(opening + json + (layout === 'array' ? '' : '\n'));
    },
    async end() {
      if (layout === 'array') await stream.write(count === 0 ? '[]\n' : '\n]\n');
    },
  };
}

function presentOutcome(outcome: Outcome, include: readonly DetailName[]): object {
  return 'report' in outcome ? presentCheck(outcome.report, { include }) : { error: outcome.failure };
}
