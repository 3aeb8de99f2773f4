// What each model's manifest must hold, and the numbers that the engine takes from it.
import { join } from 'node:path';
import { isNumber, isText } from '../../base/validation.js';
import type { ManifestReader } from './manifest-reader.js';

/** A file that a manifest names, beside it. */
export interface ModelFile {
  readonly path: string;
  readonly sha256: string;
}

/**
 * A model as the engine takes it: the fields of its struct in native/, which the binding reads by their names, such as
 * `sizePx` into `size_px`. A new field of a manifest needs a line here and one in the struct.
 */
export type NativeModel = Readonly<Record<string, unknown>>;

/** A network's numbers and its files, whose hashes are still to be proved. */
interface NetworkFiles {
  readonly model: NativeModel;
  readonly files: readonly ModelFile[];
}

/** The encoder with what the specialists' manifests are checked against. */
export interface EncoderManifest extends NetworkFiles {
  readonly columns: readonly string[];
  readonly sizePx: number;
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

/** The file that the fields `file` and `sha256` below `at` (empty: the manifest itself) name. */
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
  reader.allowNotes('input.normalisation');
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
  // An output of the graph that training code alone reads.
  reader.allowNotes('outputs.embedding', 'outputs.embedding_size');
  const sizePx = reader.integer('input.size_px', 32, 1024);
  reader.finishWhole();
  const model = {
    cpuPath: cpu.path,
    gpuPath: gpu.path,
    logitsOutput,
    tokensOutput,
    columns: columns.length,
    sizePx,
  };
  return { model, columns, sizePx, files: [cpu, gpu, weights] };
}

/** The face detector, a network of its own. */
export function readFaceDetector(reader: ManifestReader, folder: string): NetworkFiles {
  expectPixels(reader);
  reader.allowNotes('cost');
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
  reader.finishWhole();
  return { model, files: [file] };
}

/** A column with its score calibration, the fields below `at`. */
export function readHead(reader: ManifestReader, at: string, { columns }: EncoderManifest): NativeModel {
  return {
    column: reader.indexIn(`${at}.column`, columns),
    scale: reader.number(`${at}.scale`),
    offset: reader.number(`${at}.offset`),
  };
}

/** The face specialist; its crops go through the encoder like all others. */
export function readFaceSpecialist(reader: ManifestReader, encoder: EncoderManifest): NativeModel {
  const { sizePx, columns } = encoder;
  reader.constant('crop.border', 'replicate');
  const specialist = {
    sizePx: reader.constant('size_px', sizePx),
    cropTemplate: reader.expect('crop.template', 'five points [x, y] in shares of the crop', isTemplate),
    manipulated: readHead(reader, 'heads.manipulated', encoder),
    generated: readHead(reader, 'heads.generated', encoder),
    confirm: {
      column: reader.indexIn('confirm.column', columns),
      leastLogit: reader.number('confirm.least_logit'),
    },
    aggregation: {
      penalty: reader.number('joining.sharing', 0, 1),
      contrast: reader.number('joining.contrast', 0, 1),
      genuine: reader.number('joining.genuine'),
    },
  };
  reader.finishWhole();
  return specialist;
}
