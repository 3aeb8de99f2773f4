// What a check found at places of the image, as outlines with labels: faces, images in it, a part, drawn signs.
import type { JSX } from 'preact';
import type { CheckResult } from '../../../src/library/check/result-schema.js';
import { describeStrength } from '../../../src/library/check/verdict/strength.js';
import type { Box } from '../../../src/library/engine/types.js';
import { formatScore } from '../format.js';

type Kind = 'face' | 'within' | 'part' | 'sign';

/** One of them. */
export interface Outline {
  readonly kind: Kind;
  readonly box: Box;
  /** What is read beside it. */
  readonly label: string;
  /** The numbers behind it; empty where there are none. */
  readonly more: string;
  readonly isAlarm: boolean;
}

/** Everything that has a place, the largest kind first; `faceThreshold` decides which faces alarm. */
export function findOutlines(result: CheckResult, faceThreshold: number): readonly Outline[] {
  return [
    ...findImages(result),
    ...findPart(result),
    ...findSigns(result),
    ...findFaces(result, faceThreshold),
  ];
}

/** The images within this one; the score of the one that lies highest above its threshold is the score of the whole. */
function findImages({ details, scores }: CheckResult): Outline[] {
  const panels = details?.heatmap?.panels ?? [];
  return panels.map(({ box, score }, at) => ({
    kind: 'within',
    box,
    label: `embedded image ${at + 1} of ${panels.length}${score === scores.full_image_specialist ? ': its score counts' : ''}`,
    more: `judged by itself: ${formatScore(score)}`,
    isAlarm: false,
  }));
}

/** Only where a warning names it: every image has a part that looks most generated. */
function findPart({ details }: CheckResult): Outline[] {
  const peak = details?.heatmap?.peak ?? null;
  const isNamed = details?.warnings?.some(({ code }) => code === 'part_generated') ?? false;
  if (!peak || !isNamed) return [];
  const more = formatScore(peak.score);
  return [{ kind: 'part', box: peak.box, label: 'this region looks generated', more, isAlarm: true }];
}

function findSigns({ details }: CheckResult): Outline[] {
  return (details?.marks ?? []).flatMap(({ box, generator }) =>
    box
      ? [{ kind: 'sign', box, label: `sign of ${generator ?? 'a generator'}`, more: '', isAlarm: false }]
      : [],
  );
}

function findFaces({ details }: CheckResult, threshold: number): Outline[] {
  const faces = details?.faces ?? [];
  return faces.map(({ box, score, manipulated, generated }, at) => ({
    kind: 'face',
    box,
    label: `face${faces.length > 1 ? ` ${at + 1}` : ''}: ${describeStrength(score, threshold)}`,
    more: `swapped or edited ${formatScore(manipulated)}, generated ${formatScore(generated)}`,
    isAlarm: score >= threshold,
  }));
}

const NAMES: Readonly<Record<Kind, readonly [one: string, several: string]>> = {
  face: ['face', 'faces'],
  within: ['embedded image', 'embedded images'],
  part: ['region', 'regions'],
  sign: ['sign', 'signs'],
};

/** How many there are of each kind, as `1 face, 2 embedded images`; `nothing` where there are none. */
export function countOutlines(outlines: readonly Outline[]): string {
  const counted = (['face', 'within', 'part', 'sign'] as const).flatMap((kind) => {
    const count = outlines.filter((outline) => outline.kind === kind).length;
    return count === 0 ? [] : [`${count} ${NAMES[kind][count === 1 ? 0 : 1]}`];
  });
  return counted.join(', ') || 'nothing';
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Draws them over an image of `image` pixels. */
export function Outlines({ outlines, image }: { outlines: readonly Outline[]; image: Size }): JSX.Element {
  return (
    <ul class="outlines" aria-label="Outlines">
      {outlines.map(({ kind, box, label, more, isAlarm }) => (
        <li
          key={`${kind} ${String(box)}`}
          class={`${kind}${isAlarm ? ' alarm' : ''}${placesOf(box, image)}`}
          title={more}
          style={placeOf(box, image)}
        >
          <span>
            {label}
            {more !== '' && <span class="sr">: {more}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Where a box of the image lies over it. */
function placeOf([x, y, w, h]: Box, { width, height }: Size) {
  return {
    left: `${(x / width) * 100}%`,
    top: `${(y / height) * 100}%`,
    width: `${(w / width) * 100}%`,
    height: `${(h / height) * 100}%`,
  };
}

/** A label above the upper edge would be cut off, and so would one that begins far to the right. It has half the width at least. */
function placesOf([x, y, w]: Box, { width, height }: Size): string {
  return `${y < height * 0.1 ? ' below' : ''}${x + w / 2 > width / 2 ? ' leftward' : ''}`;
}
