// The card of a correction: what it was learned from, and what it does, before and after.
import { percentDown, percentUp } from '../../base/rates.js';
import type { Share } from './binomial.js';
import type { Learned } from './learn.js';
import type { Change, Effect } from './effect.js';

/** What the card says beside the counts. */
export interface CardFacts {
  readonly model: string;
  readonly corrects: string;
  readonly bandsVersion: string;
  readonly outcome: Effect;
  readonly learned: Learned;
  readonly warnings: readonly string[];
  readonly madeAt: Date;
}

/** Headings, then a row for each class and kind: for the card and for the terminal. */
export function tableOf({ ai, genuine, kept, kinds }: Effect): string[][] {
  return [
    ['pictures', 'fire before', 'fire after (95% interval)', 'more', 'fewer'],
    ...rowOf(ai, percentDown),
    ...rowOf(genuine, percentUp),
    ...rowOf(kept, percentDown),
    ...kinds.flatMap((kind) => rowOf(kind, percentUp)),
  ];
}

/** The card in Markdown. */
export function formatCard(facts: CardFacts): string {
  const { model, corrects, bandsVersion, outcome, learned, warnings, madeAt } = facts;
  const [headings = [], ...rows] = tableOf(outcome);
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    `# ${model}`,
    '',
    `A correction of the full-image specialist of ${corrects}, made ${madeAt.toISOString().slice(0, 10)}; thresholds ${bandsVersion}. Faces, the heat map and`,
    'Content Credentials are as they were.',
    '',
    `At the profile ${outcome.profile}, strength ${learned.strength}. **Each picture is judged by a correction that did not learn from its source** (from it, where`,
    'a class has one source only), and held against thresholds fitted anew. Rows of the reference are pictures in three tiers.',
    '',
    line(headings),
    line(headings.map(() => '---')),
    ...rows.map(line),
    '',
    'Where your pictures are of one source the gain is measured on that source alone: on others it may be less.',
    ...warnings.flatMap((warning) => ['', `* ${warning.replace(/[\\`*_<>|[\]]/g, '\\$&')}`]),
    '',
  ].join('\n');
}

/** A row, or none for what has no pictures. */
function rowOf({ name, before, after, gained, lost }: Change, percent: typeof percentUp): string[][] {
  if (before.pictures === 0) return [];
  const interval = `${percentDown(after.low)} to ${percentUp(after.high)}`;
  const cells = [showShare(before, percent), `${showShare(after, percent)} (${interval})`];
  return [[name, ...cells, String(gained), String(lost)]];
}

function showShare({ counted, pictures, rate }: Share, percent: typeof percentUp): string {
  return `${counted} of ${pictures}, ${percent(rate)}`;
}
