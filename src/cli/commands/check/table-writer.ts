// Outcomes as a table for people: verdict, scores against their thresholds, reason.
import { countOf } from '../../../base/count.js';
import stringWidth from 'string-width';
import { roundScore } from '../../../check/rounding.js';
import type { CheckReport } from '../../../check/types.js';
import { NO_PROOF } from '../../../check/verdict/verdict.js';
import { cutColumns, padColumns, wrapColumns } from '../../../base/text-columns.js';
import type { Style, TerminalStream } from '../../terminal/terminal.js';
import { visibleText } from '../../../base/visible-text.js';
import type { PictureResultWriter } from './picture-result.js';

const VERDICT_WIDTH = 'No AI detected'.length;
const SCORE_WIDTH = '0.0000 ≥ 0.0000'.length;
const GAP = '  ';
const CELLS_WIDTH = VERDICT_WIDTH + 2 * SCORE_WIDTH + 3 * GAP.length;

/** A reason narrower than this is set below the row instead of beside it. */
const MIN_REASON_WIDTH = 40;

/** A writer of rows as they come; `names` are all names to expect, for the width of the first column. */
export function createTableWriter(stream: TerminalStream, names: readonly string[]): PictureResultWriter {
  const longest = names.reduce((most, name) => Math.max(most, stringWidth(visibleText(name))), 'FILE'.length);
  const isBeside = stream.columns - longest - CELLS_WIDTH - GAP.length >= MIN_REASON_WIDTH;
  const nameWidth = isBeside ? longest : Math.min(longest, Math.max(3, stream.columns - CELLS_WIDTH));
  const indent = isBeside ? nameWidth + CELLS_WIDTH + GAP.length : 2 * GAP.length;
  const counts = { ai: 0, none: 0, refused: 0, notFound: 0 };

  const writeRow = async (cells: readonly [string, string, string, string], reason: string, style: Style) => {
    const [name, verdict, whole, face] = cells;
    const left = [
      padColumns(cutColumns(name, nameWidth), nameWidth),
      stream.style(style, padColumns(verdict, VERDICT_WIDTH)),
      padColumns(whole, SCORE_WIDTH),
      padColumns(face, SCORE_WIDTH),
    ].join(GAP);
    const lines = wrapColumns(reason, stream.columns - indent).join(`\n${' '.repeat(indent)}`);
    await stream.writeLine(
      isBeside ? `${left}${GAP}${lines}` : `${left.trimEnd()}\n${' '.repeat(indent)}${lines}`,
    );
  };

  const writeHeading = () => writeRow(['FILE', 'VERDICT', 'WHOLE PICTURE', 'FACE'], 'REASON', 'bold');
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
      counts[report.isAi ? 'ai' : 'none'] += 1;
      const verdict = report.isAi ? 'AI detected' : 'No AI detected';
      await writeRow(
        [name, verdict, ...scoreCells(report)],
        visibleText(reasonOf(report)),
        report.isAi ? 'red' : 'green',
      );
    },
    async end() {
      const { ai, none, refused, notFound } = counts;
      const total = ai + none + refused + notFound;
      const missing = notFound === 0 ? '' : `, ${notFound} not found`;
      if (total > 1)
        await stream.writeLine(
          `${countOf(total, 'file')}: ${ai} AI, ${none} no AI detected, ${refused} refused${missing}`,
        );
      if (none > 0)
        await stream.writeLine("'No AI detected' is no proof, because the detectors miss some AI images.");
    },
  };
}

/** Without what the verdict's column and the last line say of every row. */
function reasonOf({ reason }: CheckReport): string {
  const why = reason.slice(reason.indexOf(': ') + 2);
  const at = why.lastIndexOf(`; ${NO_PROOF}`);
  return at < 0 ? why : `${why.slice(0, at)}${why.slice(at + NO_PROOF.length + 2)}`;
}

function scoreCells({ fullImageScore, faceScore, bands }: CheckReport): [whole: string, face: string] {
  return [scoreCell(fullImageScore, bands.fullImage.threshold), scoreCell(faceScore, bands.face.threshold)];
}

function scoreCell(score: number | null, threshold: number): string {
  if (score === null) return '–';
  return `${roundScore(score, threshold).toFixed(4)} ${score >= threshold ? '≥' : '<'} ${Number(threshold.toFixed(6))}`;
}
