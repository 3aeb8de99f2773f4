// What no correction may forget: embeddings and scores of validation pictures of all kinds, without the pictures.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type, type Static } from '@sinclair/typebox';
import { parse } from 'csv-parse/sync';
import { exactly, findFault } from '../../base/shape.js';
import { logOdds } from '../../base/log-odds.js';
import type { ProfileName } from '../../check/types.js';
import { StartError } from '../../base/errors.js';

/** One picture in one tier. */
export interface ReferenceRow {
  /** Number of the picture, which it shares with its rows of the other tiers. */
  readonly picture: number;
  readonly isAi: boolean;
  readonly source: string;
  readonly generator: string;
  readonly tier: string;
  /** Log odds of the shipped score. */
  readonly odds: number;
  /** Probability that it is drawn, 0..1 on four decimals. */
  readonly drawn: number;
  /** The kind that holds by itself in the fit of thresholds; empty of AI pictures. */
  readonly group: string;
  /** In the fit of thresholds among those of its look; 0 of AI pictures. */
  readonly weight: number;
  /** The highest score of its faces, 0..1; null if it has none, and of AI pictures. */
  readonly face: number | null;
  readonly embedding: Float64Array;
}

/** The rows, and how thresholds are fitted to them. */
export interface Reference {
  /** `telltale-<semver>` whose scores and embeddings these are. */
  readonly model: string;
  readonly rows: readonly ReferenceRow[];
  /** Numbers of an embedding. */
  readonly numbers: number;
  /** Share of genuine pictures that may fire, 0..1. */
  readonly rates: Readonly<Record<ProfileName, number>>;
  /** Times the rate that the pictures of one group may fire. */
  readonly worstGroup: number;
  /** Face scores from which a picture is accused whatever the whole picture scores: the rate is that of both detectors. */
  readonly faceThresholds: Readonly<Record<ProfileName, number>>;
}

const Share = Type.Number({ exclusiveMinimum: 0, maximum: 1, expected: 'a number over 0 and up to 1' });
const ByProfile = exactly({ strict: Share, balanced: Share, sensitive: Share });

/** The content of reference.json. */
const Facts = exactly({
  model: Type.String(),
  rows: Type.Integer({ minimum: 1 }),
  numbers: Type.Integer({ minimum: 1 }),
  rates: ByProfile,
  worst_group: Type.Number({ exclusiveMinimum: 0 }),
  face_thresholds: ByProfile,
  /** What a step of each number of an embedding is worth. */
  scale: Type.Array(Type.Number()),
});

/**
 * Reads what `models/training/adaptation` wrote. Throws StartError `model_invalid` if its files don't fit each other,
 * or are of another model than `wanted`.
 */
export async function loadReference(folder: string, wanted?: string): Promise<Reference> {
  try {
    const facts = parseFacts(await readFile(join(folder, 'reference.json'), 'utf8'));
    const bytes = await readFile(join(folder, 'embeddings.bin'));
    const lines: Record<string, string>[] = parse(await readFile(join(folder, 'rows.csv')), {
      columns: true,
    });
    const { model, numbers, rates, worst_group: worstGroup, face_thresholds: faceThresholds, scale } = facts;
    if (wanted !== undefined && model !== wanted)
      throw new Error(`it is for ${model}, but the models are ${wanted}`);
    if (bytes.length !== facts.rows * numbers || lines.length !== facts.rows || scale.length !== numbers)
      throw new Error('its files are not of one run');
    const values = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    const pictures = new Map<string, number>();
    const rows = lines.map((line, at): ReferenceRow => {
      const name = line['picture'] ?? '';
      if (!pictures.has(name)) pictures.set(name, pictures.size);
      return {
        picture: pictures.get(name) ?? 0,
        isAi: line['label'] === 'ai',
        source: line['source'] ?? '',
        generator: line['generator'] ?? '',
        tier: line['tier'] ?? '',
        odds: logOdds(Number(line['score'])),
        drawn: Number(line['drawn']),
        group: line['group'] ?? '',
        weight: Number(line['weight']),
        face: line['face'] ? Number(line['face']) : null,
        embedding: Float64Array.from(scale, (unit, number) => unit * (values[at * numbers + number] ?? 0)),
      };
    });
    return { model, rows, numbers, rates, worstGroup, faceThresholds };
  } catch (cause) {
    throw new StartError(
      'model_invalid',
      `The reference in ${folder} can't be read: ${(cause as Error).message}`,
      {
        cause,
      },
    );
  }
}

function parseFacts(text: string): Static<typeof Facts> {
  const value: unknown = JSON.parse(text);
  const fault = findFault(Facts, value);
  if (fault === null) return value as Static<typeof Facts>;
  throw new Error(`reference.json: ${fault.text}`);
}
