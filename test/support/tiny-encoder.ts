// An encoder for tests that don't measure accuracy. It has the inputs and outputs of the shipped encoder at a
// thousandth of the cost, and colours control its scores. It is written as ONNX protocol buffers (onnx.proto,
// fields by number).
import { createHash } from 'node:crypto';

const PATCHES_PER_SIDE = 14;
const PATCH_PX = 16;
const WIDTH = 64;
const EMBEDDING = 256;
/** Logit of a crop without a controlling colour, and the amount that a colour adds if it fills the crop. */
const LOW = -5;
const GAIN = 14;

/** Columns of the output `logits`, as in the shipped manifest. */
const COLUMNS = ['native', 'middle', 'whole', 'manipulated', 'generated', 'face', 'drawn'];

/**
 * Colours that raise columns: weights for red, green and blue (0..1) of a patch, and the smallest sum that
 * counts. Magenta makes an image AI-generated, green a face manipulated, and blue an image an illustration.
 */
const STEERING = [
  { rgb: [4, -8, 4], least: 4.4, columns: ['native', 'middle', 'whole'] },
  { rgb: [-3, 6, -3], least: 0.6, columns: ['manipulated', 'generated'] },
  { rgb: [-8, -4, 8], least: 4, columns: ['drawn'] },
];

/**
 * Returns the graph and the file of its weights, which the graph calls `weightsName`. Every call returns the
 * same bytes.
 */
export function makeTinyEncoder(weightsName: string): { readonly graph: Buffer; readonly weights: Buffer } {
  const weights = new Weights(weightsName);
  const random = seeded('telltale');
  const noise = (count: number, scale: number) =>
    Array.from({ length: count }, () => (random() - 0.5) * 2 * scale);
  const steered = COLUMNS.map((column) =>
    STEERING.map(({ columns }) => (columns.includes(column) ? GAIN : 0)),
  );
  const base = COLUMNS.map((column) => (column === 'face' ? 4 : LOW));
  const nodes = [
    node('Cast', ['pixels'], 'bytes', [attribute('to', 1)]),
    node('Div', ['bytes', weights.add('white', [], [255])], 'unit'),
    node('Transpose', ['unit'], 'planes', [attribute('perm', [0, 3, 1, 2])]),
    node('AveragePool', ['planes'], 'patches', [
      attribute('kernel_shape', [PATCH_PX, PATCH_PX]),
      attribute('strides', [PATCH_PX, PATCH_PX]),
    ]),
    node(
      'Conv',
      [
        'patches',
        weights.add(
          'steer',
          [STEERING.length, 3, 1, 1],
          STEERING.flatMap(({ rgb }) => rgb),
        ),
        weights.add(
          'least',
          [STEERING.length],
          STEERING.map(({ least }) => -least),
        ),
      ],
      'colours',
    ),
    node('Clip', ['colours', weights.add('zero', [], [0]), weights.add('one', [], [1])], 'steering'),
    // Two blocks with fixed random weights, so that images without a controlling colour also have different
    // scores.
    node('Conv', ['patches', weights.add('block1', [WIDTH, 3, 1, 1], noise(WIDTH * 3, 1))], 'mixed1'),
    node('Relu', ['mixed1'], 'block1_out'),
    node(
      'Conv',
      ['block1_out', weights.add('block2', [WIDTH, WIDTH, 1, 1], noise(WIDTH ** 2, 0.2))],
      'mixed2',
    ),
    node('Relu', ['mixed2'], 'block2_out'),
    node('GlobalAveragePool', ['steering'], 'steering_mean'),
    node('GlobalAveragePool', ['block2_out'], 'features_mean'),
    node('Flatten', ['steering_mean'], 'steering_flat'),
    node('Flatten', ['features_mean'], 'features'),
    node(
      'Gemm',
      [
        'steering_flat',
        weights.add('heads', [COLUMNS.length, STEERING.length], steered.flat()),
        weights.add('base', [COLUMNS.length], base),
      ],
      'steered',
      [attribute('transB', 1)],
    ),
    node(
      'MatMul',
      ['features', weights.add('texture', [WIDTH, COLUMNS.length], noise(WIDTH * COLUMNS.length, 0.1))],
      'varied',
    ),
    node('Add', ['steered', 'varied'], 'logits'),
    node(
      'MatMul',
      ['features', weights.add('project', [WIDTH, EMBEDDING], noise(WIDTH * EMBEDDING, 1))],
      'embedding',
    ),
    node('Conv', ['steering', weights.add('token', [1, STEERING.length, 1, 1], [GAIN, 0, 0])], 'token_map'),
    node('Flatten', ['token_map'], 'token_row'),
    node('Add', ['token_row', weights.add('token_base', [], [LOW])], 'tokens'),
  ];
  const graph = message([
    ...nodes.map((each) => [1, each] as const),
    [2, Buffer.from('tiny encoder')],
    ...weights.tensors.map((tensor) => [5, tensor] as const),
    [11, value('pixels', 2, ['N', PATCHES_PER_SIDE * PATCH_PX, PATCHES_PER_SIDE * PATCH_PX, 3])],
    [12, value('logits', 1, ['N', COLUMNS.length])],
    [12, value('tokens', 1, ['N', PATCHES_PER_SIDE ** 2])],
    [12, value('embedding', 1, ['N', EMBEDDING])],
  ]);
  const opset = message([[2, 17]]);
  return {
    graph: message([
      [1, 8],
      [7, graph],
      [8, opset],
    ]),
    weights: weights.bytes(),
  };
}

/** Returns a generator of numbers 0..1 that depend only on the seed. */
function seeded(seed: string): () => number {
  let count = 0;
  return () => {
    count += 1;
    return createHash('sha256').update(`${seed} ${count}`).digest().readUInt32LE(0) / 2 ** 32;
  };
}

/** Tensors that are stored in a file next to the graph, like the shipped ones. */
class Weights {
  readonly tensors: Buffer[] = [];
  readonly #parts: Buffer[] = [];
  readonly #file: string;
  #offset = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Adds a tensor of 32-bit floats and returns its name. */
  add(name: string, dims: readonly number[], values: readonly number[]): string {
    const bytes = Buffer.from(Float32Array.from(values).buffer);
    const place = { location: this.#file, offset: String(this.#offset), length: String(bytes.length) };
    const entries = Object.entries(place).map(
      ([key, text]) =>
        [
          13,
          message([
            [1, Buffer.from(key)],
            [2, Buffer.from(text)],
          ]),
        ] as const,
    );
    this.tensors.push(
      message([...dims.map((dim) => [1, dim] as const), [2, 1], [8, Buffer.from(name)], ...entries, [14, 1]]),
    );
    this.#parts.push(bytes);
    this.#offset += bytes.length;
    return name;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

type Field = readonly [number: number, value: number | Buffer];

/** Returns a protocol buffer: integers as varints, anything else with its length. */
function message(fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, content]) =>
      typeof content === 'number'
        ? [varint(number << 3), varint(content)]
        : [varint((number << 3) | 2), varint(content.length), content],
    ),
  );
}

function varint(number: number): Buffer {
  const bytes: number[] = [];
  for (let rest = number; ; rest = Math.floor(rest / 128)) {
    bytes.push(rest < 128 ? rest : (rest % 128) + 128);
    if (rest < 128) return Buffer.from(bytes);
  }
}

function node(
  type: string,
  inputs: readonly string[],
  output: string,
  attributes: readonly Buffer[] = [],
): Buffer {
  return message([
    ...inputs.map((name) => [1, Buffer.from(name)] as const),
    [2, Buffer.from(output)],
    [4, Buffer.from(type)],
    ...attributes.map((each) => [5, each] as const),
  ]);
}

function attribute(name: string, content: number | readonly number[]): Buffer {
  const [INT, INTS] = [2, 7];
  return typeof content === 'number'
    ? message([
        [1, Buffer.from(name)],
        [3, content],
        [20, INT],
      ])
    : message([[1, Buffer.from(name)], ...content.map((each) => [8, each] as const), [20, INTS]]);
}

/**
 * Returns an input or output of the graph: element type 1 is float32, 2 is uint8. A named dimension may have
 * any size.
 */
function value(name: string, elementType: number, dims: readonly (number | string)[]): Buffer {
  const shape = message(
    dims.map((dim) => [1, message([typeof dim === 'number' ? [1, dim] : [2, Buffer.from(dim)]])] as const),
  );
  return message([
    [1, Buffer.from(name)],
    [
      2,
      message([
        [
          1,
          message([
            [1, elementType],
            [2, shape],
          ]),
        ],
      ]),
    ],
  ]);
}
