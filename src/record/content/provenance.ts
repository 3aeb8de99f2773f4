// Describing with which networks, thresholds, trust lists and processor a check was made. Only thresholds and
// trust lists may change while a program runs.
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { ActiveCalibration } from 'telltale-engine/internal/check/thresholds/calibration.js';
import type { Checker } from 'telltale-engine/internal/check/checker.js';
import type { TrustList } from 'telltale-engine/internal/check/credentials/trust.js';
import type { Bands } from 'telltale-engine/internal/check/types.js';
import type { Engine } from 'telltale-engine/internal/engine/types.js';
import { loadMeasured, type Measured } from './rates.js';
import type { RecordContent } from './schema.js';

type MadeWith = RecordContent['made_with'];
/** Software and processor that computed the scores. */
type Arithmetic = NonNullable<MadeWith['arithmetic']>;

/**
 * Maximum difference of a score that another kind of processor explains. Measured (docs/record.md): of 1,026
 * scores of whole images, all except one moved by at most 0.195, and all of 466 scores of faces by less than
 * 0.08. For the exception, only one machine exited early.
 */
export const SCORE_TOLERANCE = 0.2;

/** Processor features by which ONNX Runtime and OpenCV choose their code, in Linux's names. */
const FEATURES =
  /^(fma|avx|avx2|avx512\w*|avx_vnni\w*|amx_\w+|sse4_[12]|f16c|asimd\w*|sve\w*|i8mm|bf16|fphp)$/;

/** Everything that a record states about how a check was made. */
export interface Provenance {
  /** Version of Telltale. */
  readonly version: string;
  readonly engine: Engine;
  readonly calibration: ActiveCalibration;
  readonly measured: Measured;
  readonly arithmetic: Arithmetic;
  /** Returns the trust lists that are in use. */
  readonly trust: () => Promise<TrustList>;
}

/** Returns the provenance of the checks that a checker makes. `modelsDir` is the folder of its models. */
export async function readProvenance(
  { engine, calibration, credentials }: Pick<Checker, 'engine' | 'calibration' | 'credentials'>,
  modelsDir: string,
  version: string,
): Promise<Provenance> {
  return {
    version,
    engine,
    calibration,
    measured: await loadMeasured(modelsDir, engine.model),
    arithmetic: readArithmetic(engine),
    trust: () => credentials.trust(),
  };
}

/** Describes the software, models and lists with which a check was made that has just used `bands`. */
export async function describeProvenance(setting: Provenance, bands: Bands): Promise<MadeWith> {
  const { version, engine, arithmetic, trust } = setting;
  const { files } = await trust();
  return {
    telltale: version,
    model: bands.model,
    bands_version: bands.version,
    views: engine.views,
    files: engine.files.map(({ name, sha256 }) => ({ name, sha256 })),
    trust_lists: files.map(({ name, tier, purpose, anchors, updated }) => ({
      name,
      tier,
      purpose,
      anchors: anchors.length,
      date: updated.toISOString().slice(0, 10),
    })),
    arithmetic,
    score_tolerance: SCORE_TOLERANCE,
  };
}

/** Returns true if both kinds of software and processor compute exactly equal scores. */
export function isSameKind(a: Arithmetic, b: Arithmetic): boolean {
  const kind = ({ device, precision, onnxruntime, architecture, features }: Arithmetic): string =>
    JSON.stringify([device, precision, onnxruntime, architecture, features]);
  return kind(a) === kind(b);
}

function readArithmetic(engine: Engine): Arithmetic {
  const { device, onnxRuntimeVersion } = engine.stats();
  return {
    device,
    precision: device === 'cpu' ? 'int8' : 'fp16',
    onnxruntime: onnxRuntimeVersion,
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    architecture: process.arch,
    features: readFeatures(),
  };
}

/** Returns sorted processor features, or an empty list if the system does not report them. */
function readFeatures(): string[] {
  try {
    const line = /^(?:flags|Features)\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1] ?? '';
    return line
      .trim()
      .split(/\s+/)
      .filter((name) => FEATURES.test(name))
      .sort();
  } catch {
    return [];
  }
}
