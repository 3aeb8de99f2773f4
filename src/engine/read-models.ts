// What each model's manifest must hold, and the numbers that the engine takes from it.
import { join } from 'node:path';
import { StartError } from '../errors.js';
import type {
  NativeEncoderModel,
  NativeFaceDetectorModel,
  NativeFaceSpecialistModel,
  NativeFullImageModel,
  NativeHead,
} from './binding.js';
import { complaint, isInteger, isNumber, isText } from './expect.js';
import type { ManifestReader } from './manifest-reader.js';
import { MOST_VIEWS } from './types.js';

const MOST_SHORT_SIDE_PX = 4096;

/** A file that a manifest names, beside it. */
export interface ModelFile {
  readonly path: string;
  readonly sha256: string;
}

/** A network's numbers and its files, whose hashes are still to be proved. */
export interface NetworkFiles<T> {
  readonly model: T;
  readonly files: readonly ModelFile[];
}

/** The encoder with the names of its columns. */
export interface EncoderManifest extends NetworkFiles<NativeEncoderModel> {
  readonly columns: readonly string[];
}

const isSha256 = (value: unknown): value is string => isText(value) && /^[0-9a-f]{64}$/.test(value);
const isFileName = (value: unknown): value is string => isText(value) && /^\w[\w.-]*$/.test(value);
const isColumns = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every(isText) && new Set(value).size === value.length;

type Point = readonly [number, number];

function isTemplate(value: unknown): value is readonly Point[] {
  const isPoint = (point: unknown) =>
    Array.isArray(point) && point.length === 2 && point.every((x) => isNumber(x, -1, 2));
  return Array.isArray(value) && value.length === 5 && value.every(isPoint);
}

/** The file that the members `file` and `sha256` below `at` (empty: the manifest itself) name. */
function readFile(reader: ManifestReader, folder: string, at: string): ModelFile {
  const file = reader.expect(`${at}file`, 'the name of a file beside it', isFileName, '');
  const sha256 = reader.expect(`${at}sha256`, '64 hexadecimal digits', isSha256);
  return { path: join(folder, file), sha256 };
}

function expectPixels(reader: ManifestReader): void {
  reader.constant('input.name', 'pixels');
  reader.constant('input.type', 'uint8');
  reader.constant('input.layout', 'NHWC');
  reader.constant('input.color', 'RGB');
}

/** The encoder: a graph for each kind of processor, and the weights that both read. */
export function readEncoder(reader: ManifestReader, folder: string): EncoderManifest {
  expectPixels(reader);
  const cpu = readFile(reader, folder, 'files.cpu.');
  const gpu = readFile(reader, folder, 'files.gpu.');
  const weights = readFile(reader, folder, 'files.weights.');
  const columns = reader.expect('outputs.columns', 'an array of different texts', isColumns);
  const logitsOutput = reader.text('outputs.logits');
  const tokensOutput = reader.text('outputs.tokens');
  const sizePx = reader.integer('input.size_px', 32, 1024);
  reader.finish();
  const model = {
    cpuPath: cpu.path,
    gpuPath: gpu.path,
    logitsOutput,
    tokensOutput,
    columns: columns.length,
    sizePx,
  };
  return { model, columns, files: [cpu, gpu, weights] };
}

/** The face detector, a network of its own. */
export function readFaceDetector(
  reader: ManifestReader,
  folder: string,
): NetworkFiles<NativeFaceDetectorModel> {
  expectPixels(reader);
  const file = readFile(reader, folder, '');
  const model = {
    path: file.path,
    scoresOutput: reader.text('outputs.scores'),
    boxesOutput: reader.text('outputs.boxes'),
    pointsOutput: reader.text('outputs.points'),
    longSidePx: reader.integer('input.long_side_px', 32, 4096),
    multiple: reader.integer('input.multiple', 1, 128),
    scoreThreshold: reader.number('detect.score_threshold', 0, 1),
    nmsIou: reader.number('detect.nms_iou', 0, 1),
    maxFaces: reader.integer('detect.max_faces', 1, 10_000),
  };
  reader.finish();
  return { model, files: [file] };
}

/**
 * The full image specialist's plan for `views` views (null: the manifest's default). Throws StartError `config_invalid`
 * that lists the plans there are, where it has none for them.
 */
export function readFullImage(
  reader: ManifestReader,
  encoder: EncoderManifest,
  views: number | null,
): NativeFullImageModel {
  const kinds = new Map(reader.members('kinds').map((name) => [name, readKind(reader, name, encoder)]));
  const drawn = {
    ...readHead(reader, 'drawn', encoder),
    kinds: reader.members('drawn.kinds').map((at) => readDrawnKind(reader, `drawn.kinds.${at}`, kinds)),
  };
  const plans = new Map(
    reader.members('plans').map((at) => readPlan(reader, `plans.${at}`, { kinds, drawn })),
  );
  const standard = reader.integer('default_views', 1, MOST_VIEWS);
  if (!plans.has(standard)) reader.fault('the views of one of the plans', 'default_views');
  reader.finish();
  const plan = plans.get(views ?? standard);
  if (plan !== undefined) return plan;
  throw new StartError('config_invalid', complaint(`one of ${[...plans.keys()].join(', ')}`, 'views', views));
}

type Kind = Pick<NativeFullImageModel['kinds'][number], 'shortSidePx' | 'column'>;

function readKind(reader: ManifestReader, name: string, { model, columns }: EncoderManifest): Kind {
  const shortSidePx = reader.expect(
    `kinds.${name}.short_side_px`,
    `null or a whole number from ${model.sizePx} to ${MOST_SHORT_SIDE_PX}`,
    (value): value is number | null => value === null || isInteger(value, model.sizePx, MOST_SHORT_SIDE_PX),
  );
  return { shortSidePx: shortSidePx ?? 0, column: reader.indexIn(`kinds.${name}.column`, columns) };
}

function readDrawnKind(reader: ManifestReader, at: string, kinds: ReadonlyMap<string, Kind>): string {
  const names = [...kinds.keys()];
  return names[reader.indexIn(at, names)] ?? '';
}

/** What plans are made of: the kinds of view, and what those of some say of the picture's being drawn. */
interface Parts {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly drawn: NativeHead & { readonly kinds: readonly string[] };
}

function readPlan(
  reader: ManifestReader,
  at: string,
  { kinds, drawn: { kinds: telling, ...drawn } }: Parts,
): [views: number, plan: NativeFullImageModel] {
  const judged = reader.members(`${at}.kinds`).map((name) => {
    const kind = kinds.get(name);
    if (kind === undefined) reader.fault('no member, as there is no such kind', `${at}.kinds.${name}`);
    return {
      ...(kind as Kind),
      count: reader.integer(`${at}.kinds.${name}.count`, 1, MOST_VIEWS),
      weight: reader.number(`${at}.kinds.${name}.weight`),
      tellsDrawn: telling.includes(name),
    };
  });
  const views = reader.integer(`${at}.views`, 1, MOST_VIEWS);
  if (judged.reduce((sum, { count }) => sum + count, 0) !== views)
    reader.fault('the sum of the counts', `${at}.views`);
  if (!judged.some(({ tellsDrawn }) => tellsDrawn))
    reader.fault('views of one of drawn.kinds', `${at}.kinds`);
  return [views, { kinds: judged, bias: reader.number(`${at}.bias`), drawn }];
}

function readHead(reader: ManifestReader, at: string, { columns }: EncoderManifest): NativeHead {
  return {
    column: reader.indexIn(`${at}.column`, columns),
    scale: reader.number(`${at}.scale`),
    offset: reader.number(`${at}.offset`),
  };
}

/** The face specialist; its crops are views like all others. */
export function readFaceSpecialist(
  reader: ManifestReader,
  encoder: EncoderManifest,
): NativeFaceSpecialistModel {
  const { model, columns } = encoder;
  reader.constant('crop.border', 'replicate');
  const specialist = {
    sizePx: reader.constant('size_px', model.sizePx),
    template: reader.expect('crop.template', 'five points [x, y] in shares of the crop', isTemplate),
    manipulated: readHead(reader, 'heads.manipulated', encoder),
    generated: readHead(reader, 'heads.generated', encoder),
    confirm: {
      column: reader.indexIn('confirm.column', columns),
      leastLogit: reader.number('confirm.least_logit'),
    },
  };
  reader.finish();
  return specialist;
}
