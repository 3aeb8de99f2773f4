// The bands file: JSON with the thresholds of all profiles, loaded once and validated completely.
import { readFile } from 'node:fs/promises';
import { Type, type Static } from '@sinclair/typebox';
import { StartError } from '../../base/errors.js';
import { exactly, listFaults } from '../../base/shape.js';
import type { EarlyExitBounds } from '../../engine/types.js';
import {
  MEDIUM_NAMES,
  PROFILE_NAMES,
  type AssessmentBands,
  type AssessmentRates,
  type Band,
  type Bands,
  type ProfileBands,
} from '../types.js';

/** Pattern of the name of a model release. */
const MODEL_NAME = String.raw`^telltale-\d+\.\d+\.\d+$`;

/**
 * Loads and validates a bands file. Throws StartError `model_invalid` with all errors. The thresholds must
 * belong to `model` (`Engine.model`) and lie within the limits of an early exit (`Engine.earlyExits`). Beyond
 * a limit, an image that exits early could get the wrong verdict.
 */
export async function loadBands(
  path: string,
  model: string,
  earlyExits: readonly EarlyExitBounds[] = [],
): Promise<Bands> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw new StartError('model_invalid', `the bands file ${path} can't be read: ${String(cause)}`, {
      cause,
    });
  }
  const bands = parseBands(value, path);
  if (bands.model !== model)
    throw new StartError(
      'model_invalid',
      `the bands file ${path} is for ${bands.model}, but the models are ${model}`,
    );
  for (const bounds of earlyExits) expectWithin(bands, bounds, path);
  return bands;
}

function expectWithin({ profiles, assessment }: Bands, bounds: EarlyExitBounds, path: string): void {
  for (const medium of MEDIUM_NAMES) {
    const { below, above } = bounds[medium];
    const expect = (threshold: number, where: string): void => {
      if (threshold >= below && threshold <= above) return;
      throw new StartError(
        'model_invalid',
        `the bands file ${path} has the threshold ${threshold} for ${medium} images in the ${where}, but ` +
          `the models end a check early below ${below} and above ${above}`,
      );
    };
    for (const profile of PROFILE_NAMES)
      expect(profiles[profile].fullImage[medium].threshold, `profile ${profile}`);
    if (assessment) expect(assessment.lowerEdges.fullImage[medium], 'assessment');
  }
}

const Ratio = Type.Number({ minimum: 0, maximum: 1 });
const MeasuredRatio = Type.Union([Ratio, Type.Null()], { expected: 'a number from 0 to 1, or null,' });

const BandEntry = exactly({
  threshold: Ratio,
  false_alarm_rate: Ratio,
  recall: exactly({ clean: MeasuredRatio, web: MeasuredRatio, hard: MeasuredRatio }),
});
const ProfileEntry = exactly({
  full_image_specialist: exactly({ photographed: BandEntry, drawn: BandEntry }),
  face_specialist: BandEntry,
});
const Share = exactly({ rate: Ratio, low: Ratio, high: Ratio });
const AssessmentRatesEntry = exactly({
  images: Type.Integer({ minimum: 0 }),
  sources: Type.Integer({ minimum: 0 }),
  of_ai: Ratio,
  of_genuine: Ratio,
  at_1_in_10: Share,
  at_1_in_2: Share,
});
const AssessmentEntry = exactly({
  lower_edges: exactly({
    full_image_specialist: exactly({ photographed: Ratio, drawn: Ratio }),
    face_specialist: Ratio,
  }),
  rates: exactly({
    likely_ai: AssessmentRatesEntry,
    unclear: AssessmentRatesEntry,
    no_ai_detected: AssessmentRatesEntry,
  }),
});
const BandsFile = exactly({
  version: Type.String({ pattern: String.raw`^\S+$`, expected: 'text without spaces' }),
  model: Type.String({ pattern: MODEL_NAME, expected: 'a name such as telltale-2.5.0' }),
  profiles: exactly({ strict: ProfileEntry, balanced: ProfileEntry, sensitive: ProfileEntry }),
  assessment: Type.Optional(AssessmentEntry),
});

/** Validates the content of a bands file. Messages call the file `name`. Throws as `loadBands` does. */
export function parseBands(value: unknown, name: string): Bands {
  refuseFaults(
    listFaults(BandsFile, value).map(({ text }) => text),
    name,
  );
  const { version, model, profiles, assessment } = value as Static<typeof BandsFile>;
  const { strict, balanced, sensitive } = profiles;
  const parsed = {
    strict: readProfile(strict),
    balanced: readProfile(balanced),
    sensitive: readProfile(sensitive),
  };
  refuseFaults(findDisorder(parsed), name);
  return Object.freeze({
    version,
    model,
    profiles: parsed,
    ...(assessment && { assessment: readAssessment(assessment) }),
  });
}

function refuseFaults(faults: readonly string[], name: string): void {
  if (faults.length === 0) return;
  const list = faults.length === 1 ? ` ${faults[0]}` : `\n  ${faults.join('\n  ')}`;
  throw new StartError('model_invalid', `the bands file ${name} is not valid:${list}`);
}

function readProfile({
  full_image_specialist: whole,
  face_specialist: face,
}: Static<typeof ProfileEntry>): ProfileBands {
  return {
    fullImage: { photographed: readBand(whole.photographed), drawn: readBand(whole.drawn) },
    face: readBand(face),
  };
}

function readBand({ threshold, false_alarm_rate: falseAlarmRate, recall }: Static<typeof BandEntry>): Band {
  return { threshold, falseAlarmRate, recall };
}

function readAssessment({ lower_edges: edges, rates }: Static<typeof AssessmentEntry>): AssessmentBands {
  return {
    lowerEdges: { fullImage: edges.full_image_specialist, face: edges.face_specialist },
    rates: {
      likely_ai: readRates(rates.likely_ai),
      unclear: readRates(rates.unclear),
      no_ai_detected: readRates(rates.no_ai_detected),
    },
  };
}

function readRates(entry: Static<typeof AssessmentRatesEntry>): AssessmentRates {
  return {
    images: entry.images,
    sources: entry.sources,
    ofAi: entry.of_ai,
    ofGenuine: entry.of_genuine,
    at1In10: entry.at_1_in_10,
    at1In2: entry.at_1_in_2,
  };
}

/** Returns messages about profiles that allow fewer false positives but have a lower threshold. */
function findDisorder({ strict, balanced, sensitive }: Bands['profiles']): string[] {
  const thresholds: Readonly<Record<string, (profile: ProfileBands) => Band>> = {
    'full_image_specialist.photographed': ({ fullImage }) => fullImage.photographed,
    'full_image_specialist.drawn': ({ fullImage }) => fullImage.drawn,
    face_specialist: ({ face }) => face,
  };
  return Object.entries(thresholds)
    .filter(([, read]) => {
      const [low, middle, high] = [
        read(sensitive).threshold,
        read(balanced).threshold,
        read(strict).threshold,
      ];
      return low > middle || middle > high;
    })
    .map(([name]) => `Expected thresholds that rise from sensitive over balanced to strict for ${name}`);
}
