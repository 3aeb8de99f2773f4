// Every single score of one detector as a CSV file: what `models/training/measure` makes thresholds, tables and plots from.
import type { DetectorRows } from './report.js';

const COLUMNS = 'picture,label,source,generator,kind,content,tier,score,drawn';

/** The file's text; numbers are not rounded. Pictures that have no score, because they have no face, are not in it. */
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
