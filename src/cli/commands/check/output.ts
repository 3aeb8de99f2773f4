// Printing verdicts: as JSON for programs, and as a table for people.
import {
  ASSESSMENTS,
  type Assessment,
  type AssessmentRates,
  type CheckFailure,
  type DetailName,
} from 'telltale-engine/internal/check/types.js';
import type { CheckReport } from 'telltale-engine/internal/check/report.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { SignedRecord } from '../../../record/content/schema.js';
import { presentCheck } from 'telltale-engine/internal/check/present.js';
import type { TerminalStream, Style } from '../../terminal/terminal.js';
import { visibleJson, visibleText } from 'telltale-engine/internal/base/visible-text.js';
import { countOf, roundScore } from 'telltale-engine/internal/base/numbers.js';
import stringWidth from 'string-width';
import {
  assess,
  HEADLINES,
  ratesOfAssessment,
  describeShares,
  withoutHeadline,
  countHeadlines,
} from 'telltale-engine/internal/check/verdict/assessment.js';
import { NO_PROOF } from 'telltale-engine/internal/check/verdict/verdict.js';
import { cutColumns, padColumns, wrapColumns } from '../../../tables/columns.js';

/** An image's verdict or error. `record` is the signed record, if it was requested and could be made. */
export type ImageResult = { readonly name: string; readonly record?: SignedRecord | null } & (
  { readonly report: CheckReport } | { readonly failure: CheckFailure }
);

/** Writes results in the order in which the images were named. */
export interface ImageResultWriter {
  add(outcome: ImageResult): Promise<void>;
  /** Ends the output properly, even if the command stopped early: closes a JSON array, for example. */
  end(): Promise<void>;
}

/** Converts an error to a failure to print. Other errors than CheckError are bugs, so their text is shown. */
export function toFailure(error: unknown): CheckFailure {
  if (error instanceof CheckError) return { code: error.code, message: error.message };
  return { code: 'internal_error', message: error instanceof Error ? error.message : String(error) };
}

/** Layout of JSON. `object` is exactly the specified result; other layouts add the field `file`. */
type JsonLayout = 'object' | 'array' | 'lines';

/** Creates a writer of JSON. For a failure, it writes `{ error: { code, message } }` instead of a result. */
export function createJsonWriter(
  stream: TerminalStream,
  layout: JsonLayout,
  include: readonly DetailName[],
): ImageResultWriter {
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

/** Indents JSON, but writes arrays of numbers, such as boxes, on one line. */
function indentJson(value: object): string {
  // The pattern matches no texts, because JSON texts contain no line breaks.
  return JSON.stringify(value, null, 2).replace(
    /\[\n\s*([-+.\de]+(?:,\n\s*[-+.\de]+)*)\n\s*\]/g,
    (_, numbers: string) => {
      return `[${numbers.replace(/\n\s*/g, ' ')}]`;
    },
  );
}

function presentOutcome(outcome: ImageResult, include: readonly DetailName[]): object {
  const record = include.includes('record') ? (outcome.record ?? null) : null;
  if ('report' in outcome) return presentCheck(outcome.report, { include, record });
  return { error: outcome.failure, ...(record && { record }) };
}

/** Colours of the headlines. */
const STYLES: Readonly<Record<Assessment, Style>> = {
  likely_ai: 'red',
  unclear: 'yellow',
  no_ai_detected: 'green',
};

const HEADLINE_WIDTH = HEADLINES.no_ai_detected.length;
const SCORE_WIDTH = '0.0000 ≥ 0.0000'.length;
const GAP = '  ';
const CELLS_WIDTH = HEADLINE_WIDTH + 2 * SCORE_WIDTH + 3 * GAP.length;

/** Minimum width of the column for reasons. If less is left, reasons go on separate lines. */
const MIN_REASON_WIDTH = 40;

/** Creates a writer of table rows. `names` are all images' names, which set the width of the first column. */
export function createTableWriter(stream: TerminalStream, names: readonly string[]): ImageResultWriter {
  const longest = names.reduce(
    (widest, name) => Math.max(widest, stringWidth(visibleText(name))),
    'FILE'.length,
  );
  const hasReasonColumn = stream.columns - longest - CELLS_WIDTH - GAP.length >= MIN_REASON_WIDTH;
  const nameWidth = hasReasonColumn ? longest : Math.min(longest, Math.max(3, stream.columns - CELLS_WIDTH));
  const indent = hasReasonColumn ? nameWidth + CELLS_WIDTH + GAP.length : 2 * GAP.length;
  const counts = { likely_ai: 0, unclear: 0, no_ai_detected: 0, refused: 0, notFound: 0 };
  /** Measured rates of each assessment in the table, to be printed at the end. */
  const assessed = new Map<Assessment, AssessmentRates | null>();

  const writeRow = async (cells: readonly [string, string, string, string], reason: string, style: Style) => {
    const [name, headline, whole, face] = cells;
    const row = [
      padColumns(cutColumns(name, nameWidth), nameWidth),
      stream.style(style, padColumns(headline, HEADLINE_WIDTH)),
      padColumns(whole, SCORE_WIDTH),
      padColumns(face, SCORE_WIDTH),
    ].join(GAP);
    const lines = wrapColumns(reason, stream.columns - indent).join(`\n${' '.repeat(indent)}`);
    await stream.writeLine(
      hasReasonColumn ? `${row}${GAP}${lines}` : `${row.trimEnd()}\n${' '.repeat(indent)}${lines}`,
    );
  };

  const writeHeading = () => writeRow(['FILE', 'RESULT', 'WHOLE IMAGE', 'FACE'], 'REASON', 'bold');
  let isFirst = true;
  return {
    async add(outcome) {
      if (isFirst) await writeHeading();
      isFirst = false;
      const name = visibleText(outcome.name);
      if ('failure' in outcome) {
        const { code, message } = outcome.failure;
        const isMissing = code === 'not_found';
        counts[isMissing ? 'notFound' : 'refused'] += 1;
        const cells = [name, isMissing ? 'not found' : 'refused', '', ''] as const;
        await writeRow(cells, visibleText(isMissing ? message : `${code}: ${message}`), 'yellow');
        return;
      }
      const { report } = outcome;
      const assessment = assess(report);
      counts[assessment] += 1;
      assessed.set(assessment, ratesOfAssessment(report) ?? assessed.get(assessment) ?? null);
      await writeRow(
        [name, HEADLINES[assessment], ...scoreCells(report)],
        visibleText(shortenReason(report)),
        STYLES[assessment],
      );
    },
    end: () => writeEnd(stream, counts, assessed),
  };
}

/** Number of images by headline, and of images without one. */
type Counts = Readonly<Record<Assessment | 'refused' | 'notFound', number>>;

/** Writes how many images got each headline, and the measured rates. */
async function writeEnd(
  stream: TerminalStream,
  counts: Counts,
  assessed: ReadonlyMap<Assessment, AssessmentRates | null>,
): Promise<void> {
  const { refused, notFound } = counts;
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const missing = notFound === 0 ? '' : `, ${notFound} not found`;
  if (total > 1)
    await stream.writeLine(
      `${countOf(total, 'file')}: ${countHeadlines(counts)}, ${refused} refused${missing}`,
    );
  for (const name of ASSESSMENTS) {
    const rates = assessed.get(name);
    if (!rates) continue;
    const sentence = `${HEADLINES[name]}: ${describeShares(rates.at1In10, rates.at1In2)}`;
    await stream.writeLine(wrapColumns(sentence, stream.columns).join('\n'));
  }
  if (counts.no_ai_detected > 0)
    await stream.writeLine("'No AI detected' is no proof, because the detectors miss some AI images.");
}

/** Returns the reason without the headline and without the part that the last line shows. */
function shortenReason({ reason }: CheckReport): string {
  const text = withoutHeadline(reason);
  const at = reason.startsWith(HEADLINES.no_ai_detected) ? text.lastIndexOf(`; ${NO_PROOF}`) : -1;
  return at < 0 ? text : `${text.slice(0, at)}${text.slice(at + NO_PROOF.length + 2)}`;
}

function scoreCells({ fullImageScore, faceScore, bands }: CheckReport): [whole: string, face: string] {
  return [scoreCell(fullImageScore, bands.fullImage.threshold), scoreCell(faceScore, bands.face.threshold)];
}

function scoreCell(score: number | null, threshold: number): string {
  if (score === null) return '–';
  return `${roundScore(score, threshold).toFixed(4)} ${score >= threshold ? '≥' : '<'} ${threshold.toFixed(6).replace(/0{1,2}$/, '')}`;
}
