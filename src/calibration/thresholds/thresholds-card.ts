// Writes the card (description) of fitted thresholds: their effect, and the accounts whose images were used.
import { percentUp } from 'telltale-engine/internal/base/numbers.js';
import type { Bands, ProfileName } from 'telltale-engine/internal/check/types.js';
import { shareOf, type Share } from './binomial.js';
import { firesAt } from './calibrate.js';
import { tableOf } from './calibration-page.js';
import type { MadeThresholds } from './own-thresholds.js';
import type { FitImage } from './fit-images.js';

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
  /** Number of members who confirmed images as genuine. */
  readonly members: number;
  /** True if API keys or former members confirmed images, too. */
  readonly hasOthers: boolean;
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
    const labeller = labellers.get(source) ?? { name: source, members: 0, hasOthers: true };
    return [
      labeller.name,
      String(of.length),
      showShare(countFiring(of, before)),
      showShare(countFiring(of, after)),
      showPeople(labeller),
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

/** Names nobody, because the table stays when a member leaves or an account is erased. */
function showPeople({ members, hasOthers }: Labeller): string {
  const counted = members === 0 ? [] : [members === 1 ? '1 member' : `${members} members`];
  return [...counted, ...(hasOthers ? ['API keys or former members'] : [])].join(', ');
}

function showShare({ count, images, rate }: Share): string {
  return `${count} of ${images}, ${percentUp(rate)}`;
}
