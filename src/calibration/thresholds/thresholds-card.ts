// Writes the card (description) of fitted thresholds: their effect, and the accounts whose images were used.
import { percentUp } from 'telltale-engine/internal/base/numbers.js';
import type { Bands, ProfileName } from 'telltale-engine/internal/check/types.js';
import { shareOf, type Share } from './binomial.js';
import { firesAt } from './calibrate.js';
import { tableOf } from './calibration-page.js';
import type { MadeThresholds } from './own-thresholds.js';
import type { FitImage } from './fit-images.js';

/** Maximum number of names in one row of a table. */
const MAX_NAMED_PEOPLE = 3;

/** Content of the card in addition to the thresholds. */
interface ThresholdsCardFacts {
  readonly newThresholds: MadeThresholds;
  readonly before: Bands;
  readonly labellerTable: readonly (readonly string[])[];
  readonly warnings: readonly string[];
  /** Sentence that says which checks were selected. */
  readonly selection: string;
  readonly madeAt: Date;
}

/** An account whose images were used. */
export interface Labeller {
  readonly name: string;
  /** Names of the members who confirmed images as genuine; null for a former member or an API key. */
  readonly people: ReadonlySet<string | null>;
}

/**
 * Returns a table with headings and one row per account. Columns: number of genuine images used, number flagged at
 * `profile`, and who confirmed the images. `labellers` maps each `FitImage.source` to its account.
 */
export function describeLabellers(
  images: readonly FitImage[],
  labellers: ReadonlyMap<string, Labeller>,
  {
    before,
    after,
    profile,
  }: { readonly before: Bands; readonly after: Bands; readonly profile: ProfileName },
): string[][] {
  const genuine = images.filter(({ isAi }) => !isAi);
  const countFiring = (of: readonly FitImage[], { profiles }: Bands): Share => {
    const bands = profiles[profile];
    const fires = (image: FitImage): boolean =>
      firesAt(image, 'full_image_specialist', bands) || firesAt(image, 'face_specialist', bands);
    return shareOf(of.filter(fires).length, of.length);
  };
  const rows = [...new Set(genuine.map(({ source }) => source))].map((source) => {
    const of = genuine.filter((image) => image.source === source);
    const { name = source, people = new Set<string | null>() } = labellers.get(source) ?? {};
    return [
      name,
      String(of.length),
      showShare(countFiring(of, before)),
      showShare(countFiring(of, after)),
      showPeople([...people]),
    ];
  });
  return [
    ['account', 'genuine images', `flagged before (${profile})`, 'flagged after', 'confirmed as genuine by'],
    ...rows.sort((one, other) => Number(other[1]) - Number(one[1])),
  ];
}

/** Formats the card as Markdown. */
export function formatThresholdsCard(facts: ThresholdsCardFacts): string {
  const { newThresholds, before, labellerTable, warnings, selection, madeAt } = facts;
  const { version, model } = newThresholds.bands;
  return [
    `# ${version}`,
    '',
    `Thresholds for ${model}, made ${madeAt.toISOString().slice(0, 10)}, instead of ${before.version}. ${selection}`,
    '',
    ...formatTable(tableOf(newThresholds.calibration.thresholds)),
    '',
    'Accounts whose images were used:',
    '',
    ...formatTable(labellerTable),
    ...warnings.flatMap((warning) => ['', `* ${escapeMarkdown(warning)}`]),
    '',
  ].join('\n');
}

function formatTable([headings = [], ...rows]: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeMarkdown).join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)];
}

/** Escapes Markdown, because accounts choose their names. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_<>|[\]]/g, '\\$&').replace(/\s+/g, ' ');
}

function showPeople(people: readonly (string | null)[]): string {
  const names = people.map((person) => person ?? 'an API key or a former member').sort();
  const more = names.length > MAX_NAMED_PEOPLE ? ` and ${names.length - MAX_NAMED_PEOPLE} more` : '';
  return `${names.slice(0, MAX_NAMED_PEOPLE).join(', ')}${more}`;
}

function showShare({ count, images, rate }: Share): string {
  return `${count} of ${images}, ${percentUp(rate)}`;
}
