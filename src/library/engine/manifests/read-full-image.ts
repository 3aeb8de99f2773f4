// Reading the manifest of the detector for whole images: which crops it scores, how their scores become one,
// and when it exits early.
import { StartError } from '../../base/errors.js';
import { logOdds } from '../../base/log-odds.js';
import { describeInvalid } from '../../base/shape.js';
import type { EarlyExitBounds } from '../types.js';
import { readHead, type ColumnOf, type NativeModel } from './read-models.js';
import type { FullImageManifest } from './schemas.js';

type CropPlan = FullImageManifest['plans'][number];
type EarlyStage = NonNullable<FullImageManifest['early_exit']>['rounds'][number];

/** The full image specialist (the detector that scores whole images) as the engine needs it. */
interface FullImage {
  readonly fullImage: NativeModel;
  /** Number of crops per image; see `Engine.views`. */
  readonly views: number;
  /** Scores at which an image exits early; see `Engine.earlyExits`. */
  readonly earlyExits: readonly EarlyExitBounds[];
}

/** Returns messages about fields that contradict each other. */
export function findContradictions(manifest: FullImageManifest): readonly string[] {
  const { plans, default_views: standard, early_exit: early } = manifest;
  const whole = plans.find(({ views }) => views === standard);
  return [
    ...plans.flatMap((plan, index) => contradictionsOfPlan(manifest, plan, `plans.${index}`)),
    ...(whole ? [] : [describeInvalid('the views of one of the plans', 'default_views', standard)]),
    ...(early?.rounds ?? []).flatMap((stage, index, stages) => {
      const at = `early_exit.rounds.${index}`;
      return [
        ...contradictionsOfPlan(manifest, stage, at),
        ...contradictionsOfNeighbours(Object.keys(manifest.kinds), at, [stages[index - 1], stage, whole]),
        ...contradictionsOfBounds(stage.bounds, `${at}.bounds`),
      ];
    }),
  ];
}

function contradictionsOfPlan(
  { drawn }: FullImageManifest,
  { views, kinds }: CropPlan,
  at: string,
): string[] {
  const sum = Object.values(kinds).reduce((before, { count }) => before + count, 0);
  const hasDomain = drawn.kinds.some((name) => name in kinds);
  return [
    ...(sum === views ? [] : [describeInvalid('the sum of the counts', `${at}.views`, views)]),
    ...(hasDomain ? [] : [describeInvalid('views of one of drawn.kinds', `${at}.kinds`, kinds)]),
  ];
}

/** Finds stages that lack crops of the stage before or have crops that the last stage lacks. */
function contradictionsOfNeighbours(
  types: readonly string[],
  at: string,
  [before, stage, whole]: readonly [CropPlan | undefined, CropPlan, CropPlan | undefined],
): string[] {
  return types.flatMap((type) => {
    const count = stage.kinds[type]?.count ?? 0;
    const [least, most] = [before?.kinds[type]?.count ?? 0, whole?.kinds[type]?.count ?? 0];
    if (count >= least && count <= most) return [];
    const expected = `${least} to ${most}, between the rounds beside it,`;
    return [describeInvalid(expected, `${at}.kinds.${type}.count`, count)];
  });
}

function contradictionsOfBounds(bounds: EarlyExitBounds, at: string): string[] {
  return Object.entries(bounds)
    .filter(([, { below, above }]) => below >= above)
    .map(([domain, { below, above }]) =>
      describeInvalid(`a number over ${below}, which is below,`, `${at}.${domain}.above`, above),
    );
}

/**
 * Returns the crop plan (which crops are scored) with `crops` crops and no early exit. For null, returns the
 * default plan with early exit. Throws StartError `config_invalid` with the possible numbers if none fits.
 */
export function readFullImage(
  manifest: FullImageManifest,
  columnOf: ColumnOf,
  crops: number | null,
): FullImage {
  const { kinds, drawn, part, panels, plans } = manifest;
  const plan = plans.find(({ views }) => views === (crops ?? manifest.default_views));
  if (plan === undefined) {
    const knownViews = plans.map(({ views }) => views).join(', ');
    throw new StartError('config_invalid', describeInvalid(`one of ${knownViews}`, 'views', crops));
  }
  const types = Object.keys(plan.kinds);
  const early = crops === null ? (manifest.early_exit?.rounds ?? []) : [];
  const region = {
    type: types.indexOf(part.kind),
    side: part.side,
    scale: [part.photographed.scale, part.drawn.scale],
    offset: [part.photographed.offset, part.drawn.offset],
  };
  return {
    fullImage: {
      cropTypes: types.map((type) => ({
        shortSidePx: kinds[type]?.short_side_px ?? 0,
        column: columnOf(kinds[type]?.column ?? ''),
        count: plan.kinds[type]?.count,
        decidesDomain: drawn.kinds.includes(type),
      })),
      stages: [...early.map((stage) => readStage(stage, types, oddsOf(stage))), readStage(plan, types, null)],
      drawn: readHead(drawn, columnOf),
      embeddedImages: { leastPx: panels.least_px, drawnOdds: panels.drawn_odds },
      region: region.type < 0 ? null : region,
    },
    views: plan.views,
    earlyExits: early.map(({ bounds }) => bounds),
  };
}

/** Reads a stage, after which a check may exit early. `types` are all crop types of the plan, in order. */
function readStage(
  { kinds, bias }: CropPlan,
  types: readonly string[],
  earlyExit: NativeModel | null,
): NativeModel {
  return { shares: types.map((type) => kinds[type] ?? { count: 0, weight: 0 }), bias, earlyExit };
}

function oddsOf({ bounds: { photographed, drawn } }: EarlyStage): NativeModel {
  return {
    below: [logOdds(photographed.below), logOdds(drawn.below)],
    above: [logOdds(photographed.above), logOdds(drawn.above)],
  };
}
