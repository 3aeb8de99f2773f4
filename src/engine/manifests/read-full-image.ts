// What the full image specialist's manifest must hold: kinds of view, plans that join them, early exit.
import { StartError } from '../../base/errors.js';
import { complaint, isInteger } from '../../base/validation.js';
import { logOdds } from '../../base/log-odds.js';
import type { ManifestReader } from './manifest-reader.js';
import { readHead, type EncoderManifest, type NativeModel } from './read-models.js';
import { TOKEN_PX } from '../../base/limits.js';
import { MOST_VIEWS, type EarlyExitBounds } from '../types.js';

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
 * The plan for `views` views; every picture shows all of them. Null: the manifest's default, with the rounds of its
 * `early_exit`, which must be for the model `name`. Throws StartError `config_invalid` that lists the plans there are,
 * if it has none for so many views.
 */
export function readFullImage(
  reader: ManifestReader,
  encoder: EncoderManifest,
  { name, views }: { readonly name: string; readonly views: number | null },
): FullImageManifest {
  const kinds = new Map(reader.members('kinds').map((kind) => [kind, readKind(reader, kind, encoder)]));
  const { kinds: telling, ...drawn } = {
    ...readHead(reader, 'drawn', encoder),
    kinds: reader.members('drawn.kinds').map((at) => readDrawnKind(reader, `drawn.kinds.${at}`, kinds)),
  };
  const parts = { kinds, telling };
  const part = readPart(reader, kinds, encoder);
  const panels = {
    leastPx: reader.integer('panels.least_px', encoder.sizePx, MOST_SHORT_SIDE_PX),
    drawnOdds: reader.number('panels.drawn_odds'),
  };
  const plans = new Map(
    reader.members('plans').map((at) => {
      const plan = readPlan(reader, `plans.${at}`, parts);
      return [plan.views, plan];
    }),
  );
  const standard = reader.integer('default_views', 1, MOST_VIEWS);
  if (!plans.has(standard)) reader.fault('the views of one of the plans', 'default_views');
  const rounds = readRounds(reader, { ...parts, name, whole: plans.get(standard) });
  reader.finishWhole();
  const plan = plans.get(views ?? standard);
  if (plan !== undefined)
    return join({ kinds, telling, drawn, part, panels }, plan, views === null ? rounds : []);
  throw new StartError('config_invalid', complaint(`one of ${[...plans.keys()].join(', ')}`, 'views', views));
}

function readKind(reader: ManifestReader, name: string, { sizePx, columns }: EncoderManifest): NativeModel {
  const shortSidePx = reader.expect(
    `kinds.${name}.short_side_px`,
    `null or a whole number from ${sizePx} to ${MOST_SHORT_SIDE_PX}`,
    (value): value is number | null => value === null || isInteger(value, sizePx, MOST_SHORT_SIDE_PX),
  );
  return { shortSidePx: shortSidePx ?? 0, column: reader.indexIn(`kinds.${name}.column`, columns) };
}

function readDrawnKind(reader: ManifestReader, at: string, kinds: ReadonlyMap<string, NativeModel>): string {
  const names = [...kinds.keys()];
  return names[reader.indexIn(at, names)] ?? '';
}

/** As the engine takes it, by the name of its kind. */
type Part = NativeModel & { readonly kind: string };

function readPart(
  reader: ManifestReader,
  kinds: ReadonlyMap<string, NativeModel>,
  { sizePx }: EncoderManifest,
): Part {
  const names = [...kinds.keys()];
  const looks = (name: string) =>
    [reader.number(`part.photographed.${name}`), reader.number(`part.drawn.${name}`)] as const;
  return {
    kind: names[reader.indexIn('part.kind', names)] ?? '',
    side: reader.integer('part.side', 1, Math.floor(sizePx / TOKEN_PX)),
    scale: looks('scale'),
    offset: looks('offset'),
  };
}

/** What plans are made of: the kinds of view, and the kinds that say whether the picture is drawn. */
interface Parts {
  readonly kinds: ReadonlyMap<string, NativeModel>;
  readonly telling: readonly string[];
}

/** The first `count` views of a kind, and what their mean logit weighs. */
interface Share {
  readonly count: number;
  readonly weight: number;
}

/** How views are joined. */
interface Plan {
  readonly views: number;
  /** By the names of the kinds. */
  readonly shares: ReadonlyMap<string, Share>;
  readonly bias: number;
}

function readPlan(reader: ManifestReader, at: string, { kinds, telling }: Parts): Plan {
  const shares = new Map<string, Share>();
  for (const name of reader.members(`${at}.kinds`)) {
    if (!kinds.has(name)) reader.fault('no member, as there is no such kind', `${at}.kinds.${name}`);
    const count = reader.integer(`${at}.kinds.${name}.count`, 1, MOST_VIEWS);
    shares.set(name, { count, weight: reader.number(`${at}.kinds.${name}.weight`) });
  }
  const views = reader.integer(`${at}.views`, 1, MOST_VIEWS);
  if ([...shares.values()].reduce((sum, { count }) => sum + count, 0) !== views)
    reader.fault('the sum of the counts', `${at}.views`);
  if (!telling.some((name) => shares.has(name))) reader.fault('views of one of drawn.kinds', `${at}.kinds`);
  return { views, shares, bias: reader.number(`${at}.bias`) };
}

/** A plan of some of the views, and the bounds of the early exit after them. */
interface EarlyRound extends Plan {
  readonly bounds: EarlyExitBounds;
}

/** The rounds before that of all views, none if the manifest has none. Their bounds mean nothing for another model. */
function readRounds(
  reader: ManifestReader,
  { name, whole, ...parts }: Parts & { readonly name: string; readonly whole: Plan | undefined },
): readonly EarlyRound[] {
  if (!reader.has('early_exit')) return [];
  reader.constant('early_exit.model', name);
  const rounds: EarlyRound[] = [];
  for (const index of reader.members('early_exit.rounds')) {
    const at = `early_exit.rounds.${index}`;
    const plan = readPlan(reader, at, parts);
    const before = rounds.at(-1)?.shares;
    for (const kind of parts.kinds.keys()) {
      const count = plan.shares.get(kind)?.count ?? 0;
      const [least, most] = [before?.get(kind)?.count ?? 0, whole?.shares.get(kind)?.count ?? 0];
      if (count < least || count > most)
        reader.fault(`${least} to ${most}, between the rounds beside it,`, `${at}.kinds.${kind}.count`);
    }
    // What the bounds were widened by when they were measured.
    reader.allowNotes(`${at}.margin`);
    rounds.push({ ...plan, bounds: readBounds(reader, `${at}.bounds`) });
  }
  return rounds;
}

function readBounds(reader: ManifestReader, at: string): EarlyExitBounds {
  const read = (look: keyof EarlyExitBounds): EarlyExitBounds[keyof EarlyExitBounds] => {
    const below = reader.number(`${at}.${look}.below`, 0, 1);
    const above = reader.number(`${at}.${look}.above`, 0, 1);
    if (below >= above) reader.fault(`a number over ${below}, which is below,`, `${at}.${look}.above`);
    return { below, above };
  };
  return { photographed: read('photographed'), drawn: read('drawn') };
}

/** What every plan has. */
interface JoinedFacts {
  readonly drawn: NativeModel;
  readonly panels: NativeModel;
  readonly part: Part;
}

/** The kinds that the plan has, its rounds as the engine takes them, and itself as the last. */
function join(
  { kinds, telling, drawn, part, panels }: Parts & JoinedFacts,
  plan: Plan,
  early: readonly EarlyRound[],
): FullImageManifest {
  const used = [...plan.shares].map(([name, { count }]) => ({
    ...kinds.get(name),
    count,
    decidesDomain: telling.includes(name),
  }));
  const toRound = ({ shares, bias }: Plan, earlyExit: NativeModel | null): NativeModel => ({
    shares: [...plan.shares.keys()].map((name) => shares.get(name) ?? { count: 0, weight: 0 }),
    bias,
    earlyExit,
  });
  const odds = ({ photographed, drawn }: EarlyExitBounds, bound: 'below' | 'above') =>
    [logOdds(photographed[bound]), logOdds(drawn[bound])] as const;
  const rounds = early.map((round) =>
    toRound(round, { below: odds(round.bounds, 'below'), above: odds(round.bounds, 'above') }),
  );
  return {
    fullImage: {
      cropTypes: used,
      stages: [...rounds, toRound(plan, null)],
      drawn,
      embeddedImages: panels,
      region: plan.shares.has(part.kind)
        ? { ...part, type: [...plan.shares.keys()].indexOf(part.kind) }
        : null,
    },
    views: plan.views,
    earlyExits: early.map(({ bounds }) => bounds),
  };
}
