// Schemas of the manifests, which describe the models.
import { Type, type TProperties, type TSchema } from '@sinclair/typebox';
import { StartError } from '../../base/errors.js';
import { TOKEN_PX } from '../../base/limits.js';
import { exactly, listFaults, oneOf, type ReadonlyStatic } from '../../base/shape.js';
import { MAX_CROPS, type ModelId } from '../types.js';

const MAX_SHORT_SIDE_PX = 4096;

/** Schema of a field that only people and training code read. It may have any content. */
const note = Type.Optional(Type.Unknown());
const text = Type.String({ minLength: 1, expected: 'a text' });
const number = Type.Number();
const share = Type.Number({ minimum: 0, maximum: 1 });
const integer = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum });
const several = <T extends TSchema>(item: T) =>
  Type.Array(item, { minItems: 1, expected: 'an array that is not empty' });
const version = Type.String({ pattern: '^\\d+\\.\\d+\\.\\d+$', expected: 'a version such as 2.1.0' });
const file = {
  file: Type.String({ pattern: '^\\w[\\w.-]*$', expected: 'the name of a file in the same folder' }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$', expected: '64 hexadecimal digits' }),
};
const pixels = {
  name: Type.Literal('pixels'),
  type: Type.Literal('uint8'),
  layout: Type.Literal('NHWC'),
  color: Type.Literal('RGB'),
  normalisation: note,
};

function manifestOf<V extends TSchema, T extends TProperties>(id: ModelId, ofVersion: V, members: T) {
  const head = { id: Type.Literal(id), version: ofVersion, training_data: note, licence: note };
  return exactly({ ...head, ...members });
}

/** The encoder, the network that scores all crops: a graph per kind of device, and shared weights. */
const encoderSchema = manifestOf('encoder', version, {
  files: exactly({
    cpu: exactly(file),
    gpu: exactly(file),
    // Network for TensorRT. Model folders of earlier versions lack this network, and CUDA then runs some
    // operations.
    tensorrt: Type.Optional(exactly(file)),
    weights: exactly(file),
  }),
  input: exactly({ ...pixels, size_px: integer(32, 1024) }),
  outputs: exactly({
    logits: text,
    tokens: text,
    columns: Type.Array(text, { minItems: 1, uniqueItems: true, expected: 'an array of different texts' }),
    // Output that only training code uses.
    embedding: note,
    embedding_size: note,
  }),
});
export type EncoderManifest = ReadonlyStatic<typeof encoderSchema>;

/** The face detector, a separate network. */
const faceDetectorSchema = manifestOf('face_detector', note, {
  ...file,
  input: exactly({ ...pixels, long_side_px: integer(32, 4096), multiple: integer(1, 128) }),
  outputs: exactly({ scores: text, boxes: text, points: text }),
  detect: exactly({ score_threshold: share, nms_iou: share, max_faces: integer(1, 10_000) }),
  cost: note,
});
export type FaceDetectorManifest = ReadonlyStatic<typeof faceDetectorSchema>;

/** Returns the schema of a head: one output of the encoder, and the numbers that calibrate it to a score. */
const headOf = (columns: readonly string[]) => ({ column: oneOf(columns), scale: number, offset: number });

/** Returns the schema of the face specialist, which fits only this encoder. */
function faceSpecialistSchema({ version: ofEncoder, input, outputs: { columns } }: EncoderManifest) {
  const coordinates = Type.Array(Type.Number({ minimum: -1, maximum: 2 }), {
    minItems: 2,
    maxItems: 2,
    expected: 'a point [x, y] in shares of the crop',
  });
  return manifestOf('face_specialist', Type.Literal(ofEncoder), {
    size_px: Type.Literal(input.size_px),
    crop: exactly({
      template: Type.Array(coordinates, {
        minItems: 5,
        maxItems: 5,
        expected: 'five points [x, y] in shares of the crop',
      }),
      border: Type.Literal('replicate'),
    }),
    heads: exactly({ manipulated: exactly(headOf(columns)), generated: exactly(headOf(columns)) }),
    confirm: exactly({ column: oneOf(columns), least_logit: number }),
    joining: exactly({ sharing: share, contrast: share, genuine: number }),
  });
}
export type FaceSpecialistManifest = ReadonlyStatic<ReturnType<typeof faceSpecialistSchema>>;

/**
 * Returns the schema of the full image specialist with the crop types `kinds`. Its fields keep former names,
 * because records refer to a manifest by its digest: `kinds` are crop types, `views` crops, `rounds` stages,
 * `panels` embedded images, `part` the suspicious region, `drawn` the image domain.
 */
function fullImageSchema(encoder: EncoderManifest, kinds: readonly string[]) {
  const { size_px: sizePx } = encoder.input;
  const { columns } = encoder.outputs;
  const plan = {
    views: integer(1, MAX_CROPS),
    /** Number of crops of each type, and the weight of their mean score (as a logit). */
    kinds: recordOf(kinds, exactly({ count: integer(1, MAX_CROPS), weight: number })),
    bias: number,
  };
  const byDomain = exactly({ scale: number, offset: number });
  const bounds = exactly({ below: share, above: share });
  return manifestOf('full_image_specialist', Type.Literal(encoder.version), {
    kinds: recordOf(
      kinds,
      exactly({
        short_side_px: Type.Union([integer(sizePx, MAX_SHORT_SIDE_PX), Type.Null()], {
          expected: `null or a whole number from ${sizePx} to ${MAX_SHORT_SIDE_PX}`,
        }),
        column: oneOf(columns),
      }),
    ),
    drawn: exactly({ ...headOf(columns), kinds: several(oneOf(kinds)) }),
    part: exactly({
      kind: oneOf(kinds),
      side: integer(1, Math.floor(sizePx / TOKEN_PX)),
      photographed: byDomain,
      drawn: byDomain,
    }),
    panels: exactly({ least_px: integer(sizePx, MAX_SHORT_SIDE_PX), drawn_odds: number }),
    plans: several(exactly(plan)),
    default_views: integer(1, MAX_CROPS),
    early_exit: Type.Optional(
      exactly({
        // The limits for an early exit were measured with this model, so they apply only to it.
        model: Type.Literal(`telltale-${encoder.version}`),
        rounds: several(
          // `margin` is the amount by which the measured limits were widened.
          exactly({ ...plan, margin: note, bounds: exactly({ photographed: bounds, drawn: bounds }) }),
        ),
      }),
    ),
  });
}
export type FullImageManifest = ReadonlyStatic<ReturnType<typeof fullImageSchema>>;

/** Returns the schema of an object that has at least one of the fields `names`. */
function recordOf<T extends TSchema>(names: readonly string[], schema: T) {
  const members = Object.fromEntries(names.map((name) => [name, Type.Optional(schema)]));
  return Type.Unsafe<Readonly<Record<string, ReadonlyStatic<T>>>>(
    Type.Object(members, {
      additionalProperties: false,
      minProperties: 1,
      expected: 'an object that is not empty',
    }),
  );
}

/** Returns the encoder's manifest with its type. Throws StartError `model_invalid` with all errors. */
export function requireEncoder(content: unknown): EncoderManifest {
  return requireManifest('encoder', encoderSchema, content);
}

/** Returns the face detector's manifest with its type. Throws StartError `model_invalid`. */
export function requireFaceDetector(content: unknown): FaceDetectorManifest {
  return requireManifest('face_detector', faceDetectorSchema, content);
}

/** Returns the face specialist's manifest for this encoder. Throws StartError `model_invalid`. */
export function requireFaceSpecialist(content: unknown, encoder: EncoderManifest): FaceSpecialistManifest {
  return requireManifest('face_specialist', faceSpecialistSchema(encoder), content);
}

/** Returns the full image specialist's manifest for this encoder. Throws StartError `model_invalid`. */
export function requireFullImage(content: unknown, encoder: EncoderManifest): FullImageManifest {
  const kinds = (content as { readonly kinds?: unknown } | null)?.kinds;
  const names = typeof kinds === 'object' && kinds !== null ? Object.keys(kinds) : [];
  return requireManifest('full_image_specialist', fullImageSchema(encoder, names), content);
}

function requireManifest<T extends TSchema>(id: ModelId, schema: T, content: unknown): ReadonlyStatic<T> {
  refuseInvalid(
    id,
    listFaults(schema, content).map(({ text }) => text),
  );
  return content as ReadonlyStatic<T>;
}

/** Throws StartError `model_invalid` with these errors, unless the list is empty. */
export function refuseInvalid(id: ModelId, errors: readonly string[]): void {
  if (errors.length > 0)
    throw new StartError('model_invalid', `The manifest of ${id} is invalid:\n  ${errors.join('\n  ')}`);
}
