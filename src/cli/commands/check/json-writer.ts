// Outcomes as JSON for programs: one object, an array, or one line each.
import { presentCheck } from '../../../check/present.js';
import type { DetailName } from '../../../check/types.js';
import type { TerminalStream } from '../../terminal/terminal.js';
import { visibleJson } from '../../../base/visible-text.js';
import type { PictureResult, PictureResultWriter } from './picture-result.js';

/** How outcomes are set out: `object` is exactly the specification's; the others put a member `file` first. */
export type JsonLayout = 'object' | 'array' | 'lines';

/** A writer of JSON; a failure is `{ error: { code, message } }` in place of the result. */
export function createJsonWriter(
  stream: TerminalStream,
  layout: JsonLayout,
  include: readonly DetailName[],
): PictureResultWriter {
  let count = 0;
  return {
    async add(outcome) {
      const body = presentOutcome(outcome, include);
      const value = layout === 'object' ? body : { file: outcome.name, ...body };
      const json = visibleJson(layout === 'lines' ? JSON.stringify(value) : indentJson(value));
      const opening = layout !== 'array' ? '' : count === 0 ? '[\n' : ',\n';
      count += 1;
      await stream.write(opening + json + (layout === 'array' ? '' : '\n'));
    },
    async end() {
      if (layout === 'array') await stream.write(count === 0 ? '[]\n' : '\n]\n');
    },
  };
}

/** Indented, but boxes and other rows of numbers each on one line. */
function indentJson(value: object): string {
  // A line end never stands inside a JSON string, so this meets arrays only.
  return JSON.stringify(value, null, 2).replace(
    /\[\n\s*([-+.\de]+(?:,\n\s*[-+.\de]+)*)\n\s*\]/g,
    (_, numbers: string) => {
      return `[${numbers.replace(/\n\s*/g, ' ')}]`;
    },
  );
}

function presentOutcome(outcome: PictureResult, include: readonly DetailName[]): object {
  const record = include.includes('record') ? (outcome.record ?? null) : null;
  if ('report' in outcome) return presentCheck(outcome.report, { include, record });
  return { error: outcome.failure, ...(record && { record }) };
}
