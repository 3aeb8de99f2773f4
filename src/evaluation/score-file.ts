// Every single score as a CSV file, for thresholds and plots made elsewhere.
import type { ScoredPicture } from './score-pictures.js';

const COLUMNS = 'picture,label,source,group,kind,tier,full_image_specialist,face_specialist';

/** The file's text; scores unrounded, an empty field where a picture has no face to score. */
export function formatScores(scored: readonly ScoredPicture[]): string {
  const rows = scored.map(({ picture, tier, fullImage, face }) =>
    [
      picture.path,
      picture.isAi ? 'ai' : 'real',
      picture.source,
      picture.group,
      picture.kind,
      tier,
      String(fullImage),
      face === null ? '' : String(face),
    ]
      .map(quote)
      .join(','),
  );
  return `${[COLUMNS, ...rows].join('\n')}\n`;
}

function quote(field: string): string {
  return /[",\n\r]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
