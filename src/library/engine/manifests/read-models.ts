// Converting the manifests of the networks and the face specialist to the numbers that the engine needs.
import type { EncoderManifest, FaceDetectorManifest, FaceSpecialistManifest } from './schemas.js';

/**
 * A model in the form that the engine needs: the fields of a struct in native/. The binding to C++ finds them
 * by name, such as `size_px` for `sizePx`. A new field needs a line in its schema, here and in the struct.
 */
export type NativeModel = Readonly<Record<string, unknown>>;

/** A model's file, and the hash that the file must have. */
export interface ModelFile {
  readonly file: string;
  readonly sha256: string;
}

/** Converts the encoder's manifest. `at` returns the path of a file of the encoder. */
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

/** Function that returns the index of one of the encoder's outputs by name. */
export type ColumnOf = (name: string) => number;

/** Converts a head: the index of one output of the encoder, and the numbers that calibrate it. */
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
