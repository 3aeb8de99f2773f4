// The bands file: thresholds by profile, read once, validated whole, applied to scores.
import { readFile } from 'node:fs/promises';
import { StartError } from '../../base/errors.js';
import type { Doubt } from '../../engine/types.js';
import {
  MEDIUM_NAMES,
  PROFILE_NAMES,
  type Band,
  type Bands,
  type Medium,
  type PictureBands,
  type ProfileBands,
  type ProfileName,
  type Signal,
} from '../types.js';

/** A release, or a correction of one. */
const MODEL_NAME = /^telltale-\d+\.\d+\.\d+(\+[0-9A-Za-z-]+\.\d{8})?$/;

/**
 * Reads and validates a bands file. Throws StartError `model_invalid` that lists every fault. It is also thrown if the
 * thresholds are for another model than `model` (`Engine.model`): scores of one mean nothing at the thresholds of
 * another. Or if one lies beyond what leaves doubt (`Engine.doubts`): a picture that ends early would stand on its
 * wrong side.
 */
export async function loadBands(path: string, model: string, doubts: readonly Doubt[] = []): Promise<Bands> {
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
  for (const doubt of doubts) expectInDoubt(bands, doubt, path);
  return bands;
}

function expectInDoubt({ profiles }: Bands, doubt: Doubt, path: string): void {
  for (const profile of PROFILE_NAMES)
    for (const medium of MEDIUM_NAMES) {
      const { threshold } = profiles[profile].fullImage[medium];
      const { below, above } = doubt[medium];
      if (threshold >= below && threshold <= above) continue;
      throw new StartError(
        'model_invalid',
        `the bands file ${path} has the threshold ${threshold} for ${medium} pictures in the profile ${profile}, but ` +
          `the models end a check early below ${below} and above ${above}`,
      );
    }
}

/** Validates the content of a bands file; `name` stands in messages. Throws as `loadBands`. */
export function parseBands(value: unknown, name: string): Bands {
  const faults: string[] = [];
  const file = objectAt(value, 'the file', faults) ?? {};
  expectMembers(file, ['version', 'model', 'profiles'], '', faults);
  const version = textAt(file['version'], 'version', /^\S+$/, faults);
  const model = textAt(file['model'], 'model', MODEL_NAME, faults);
  const profiles = objectAt(file['profiles'], 'profiles', faults) ?? {};
  expectMembers(profiles, PROFILE_NAMES, 'profiles.', faults);
  const readProfile = (profile: ProfileName): ProfileBands => {
    const at = `profiles.${profile}`;
    const bands = objectAt(profiles[profile], at, faults);
    if (bands === null) return { fullImage: NO_BANDS, face: NO_BAND };
    expectMembers(bands, ['full_image_specialist', 'face_specialist'], `${at}.`, faults);
    return {
      fullImage: parseByMedium(bands['full_image_specialist'], `${at}.full_image_specialist`, faults),
      face: parseBand(bands['face_specialist'], `${at}.face_specialist`, faults),
    };
  };
  const parsed: Record<ProfileName, ProfileBands> = {
    strict: readProfile('strict'),
    balanced: readProfile('balanced'),
    sensitive: readProfile('sensitive'),
  };
  if (faults.length === 0) faults.push(...findDisorder(parsed));
  if (faults.length > 0) {
    const told = faults.length === 1 ? ` ${faults[0]}` : `\n  ${faults.join('\n  ')}`;
    throw new StartError('model_invalid', `the bands file ${name} is not valid:${told}`);
  }
  return Object.freeze({ version, model, profiles: parsed });
}

/** A profile with fewer false alarms never has the lower threshold. */
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

/** The detectors whose score reaches its threshold; a null score never fires. */
export function applyBands(
  scores: { readonly fullImage: number | null; readonly face: number | null },
  bands: PictureBands,
): Signal[] {
  const fired: Signal[] = [];
  if (scores.fullImage !== null && scores.fullImage >= bands.fullImage.threshold)
    fired.push('full_image_specialist');
  if (scores.face !== null && scores.face >= bands.face.threshold) fired.push('face_specialist');
  return fired;
}

/** Stands for a band that is at fault, so that reading goes on and finds the other faults. */
const NO_BAND: Band = { threshold: NaN, falseAlarmRate: NaN, recall: { clean: null, web: null, hard: null } };
const NO_BANDS: ProfileBands['fullImage'] = { photographed: NO_BAND, drawn: NO_BAND };

function parseByMedium(value: unknown, at: string, faults: string[]): ProfileBands['fullImage'] {
  const byMedium = objectAt(value, at, faults);
  if (byMedium === null) return NO_BANDS;
  expectMembers(byMedium, MEDIUM_NAMES, `${at}.`, faults);
  const read = (medium: Medium): Band => parseBand(byMedium[medium], `${at}.${medium}`, faults);
  return { photographed: read('photographed'), drawn: read('drawn') };
}

function parseBand(value: unknown, at: string, faults: string[]): Band {
  const band = objectAt(value, at, faults);
  const recall = band && objectAt(band['recall'], `${at}.recall`, faults);
  if (!recall) return NO_BAND;
  expectMembers(band, ['threshold', 'false_alarm_rate', 'recall'], `${at}.`, faults);
  expectMembers(recall, ['clean', 'web', 'hard'], `${at}.recall.`, faults);
  return {
    threshold: ratioAt(band['threshold'], `${at}.threshold`, faults),
    falseAlarmRate: ratioAt(band['false_alarm_rate'], `${at}.false_alarm_rate`, faults),
    recall: {
      clean: recall['clean'] === null ? null : ratioAt(recall['clean'], `${at}.recall.clean`, faults),
      web: recall['web'] === null ? null : ratioAt(recall['web'], `${at}.recall.web`, faults),
      hard: recall['hard'] === null ? null : ratioAt(recall['hard'], `${at}.recall.hard`, faults),
    },
  };
}

function objectAt(value: unknown, at: string, faults: string[]): Record<string, unknown> | null {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  faults.push(`Expected an object for ${at} but received ${shown(value)}`);
  return null;
}

/** A member that nobody knows was mistyped, or says what this version would not do. */
function expectMembers(
  object: Readonly<Record<string, unknown>>,
  known: readonly string[],
  at: string,
  faults: string[],
): void {
  const unknown = Object.keys(object).filter((name) => !known.includes(name));
  for (const name of unknown) faults.push(`Expected no member ${shown(`${at}${name}`)}`);
}

function textAt(value: unknown, at: string, pattern: RegExp, faults: string[]): string {
  if (typeof value === 'string' && pattern.test(value)) return value;
  faults.push(`Expected text like ${pattern.source} for ${at} but received ${shown(value)}`);
  return '';
}

function ratioAt(value: unknown, at: string, faults: string[]): number {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value;
  faults.push(`Expected a number from 0 to 1 for ${at} but received ${shown(value)}`);
  return NaN;
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 60);
}
