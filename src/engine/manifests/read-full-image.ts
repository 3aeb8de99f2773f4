// What the full image specialist's manifest must hold: crop types, the crop plans that aggregate them, early exit. Its
// fields have names of an earlier day: `kinds` are crop types, `views` crops, `rounds` stages, `panels` embedded images,
// `part` the suspicious region, `drawn` the image domain. Records name a manifest by its digest, so the names stay.
import { StartError } from '../../base/errors.js';
import { describeInvalid, isInteger } from '../../base/validation.js';
import { logOdds } from '../../base/log-odds.js';
import type { ManifestReader } from './manifest-reader.js';
import { readHead, type EncoderManifest, type NativeModel } from './read-models.js';
import { TOKEN_PX } from '../../base/limits.js';
import { MOST_CROPS, type EarlyExitBounds } from '../types.js';

const MOST_SHORT_SIDE_PX = 4096;

/** The specialist as the engine takes it. */
interface FullImageManifest {
  readonly fullImage: NativeModel;
  /** As `Engine.views`. */
  readonly views: number;
  /** As `Engine.earlyExits`. */
  readonly earlyExits: readonly EarlyExitBounds[];
}

/**
 * The crop plan of `crops` crops; every image is scored with all of them. Null: the manifest's default, with the stages
 * of its `early_exit`, which must be for the model `name`. Throws StartError `config_invalid` that lists the plans there
 * are, if it has none of so many crops.
 */
export function readFullImage(
  reader: ManifestReader,
  encoder: EncoderManifest,
  { name, crops }: { readonly name: string; readonly crops: number | null },
): FullImageManifest {
  const types = new Map(reader.fields('kinds').map((type) => [type, readCropType(reader, type, encoder)]));
  const domain = readHead(reader, 'drawn', encoder);
  const domainTypes = reader
    .fields('drawn.kinds')
    .map((at) => readTypeName(reader, `drawn.kinds.${at}`, types));
  const cropTypes = { types, domainTypes };
  const region = readRegion(reader, types, encoder);
  const embeddedImages = {
    leastPx: reader.integer('panels.least_px', encoder.sizePx, MOST_SHORT_SIDE_PX),
    drawnOdds: reader.number('panels.drawn_odds'),
  };
  const plans = new Map(
    reader.fields('plans').map((at) => {
      const plan = readPlan(reader, `plans.${at}`, cropTypes);
      return [plan.crops, plan];
    }),
  );
  const standard = reader.integer('default_views', 1, MOST_CROPS);
  if (!plans.has(standard)) reader.addError('the views of one of the plans', 'default_views');
  const stages = readStages(reader, cropTypes, { name, whole: plans.get(standard) });
  reader.finishWhole();
  const plan = plans.get(crops ?? standard);
  if (plan !== undefined)
    return assemble({ ...cropTypes, domain, region, embeddedImages }, plan, crops === null ? stages : []);
  throw new StartError(
    'config_invalid',
    describeInvalid(`one of ${[...plans.keys()].join(', ')}`, 'views', crops),
  );
}

function readCropType(
  reader: ManifestReader,
  name: string,
  { sizePx, columns }: EncoderManifest,
): NativeModel {
  const shortSidePx = reader.expect(
    `kinds.${name}.short_side_px`,
    `null or a whole number from ${sizePx} to ${MOST_SHORT_SIDE_PX}`,
    (value): value is number | null => value === null || isInteger(value, sizePx, MOST_SHORT_SIDE_PX),
  );
  return { shortSidePx: shortSidePx ?? 0, column: reader.indexIn(`kinds.${name}.column`, columns) };
}

function readTypeName(reader: ManifestReader, at: string, types: ReadonlyMap<string, NativeModel>): string {
  const names = [...types.keys()];
  return names[reader.indexIn(at, names)] ?? '';
}

/** The suspicious region as the engine takes it, by the name of its crop type. */
type Region = NativeModel & { readonly cropType: string };

function readRegion(
  reader: ManifestReader,
  types: ReadonlyMap<string, NativeModel>,
  { sizePx }: EncoderManifest,
): Region {
  const byDomain = (name: string) =>
    [reader.number(`part.photographed.${name}`), reader.number(`part.drawn.${name}`)] as const;
  return {
    cropType: readTypeName(reader, 'part.kind', types),
    side: reader.integer('part.side', 1, Math.floor(sizePx / TOKEN_PX)),
    scale: byDomain('scale'),
    offset: byDomain('offset'),
  };
}

/** What plans are made of: the crop types by name, and those that the image domain is read from. */
interface CropTypes {
  readonly types: ReadonlyMap<string, NativeModel>;
  readonly domainTypes: readonly string[];
}

/** The first `count` crops of a type, and the weight of their mean logit. */
interface Share {
  readonly count: number;
  readonly weight: number;
}

/** How crops are aggregated. */
interface CropPlan {
  readonly crops: number;
  /** By crop type. */
  readonly shares: ReadonlyMap<string, Share>;
  readonly bias: number;
}

function readPlan(reader: ManifestReader, at: string, { types, domainTypes }: CropTypes): CropPlan {
  const shares = new Map<string, Share>();
  for (const name of reader.fields(`${at}.kinds`)) {
    if (!types.has(name)) reader.addError('no field, as there is no such kind', `${at}.kinds.${name}`);
    const count = reader.integer(`${at}.kinds.${name}.count`, 1, MOST_CROPS);
    shares.set(name, { count, weight: reader.number(`${at}.kinds.${name}.weight`) });
  }
  const crops = reader.integer(`${at}.views`, 1, MOST_CROPS);
  if ([...shares.values()].reduce((sum, { count }) => sum + count, 0) !== crops)
    reader.addError('the sum of the counts', `${at}.views`);
  if (!domainTypes.some((name) => shares.has(name)))
    reader.addError('views of one of drawn.kinds', `${at}.kinds`);
  return { crops, shares, bias: reader.number(`${at}.bias`) };
}

/** A plan of some of the crops, and the bounds of the early exit after them. */
interface EarlyStage extends CropPlan {
  readonly bounds: EarlyExitBounds;
}

/** The stages before that of all crops, none if the manifest has none. Their bounds mean nothing for another model. */
function readStages(
  reader: ManifestReader,
  cropTypes: CropTypes,
  { name, whole }: { readonly name: string; readonly whole: CropPlan | undefined },
): readonly EarlyStage[] {
  if (!reader.has('early_exit')) return [];
  reader.constant('early_exit.model', name);
  const stages: EarlyStage[] = [];
  for (const index of reader.fields('early_exit.rounds')) {
    const at = `early_exit.rounds.${index}`;
    const plan = readPlan(reader, at, cropTypes);
    const before = stages.at(-1)?.shares;
    for (const type of cropTypes.types.keys()) {
      const count = plan.shares.get(type)?.count ?? 0;
      const [least, most] = [before?.get(type)?.count ?? 0, whole?.shares.get(type)?.count ?? 0];
      if (count < least || count > most)
        reader.addError(`${least} to ${most}, between the rounds beside it,`, `${at}.kinds.${type}.count`);
    }
    // What the bounds were widened by when they were measured.
    reader.allowNotes(`${at}.margin`);
    stages.push({ ...plan, bounds: readBounds(reader, `${at}.bounds`) });
  }
  return stages;
}

function readBounds(reader: ManifestReader, at: string): EarlyExitBounds {
  const read = (domain: keyof EarlyExitBounds): EarlyExitBounds[keyof EarlyExitBounds] => {
    const below = reader.number(`${at}.${domain}.below`, 0, 1);
    const above = reader.number(`${at}.${domain}.above`, 0, 1);
    if (below >= above) reader.addError(`a number over ${below}, which is below,`, `${at}.${domain}.above`);
    return { below, above };
  };
  return { photographed: read('photographed'), drawn: read('drawn') };
}

/** What the manifest holds beside its plans. */
interface SharedByPlans extends CropTypes {
  readonly domain: NativeModel;
  readonly embeddedImages: NativeModel;
  readonly region: Region;
}

/** The specialist with the crop types of `plan`, its early stages, and the plan as the last one. */
function assemble(
  { types, domainTypes, domain, region, embeddedImages }: SharedByPlans,
  plan: CropPlan,
  early: readonly EarlyStage[],
): FullImageManifest {
  const cropTypes = [...plan.shares].map(([name, { count }]) => ({
    ...types.get(name),
    count,
    decidesDomain: domainTypes.includes(name),
  }));
  const toStage = ({ shares, bias }: CropPlan, earlyExit: NativeModel | null): NativeModel => ({
    shares: [...plan.shares.keys()].map((name) => shares.get(name) ?? { count: 0, weight: 0 }),
    bias,
    earlyExit,
  });
  const odds = ({ photographed, drawn }: EarlyExitBounds, bound: 'below' | 'above') =>
    [logOdds(photographed[bound]), logOdds(drawn[bound])] as const;
  const stages = early.map((stage) =>
    toStage(stage, { below: odds(stage.bounds, 'below'), above: odds(stage.bounds, 'above') }),
  );
  return {
    fullImage: {
      cropTypes,
      stages: [...stages, toStage(plan, null)],
      drawn: domain,
      embeddedImages,
      region: plan.shares.has(region.cropType)
        ? { ...region, type: [...plan.shares.keys()].indexOf(region.cropType) }
        : null,
    },
    views: plan.crops,
    earlyExits: early.map(({ bounds }) => bounds),
  };
}
