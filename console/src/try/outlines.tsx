// Draws outlines of findings over the image: faces, embedded images, the suspicious region and visible signs.
import type { JSX } from 'preact';
import type { CheckResult } from '../../../src/library/check/result-schema.js';
import { describeStrength } from '../../../src/library/check/verdict/strength.js';
import type { Box } from '../../../src/library/engine/types.js';
import { formatScore } from '../format.js';

type Kind = 'face' | 'within' | 'part' | 'sign';

/** An outline over the image with its label. */
export interface Outline {
  readonly kind: Kind;
  readonly box: Box;
  /** Text next to the outline. */
  readonly label: string;
  /** Numbers that the label is based on; may be empty. */
  readonly scoreText: string;
  readonly isAlarm: boolean;
}

/**
 * Returns outlines for all findings that have a position, largest kinds first. Highlights faces whose score exceeds
 * `faceThreshold`.
 */
export function findOutlines(result: CheckResult, faceThreshold: number): readonly Outline[] {
  return [
    ...findImages(result),
    ...findPart(result),
    ...findSigns(result),
    ...findFaces(result, faceThreshold),
  ];
}

/**
 * Returns outlines of embedded images, such as the halves of a collage. The one furthest above its threshold gives the
 * score of the whole image.
 */
function findImages({ details, scores }: CheckResult): Outline[] {
  const panels = details?.heatmap?.panels ?? [];
  return panels.map(({ box, score }, at) => ({
    kind: 'within',
    box,
    label: `embedded image ${at + 1} of ${panels.length}${score === scores.full_image_specialist ? ': its score counts' : ''}`,
    scoreText: `judged by itself: ${formatScore(score)}`,
    isAlarm: false,
  }));
}

/**
 * Returns an outline of the suspicious region if a warning names it. Without a warning it means nothing, because every
 * image has a highest-scoring region.
 */
function findPart({ details }: CheckResult): Outline[] {
  const peak = details?.heatmap?.peak ?? null;
  const isNamed = details?.warnings?.some(({ code }) => code === 'part_generated') ?? false;
  if (!peak || !isNamed) return [];
  const scoreText = formatScore(peak.score);
  return [{ kind: 'part', box: peak.box, label: 'this region looks generated', scoreText, isAlarm: true }];
}

function findSigns({ details }: CheckResult): Outline[] {
  return (details?.marks ?? []).flatMap(({ box, generator }) =>
    box
      ? [{ kind: 'sign', box, label: `sign of ${generator ?? 'a generator'}`, scoreText: '', isAlarm: false }]
      : [],
  );
}

function findFaces({ details }: CheckResult, threshold: number): Outline[] {
  const faces = details?.faces ?? [];
  return faces.map(({ box, score, manipulated, generated }, at) => ({
    kind: 'face',
    box,
    label: `face${faces.length > 1 ? ` ${at + 1}` : ''}: ${describeStrength(score, threshold)}`,
    scoreText: `swapped or edited ${formatScore(manipulated)}, generated ${formatScore(generated)}`,
    isAlarm: score >= threshold,
  }));
}

const NAMES: Readonly<Record<Kind, readonly [one: string, several: string]>> = {
  face: ['face', 'faces'],
  within: ['embedded image', 'embedded images'],
  part: ['region', 'regions'],
  sign: ['sign', 'signs'],
};

/** Returns the number of outlines of each kind as text, such as `1 face, 2 embedded images`, or `nothing`. */
export function countOutlines(outlines: readonly Outline[]): string {
  const countedKinds = (['face', 'within', 'part', 'sign'] as const).flatMap((kind) => {
    const count = outlines.filter((outline) => outline.kind === kind).length;
    return count === 0 ? [] : [`${count} ${NAMES[kind][count === 1 ? 0 : 1]}`];
  });
  return countedKinds.join(', ') || 'nothing';
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Draws the outlines over an image whose size is `image` in pixels. */
export function Outlines({ outlines, image }: { outlines: readonly Outline[]; image: Size }): JSX.Element {
  return (
    <ul class="outlines" aria-label="Outlines">
      {outlines.map(({ kind, box, label, scoreText, isAlarm }) => (
        <li
          key={`${kind} ${String(box)}`}
          class={`${kind}${isAlarm ? ' alarm' : ''}${placesOf(box, image)}`}
          title={scoreText}
          style={placeOf(box, image)}
        >
          <span>
            {label}
            {scoreText !== '' && <span class="sr">: {scoreText}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Returns CSS that positions a box over the image. */
function placeOf([x, y, w, h]: Box, { width, height }: Size) {
  return {
    left: `${(x / width) * 100}%`,
    top: `${(y / height) * 100}%`,
    width: `${(w / width) * 100}%`,
    height: `${(h / height) * 100}%`,
  };
}

/**
 * Returns CSS classes for the position of a label: below a box at the top edge of the image, to the left at the right
 * edge. A label is at least half as wide as the image.
 */
function placesOf([x, y, w]: Box, { width, height }: Size): string {
  return `${y < height * 0.1 ? ' below' : ''}${x + w / 2 > width / 2 ? ' leftward' : ''}`;
}
