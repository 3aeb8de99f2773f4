// The opposite sign: EXIF as a camera writes it. Anybody can copy it into any file.
import type { Mark } from '../types.js';
import type { Declaration } from './declaration.js';

const EXPOSURE = ['exif:ExposureTime', 'exif:FNumber', 'exif:ISO', 'exif:FocalLength'];

/** A maker, a model and at least this many settings of the exposure. Chosen: phones and cameras write all four. */
const MIN_EXPOSURE_TAGS = 2;

/** A camera's name if the EXIF block reads like one that a camera wrote; null otherwise. */
export function findCamera(declarations: readonly Declaration[]): Mark | null {
  const textOf = (where: string): string =>
    declarations.find((one) => one.where === where)?.text.trim() ?? '';
  const [make, model] = [textOf('exif:Make'), textOf('exif:Model')];
  const settings = EXPOSURE.filter((where) => declarations.some((one) => one.where === where));
  // Some generators keep their prompt in these two fields.
  const isName = [make, model].every((name) => name !== '' && name.length <= 64 && !name.includes('{'));
  if (!isName || settings.length < MIN_EXPOSURE_TAGS) return null;
  const value = model.toLowerCase().startsWith(make.toLowerCase()) ? model : `${make} ${model}`;
  return { kind: 'camera', generator: null, says: 'camera', where: 'exif:Model', value };
}
