// Reading the numbers that the engine needs from the manifests of the networks and the face specialist.
import type { EncoderManifest, FaceDetectorManifest, FaceSpecialistManifest } from './schemas.js';

/**
 * A model for the engine: the fields of its struct in native/, which the binding reads by name, such as `sizePx` into
 * `size_px`. A new field of a manifest needs a line in its schema, here and in the struct.
 */
export type NativeModel = Readonly<Record<string, unknown>>;

/** A file of a model in `folder`. */
export interface ModelFile {
  readonly file: string;
  readonly sha256: string;
}

/** Reads the encoder. `at` returns the path of a file of the model. */
export function readEncoder(
  { files, input, outputs }: EncoderManifest,
  at: (file: ModelFile) => string,
): NativeModel {
  return {
    cpuPath: at(files.cpu),
    gpuPath: at(files.gpu),
    tensorrtPath: at(files.tensorrt ?? files.gpu),
    logitsOutput: outputs.logits,
    tokensOutput: outputs.tokens,
    columns: outputs.columns.length,
    sizePx: input.size_px,
  };
}

export function readFaceDetector(
  { input, outputs, detect, ...file }: FaceDetectorManifest,
  at: (file: ModelFile) => string,
): NativeModel {
  return {
    path: at(file),
    scoresOutput: outputs.scores,
    boxesOutput: outputs.boxes,
    pointsOutput: outputs.points,
    longSidePx: input.long_side_px,
    multiple: input.multiple,
    scoreThreshold: detect.score_threshold,
    nmsIou: detect.nms_iou,
    maxFaces: detect.max_faces,
  };
}

/** Returns the index of an encoder column by name. */
export type ColumnOf = (name: string) => number;

/** Reads a head with the index of its column. */
export function readHead(
  { column, scale, offset }: { readonly column: string; readonly scale: number; readonly offset: number },
  columnOf: ColumnOf,
): NativeModel {
  return { column: columnOf(column), scale, offset };
}

export function readFaceSpecialist(
  { size_px: sizePx, crop, heads, confirm, joining }: FaceSpecialistManifest,
  columnOf: ColumnOf,
): NativeModel {
  return {
    sizePx,
    cropTemplate: crop.template,
    manipulated: readHead(heads.manipulated, columnOf),
    generated: readHead(heads.generated, columnOf),
    confirm: { column: columnOf(confirm.column), leastLogit: confirm.least_logit },
    aggregation: { penalty: joining.sharing, contrast: joining.contrast, genuine: joining.genuine },
  };
}
