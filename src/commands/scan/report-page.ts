// A scan's findings as one HTML file that loads nothing: counts, histograms, the highest-scored pictures.
import { escapeXml, PALETTE, svgBar, svgDocument, svgLine, svgText } from '../../evaluation/svg.js';
import { BINS, DETECTORS, type Detector, type HighScore, type Tally } from './tally.js';

/** What the page says beside the counts. */
export interface ReportFacts {
  readonly source: string;
  readonly model: string;
  readonly bandsVersion: string;
  readonly profile: string;
  readonly finishedAt: Date;
  /** Of a detector with more than one, a picture's own threshold lies between them. */
  readonly thresholds: Readonly<Record<Detector, readonly NamedThreshold[]>>;
}

/** A threshold, 0..1, and what stands beside its mark. */
export interface NamedThreshold {
  readonly name: string;
  readonly threshold: number;
}

/** A JPEG of a picture; null where it can't be had any more. */
export type Thumbnail = (picture: HighScore) => Promise<Uint8Array | null>;

const TITLES: Readonly<Record<Detector, string>> = {
  full_image_specialist: 'Whole picture',
  face_specialist: 'Face',
};
const BAR_PX = 14;
const BARS_HEIGHT_PX = 140;
const LEFT_PX = 8;
/** Height of the line that names a threshold. */
const MARK_PX = 14;

const STYLE = `
  :root { color-scheme: light dark; }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
  table { border-collapse: collapse; } th, td { text-align: left; padding: .2rem 1rem .2rem 0; }
  td.number { text-align: right; font-variant-numeric: tabular-nums; }
  ol { list-style: none; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: 1rem; }
  li { overflow-wrap: anywhere; font-size: 13px; line-height: 1.35; }
  img, .gone { display: block; width: 100%; aspect-ratio: 1; object-fit: contain; background: #8882; }
  .ai { color: #D55E00; font-weight: 600; } svg { max-width: 100%; height: auto; }`;

/** The page. Every text from outside is escaped; the pictures are within it. */
export async function buildReportPage(
  tally: Tally,
  facts: ReportFacts,
  thumbnail: Thumbnail,
): Promise<string> {
  const galleries: string[] = [];
  for (const detector of DETECTORS)
    galleries.push(await buildGallery(TITLES[detector], tally.highest[detector], thumbnail));
  const { model, bandsVersion, profile, finishedAt } = facts;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Telltale scan of ${escapeXml(facts.source)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Scan of ${escapeXml(facts.source)}</h1>
<p>${escapeXml(model)}, thresholds ${escapeXml(bandsVersion)}, profile ${escapeXml(profile)}; ${finishedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC.
'No AI detected' is no proof that a picture is genuine.</p>
${buildCounts(tally)}
${DETECTORS.map((detector) => plotScores(detector, tally.bins[detector], facts.thresholds[detector])).join('\n')}
${galleries.join('\n')}
</body>
</html>
`;
}

function buildCounts(tally: Tally): string {
  const row = (name: string, count: number): string =>
    `<tr><td>${escapeXml(name)}</td><td class="number">${count}</td></tr>`;
  const codes = [...tally.errors].sort((a, b) => b[1] - a[1]).map(([code, count]) => row(code, count));
  return [
    '<h2>Counts</h2><table>',
    row('pictures', tally.total),
    row('AI detected', tally.ai),
    row('No AI detected', tally.noAi),
    row('refused or failed', tally.refused),
    ...codes,
    '</table>',
  ].join('\n');
}

/**
 * Bars that reach a threshold, the lowest where there are more, have the colour of what fires. The height is that of the logarithm: a single high score must be seen beside a million low ones. */
function plotScores(
  detector: Detector,
  bins: readonly number[],
  thresholds: readonly NamedThreshold[],
): string {
  const width = BINS * BAR_PX;
  const top = Math.log1p(Math.max(1, ...bins));
  const topPx = 6 + MARK_PX * thresholds.length;
  const baseline = BARS_HEIGHT_PX + topPx + 4;
  const lowest = Math.min(...thresholds.map(({ threshold }) => threshold));
  const bars = bins.flatMap((count, bin) => {
    const height = (Math.log1p(count) / top) * BARS_HEIGHT_PX;
    const color = (bin + 1) / BINS > lowest ? PALETTE[1] : PALETTE[0];
    return count === 0 ? [] : [svgBar(LEFT_PX + bin * BAR_PX, baseline - height, BAR_PX - 1, height, color)];
  });
  const marks = thresholds.flatMap(({ name, threshold }, at) => {
    const x = LEFT_PX + threshold * width;
    const y = MARK_PX * (at + 1);
    return [
      svgLine([[x, y], [x, baseline]], PALETTE[3], { isDashed: true }), // prettier-ignore
      svgText(x - 4, y, `${name} ${threshold.toFixed(4)}`, { anchor: 'end' }),
    ];
  });
  const labels = [
    svgText(LEFT_PX, baseline + 16, '0'),
    svgText(LEFT_PX + width, baseline + 16, '1', { anchor: 'end' }),
  ];
  const plot = svgDocument(width + 2 * LEFT_PX, baseline + 24, [...bars, ...marks, ...labels]);
  return `<h2>${TITLES[detector]}: scores of ${bins.reduce((sum, count) => sum + count, 0)} pictures (heights are logarithms)</h2>\n${plot}`;
}

async function buildGallery(
  title: string,
  pictures: readonly HighScore[],
  thumbnail: Thumbnail,
): Promise<string> {
  if (pictures.length === 0) return '';
  const items: string[] = [];
  for (const picture of pictures) {
    const jpeg = await thumbnail(picture);
    const image =
      jpeg === null
        ? '<span class="gone"></span>'
        : `<img alt="" src="data:image/jpeg;base64,${Buffer.from(jpeg).toString('base64')}">`;
    const verdict = picture.isAi ? '<span class="ai">AI detected</span>' : 'No AI detected';
    items.push(
      `<li>${image}${picture.score.toFixed(4)} ${verdict}<br>${escapeXml(visible(picture.name))}</li>`,
    );
  }
  return `<h2>${title}: highest scores</h2>\n<ol>\n${items.join('\n')}\n</ol>`;
}

/** Characters that reorder text would make a name look like another. */
function visible(name: string): string {
  return name.replace(/\p{Cf}/gu, '?');
}
