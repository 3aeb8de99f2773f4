// Builds a page about a calibration: scores of the images, thresholds before and after, and the flagged images.
import { countOf, percentDown, percentUp } from 'telltale-engine/internal/base/numbers.js';
import { mediumOf } from 'telltale-engine/internal/check/thresholds/image-bands.js';
import { PROFILE_NAMES, type Bands } from 'telltale-engine/internal/check/types.js';
import { plotHistograms, type ThresholdMark } from '../evaluation/plots.js';
import { buildGallery, buildPage, buildTable, type GalleryItem } from '../evaluation/page.js';
import { DETECTORS, type DetectorId, type DetectorRow } from '../evaluation/report.js';
import { html, type Html } from '../../html/html.js';
import type { Share } from './binomial.js';
import { firesAt, type Calibration, type CalibratedThreshold } from './calibrate.js';
import type { FitImage } from './fit-images.js';

/** Facts that the page shows. */
interface CalibrationFacts {
  readonly calibration: Calibration;
  readonly before: Bands;
  readonly after: Bands;
  readonly images: readonly FitImage[];
  /** Warnings about the images, such as duplicates. */
  readonly warnings: readonly string[];
  readonly madeAt: Date;
}

/** Function that returns a JPEG of an image, or null if the image is no longer available. */
type Thumbnail = (path: string) => Promise<Uint8Array | null>;

const TITLES: Readonly<Record<DetectorId, string>> = {
  full_image_specialist: 'Whole image',
  face_specialist: 'Face',
};
/** Number of images shown for each detector and profile. They fill two rows of six. */
const MAX_SHOWN_IMAGES = 12;

/** Builds an HTML page that needs no other files. */
export async function buildCalibrationPage(facts: CalibrationFacts, thumbnail: Thumbnail): Promise<string> {
  const { calibration, before, after, images, warnings, madeAt } = facts;
  const genuine = images.filter(({ isAi }) => !isAi).length;
  const galleries: (Html | null)[] = [];
  for (const { id } of DETECTORS)
    for (const profile of PROFILE_NAMES) galleries.push(await showNearest(facts, id, profile, thumbnail));
  return buildPage('Thresholds from own images', [
    html`<p>
      ${after.model}; thresholds ${after.version} instead of ${before.version};
      ${madeAt.toISOString().slice(0, 16).replace('T', ' ')} UTC. ${countOf(genuine, 'genuine image')},
      ${countOf(images.length - genuine, 'AI image')}.
    </p> `,
    warnings.length === 0
      ? null
      : html`<ul>
          ${warnings.map((text) => html`<li class="note">${text}</li> `)}
        </ul>`,
    buildTable(tableOf(calibration.thresholds)),
    ...DETECTORS.map(({ id }) => plotScores(facts, id)),
    ...galleries,
  ]);
}

/** Returns a table with headings and one row per threshold, for the page and the terminal. */
export function tableOf(thresholds: readonly CalibratedThreshold[]): string[][] {
  return [
    [
      'profile',
      'threshold for',
      'aim',
      'before',
      'false positives',
      'after',
      'false positives (95% interval)',
      'recall',
      'note',
    ],
    ...thresholds.map(({ profile, medium, aim, before, after, keptReason }) => [
      profile,
      medium ?? 'face',
      percentUp(aim),
      before.threshold.toFixed(4),
      showCount(before.falseAlarms),
      after.threshold.toFixed(4),
      showInterval(after.falseAlarms),
      after.recall.images === 0
        ? '–'
        : `${showCount(before.recall, percentDown)} → ${percentDown(after.recall.rate)} of ${after.recall.images}`,
      keptReason ?? '',
    ]),
  ];
}

function showCount({ count, images, rate }: Share, percent = percentUp): string {
  return images === 0 ? '–' : `${count} of ${images}, ${percent(rate)}`;
}

function showInterval(share: Share): string {
  if (share.images === 0) return '–';
  return `${showCount(share)} (${percentDown(share.low)} to ${percentUp(share.high)})`;
}

function plotScores({ images, before, after }: CalibrationFacts, detector: DetectorId): Html | null {
  const rows = images.flatMap((image): DetectorRow[] => {
    const score = detector === 'face_specialist' ? image.face : image.fullImage;
    const kind = detector === 'face_specialist' ? 'face' : mediumOf(image.drawn);
    return score === null ? [] : [{ ...image, score, group: kind }];
  });
  if (rows.length === 0) return null;
  const marks = PROFILE_NAMES.flatMap((profile) => [
    ...marksOf(profile, before, detector, 'before'),
    ...marksOf(profile, after, detector, 'after'),
  ]);
  const plot = plotHistograms(
    TITLES[detector],
    { detector, tier: 'clean', rows, withoutScore: images.length - rows.length },
    marks,
  );
  return html`<h2>${TITLES[detector]}: scores of ${countOf(rows.length, 'image')}</h2>
    ${{ text: plot }}`;
}

function marksOf(
  profile: (typeof PROFILE_NAMES)[number],
  { profiles }: Bands,
  detector: DetectorId,
  when: string,
): ThresholdMark[] {
  const { fullImage, face } = profiles[profile];
  if (detector === 'face_specialist') return [{ name: `${profile}, ${when}`, threshold: face.threshold }];
  return [{ name: `${profile}, ${when}`, threshold: fullImage.photographed.threshold }];
}

/** Shows genuine images that the new thresholds flag, the lowest scores first. */
async function showNearest(
  { images, after }: CalibrationFacts,
  detector: DetectorId,
  profile: (typeof PROFILE_NAMES)[number],
  thumbnail: Thumbnail,
): Promise<Html | null> {
  const scoreOf = ({ fullImage, face }: FitImage): number =>
    detector === 'face_specialist' ? (face ?? 0) : fullImage;
  const firing = images
    .filter((image) => !image.isAi && firesAt(image, detector, after.profiles[profile]))
    .sort((a, b) => scoreOf(a) - scoreOf(b));
  const items: GalleryItem[] = [];
  for (const image of firing.slice(0, MAX_SHOWN_IMAGES)) {
    const caption = html`${scoreOf(image).toFixed(4)} ${mediumOf(image.drawn)}`;
    items.push({ jpeg: await thumbnail(image.path), caption, name: image.path });
  }
  const byThreshold =
    firing.length > items.length ? ` (the nearest ${items.length} of ${firing.length})` : '';
  return buildGallery(`${TITLES[detector]}, ${profile}: genuine images that fire${byThreshold}`, items);
}
