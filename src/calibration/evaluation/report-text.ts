// Formats the report of an evaluation as tables for people, and all scores as CSV.
import { countOf, roundDown, roundUp } from 'telltale-engine/internal/base/numbers.js';
import { PROFILE_NAMES, type ProfileName } from 'telltale-engine/internal/check/types.js';
import { formatTable } from '../../tables/columns.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';
import type { Estimate } from './measures.js';
import {
  DETECTORS,
  type EvaluationReport,
  type GroupRow,
  type ProfileRow,
  type TierReport,
  type VerdictReport,
  type DetectorRows,
} from './report.js';

/** Minimum number of genuine images from which a rate of 1% can be measured: one image is then 1%. */
const MIN_IMAGES_AT_1_PERCENT = 100;

/** Returns the report as lines to print. */
export function formatReport(report: EvaluationReport): string[] {
  const lines = [`${report.model}, bands ${report.bands_version}; ${report.note}.`];
  for (const { id } of DETECTORS) {
    const tiers = report.tiers.filter(({ detector }) => detector === id);
    if (tiers.every(({ pictures }) => pictures.real + pictures.ai === 0)) {
      lines.push('', `${id}: no scores`);
      continue;
    }
    lines.push('', id, ...formatTable(measureRows(tiers)), ...warnOfFew(tiers));
    lines.push('', `${id}: at its thresholds`, ...formatTable(profileRows(tiers)));
    lines.push('', `${id}: share flagged at ${PROFILE_NAMES.join(' / ')}`);
    lines.push(...formatTable(groupRows(tiers, ({ groups }) => groups)));
    if (tiers.some(({ looks }) => looks.length > 0)) {
      lines.push('', `${id}: the same by image domain`);
      lines.push(...formatTable(groupRows(tiers, ({ looks }) => looks)));
    }
    if (tiers.some(({ kinds }) => kinds.length > 0)) {
      lines.push('', `${id}: the same by kind of image`);
      lines.push(...formatTable(groupRows(tiers, ({ kinds }) => kinds)));
    }
  }
  lines.push(
    '',
    'verdict: AI if either detector flags the image',
    ...formatTable(verdictRows(report.verdicts)),
  );
  if (report.failed.length > 0)
    lines.push('', `${countOf(report.failed.length, 'image')} could not be scored:`);
  for (const { path, code, message } of report.failed)
    lines.push(`  ${visibleText(path)}  ${code}: ${visibleText(message)}`);
  return lines;
}

function measureRows(tiers: readonly TierReport[]): string[][] {
  const heading = [
    'level',
    'real',
    'ai',
    'no score',
    'AUC',
    'recall at 1% FPR',
    'recall at 5% FPR',
    'interval over',
  ];
  return [
    heading,
    ...tiers.map((tier) => [
      tier.tier,
      `${tier.pictures.real} (${tier.sources.real})`,
      `${tier.pictures.ai} (${tier.sources.ai})`,
      String(tier.without_score),
      formatEstimate(tier.auc),
      formatEstimate(tier.recall_at_1_percent_false_alarms),
      formatEstimate(tier.recall_at_5_percent_false_alarms),
      [tier.resampled.real, tier.resampled.ai]
        .map((unit) => (unit === 'source' ? 'sources' : 'images'))
        .join(' / '),
    ]),
  ];
}

/** Warns about measures that need more genuine images. */
function warnOfFew(tiers: readonly TierReport[]): string[] {
  const real = Math.max(...tiers.map(({ pictures }) => pictures.real));
  if (real === 0 || real >= MIN_IMAGES_AT_1_PERCENT) return [];
  return [
    `Recall at 1% FPR is the recall without any false positive, because the set has only ${countOf(real, 'genuine image')}. Measuring 1% needs at least ${MIN_IMAGES_AT_1_PERCENT}.`,
  ];
}

function verdictRows(verdicts: readonly VerdictReport[]): string[][] {
  return [
    ['level', 'real', 'ai', 'profile', 'recall', 'FPR', 'balanced accuracy'],
    ...verdicts.flatMap(({ tier, pictures, sources, profiles }) =>
      profiles.map((row) => [
        tier,
        `${pictures.real} (${sources.real})`,
        `${pictures.ai} (${sources.ai})`,
        row.profile,
        formatEstimate(row.recall),
        formatEstimate(row.false_alarm_rate, roundUp),
        formatEstimate(row.balanced_accuracy),
      ]),
    ),
  ];
}

function profileRows(tiers: readonly TierReport[]): string[][] {
  const heading = ['level', 'profile', 'threshold', 'recall', 'FPR', 'balanced accuracy'];
  return [
    heading,
    ...tiers.flatMap(({ tier, profiles }) =>
      profiles.map((row) => [
        tier,
        row.profile,
        showThreshold(row.threshold),
        formatEstimate(row.recall),
        formatEstimate(row.false_alarm_rate, roundUp),
        formatEstimate(row.balanced_accuracy),
      ]),
    ),
  ];
}

function groupRows(
  tiers: readonly TierReport[],
  read: (tier: TierReport) => readonly GroupRow[],
): string[][] {
  const keyOf = ({ label, group }: GroupRow): string => `${label}\n${group}`;
  const keys = [...new Set(tiers.flatMap((tier) => read(tier).map(keyOf)))].sort();
  return [
    ['label', 'group', 'images', ...tiers.map(({ tier }) => tier)],
    ...keys.map((key) => {
      const [label = '', group = ''] = key.split('\n');
      const rows = tiers.map((tier) => read(tier).find((row) => keyOf(row) === key));
      const pictures = rows.find((row) => row !== undefined)?.pictures ?? 0;
      return [label, visibleText(group), String(pictures), ...rows.map(showShares)];
    }),
  ];
}

function showShares(row: GroupRow | undefined): string {
  return row === undefined ? '–' : PROFILE_NAMES.map((profile) => showShare(row, profile)).join(' / ');
}

/** Formats the share of flagged images, rounded up for genuine images and down for AI images. */
function showShare({ label, fired }: GroupRow, profile: ProfileName): string {
  return (label === 'real' ? roundUp : roundDown)(fired[profile], 2).toFixed(2);
}

/** Formats the threshold, or both thresholds of the two image domains. */
function showThreshold(threshold: ProfileRow['threshold']): string {
  if (typeof threshold === 'number') return threshold.toFixed(4);
  return `${threshold.photographed.toFixed(4)}, illustrations ${threshold.drawn.toFixed(4)}`;
}

/** Formats an estimate with its interval. `round` is roundUp for error rates. */
function formatEstimate({ value, low, high }: Estimate, round = roundDown): string {
  if (value === null) return '–';
  const shown = round(value, 3).toFixed(3);
  if (low === null || high === null) return shown;
  return `${shown} [${roundDown(low, 3).toFixed(3)}, ${roundUp(high, 3).toFixed(3)}]`;
}

const COLUMNS = 'picture,label,source,generator,kind,content,tier,score,drawn';

/** Returns all scores as CSV, unrounded. Leaves out images without a score, which show no face. */
export function formatScores(tiers: readonly DetectorRows[]): string {
  const rows = tiers.flatMap(({ tier, rows }) =>
    rows.map(({ path, isAi, source, group, kind, content, score, drawn }) => {
      const generator = isAi ? group : 'none';
      return [
        path,
        isAi ? 'ai' : 'real',
        source,
        generator,
        kind,
        content,
        tier,
        String(score),
        String(drawn),
      ]
        .map(quote)
        .join(',');
    }),
  );
  return `${[COLUMNS, ...rows].join('\n')}\n`;
}

function quote(field: string): string {
  return /[",\n\r]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
