// Building the report of a scan as one HTML file: totals, histograms and the images with the highest scores.
import { countOf } from 'telltale-engine/internal/base/numbers.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';
import {
  buildGallery,
  buildPage,
  buildTable,
  type GalleryItem,
} from '../../../calibration/evaluation/page.js';
import { PALETTE, svgBar, svgDocument, svgSegment, svgText } from '../../../calibration/evaluation/plots.js';
import { html, type Html } from '../../../html/html.js';
import { ASSESSMENTS } from 'telltale-engine/internal/check/types.js';
import { HEADLINES } from 'telltale-engine/internal/check/verdict/assessment.js';
import type { MarkKind } from 'telltale-engine/internal/check/marks/kinds.js';
import { BINS, DETECTORS, type Detector, type HighScore, type Tally } from './results-file.js';

/** Content of the report in addition to the totals. */
interface ReportFacts {
  readonly source: string;
  readonly model: string;
  readonly bandsVersion: string;
  readonly profile: string;
  readonly finishedAt: Date;
  /** True if the scan searched for marks (signs and declarations of AI). */
  readonly hasMarks: boolean;
  /** Kinds of marks. Only images with one of them are in the report; empty for all images. */
  readonly mark: readonly MarkKind[];
  /** Thresholds of each detector. If there are several, an image's own threshold lies between them. */
  readonly thresholds: Readonly<Record<Detector, readonly NamedThreshold[]>>;
}

/** A threshold, 0..1, with a label for the plot. */
interface NamedThreshold {
  readonly name: string;
  readonly threshold: number;
}

/** Function that returns an image as a JPEG, or null if the image is no longer available. */
type Thumbnail = (image: HighScore) => Promise<Uint8Array | null>;

const TITLES: Readonly<Record<Detector, string>> = {
  full_image_specialist: 'Whole image',
  face_specialist: 'Face',
};
const BAR_PX = 14;
const BARS_HEIGHT_PX = 140;
const LEFT_PX = 8;
/** Height in pixels of the text line that names a threshold in a plot. */
const MARK_PX = 14;

/** Builds one HTML file that contains its images. */
export async function buildReportPage(
  tally: Tally,
  facts: ReportFacts,
  thumbnail: Thumbnail,
): Promise<string> {
  const galleries: (Html | null)[] = [];
  for (const detector of DETECTORS)
    galleries.push(await showHighest(TITLES[detector], tally.highest[detector], thumbnail));
  const { model, bandsVersion, profile, finishedAt, mark, hasMarks } = facts;
  return buildPage(`Scan of ${facts.source}`, [
    html`<p>
      ${model}, thresholds ${bandsVersion}, profile ${profile};
      ${finishedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC. 'No AI detected' is no proof that an
      image is genuine.
    </p> `,
    mark.length === 0 ? null : html`<p>Only images that carry a mark of these kinds: ${mark.join(', ')}.</p>`,
    buildCounts(tally),
    hasMarks ? buildMarks(tally) : null,
    ...DETECTORS.map((detector) => plotScores(detector, tally.bins[detector], facts.thresholds[detector])),
    ...galleries,
  ]);
}

function buildCounts(tally: Tally): Html {
  const codes = [...tally.errors].sort((a, b) => b[1] - a[1]);
  const rows = [
    ['images', tally.total],
    ...ASSESSMENTS.map((assessment) => [HEADLINES[assessment], tally.assessments[assessment]]),
    ['refused or failed', tally.refused],
    ...codes,
  ];
  return html`<h2>Counts</h2>
    ${buildTable([[], ...rows.map((row) => row.map(String))])}`;
}

/** Maximum rows of the table of marks, because files can name any number of generators. */
const MARK_ROWS = 50;

function buildMarks({ marks, withoutMarks }: Tally): Html {
  const rows = marks
    .slice(0, MARK_ROWS)
    .map(({ kind, generator, pictures }) => [kind, visibleText(generator ?? '-'), String(pictures)]);
  const hiddenRows = marks.length - rows.length;
  return html`<h2>Marks</h2>
    <p>
      Declarations in files, and visible signs and watermarks. Anybody can write them, so they never decide a
      verdict.
    </p>
    ${
      rows.length === 0
        ? html`<p>No image has a mark.</p>`
        : buildTable([['kind', 'names', 'images'], ...rows])
    }
    ${hiddenRows > 0 && html`<p>${countOf(hiddenRows, 'more row')}, of fewer images.</p>`}
    ${withoutMarks > 0 && html`<p>${countOf(withoutMarks, 'image')} ${withoutMarks === 1 ? 'was' : 'were'} not searched for marks.</p>`}`;
}

/**
 * Plots a histogram. Bars above the lowest threshold are coloured as flagged. Heights are logarithmic, so
 * that a single high score is visible next to a million low ones.
 */
function plotScores(
  detector: Detector,
  bins: readonly number[],
  thresholds: readonly NamedThreshold[],
): Html {
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
      svgSegment(x, y, x, baseline, PALETTE[3], { isDashed: true }),
      svgText(x - 4, y, `${name} ${threshold.toFixed(4)}`, { anchor: 'end' }),
    ];
  });
  const labels = [
    svgText(LEFT_PX, baseline + 16, '0'),
    svgText(LEFT_PX + width, baseline + 16, '1', { anchor: 'end' }),
  ];
  const plot = svgDocument(width + 2 * LEFT_PX, baseline + 24, [...bars, ...marks, ...labels]);
  const images = bins.reduce((sum, count) => sum + count, 0);
  return html`<h2>${TITLES[detector]}: scores of ${countOf(images, 'image')} (heights are logarithms)</h2>
    ${{ text: plot }}`;
}

async function showHighest(
  title: string,
  pictures: readonly HighScore[],
  thumbnail: Thumbnail,
): Promise<Html | null> {
  const items: GalleryItem[] = [];
  for (const image of pictures) {
    const { score, assessment } = image;
    items.push({
      jpeg: await thumbnail(image),
      caption: html`${score.toFixed(4)} <span class="${assessment}">${HEADLINES[assessment]}</span>`,
      name: image.name,
    });
  }
  return buildGallery(`${title}: highest scores`, items);
}
