// What a caller hands to a check, looked at before anything is done with it: mistakes of a program, not of an image.
import { complainOfUnknown, complaint, isNumber, isRecord } from '../base/validation.js';
import { PROFILE_NAMES, type CheckInput } from './types.js';

const INPUT_NAMES = Object.keys({
  bytes: true,
  profile: true,
  signal: true,
  searchPixels: true,
  heatMap: true,
  accountId: true,
  background: true,
  previewPx: true,
  deadlineMs: true,
} satisfies Record<keyof CheckInput, true>);

/** Throws TypeError at the first member that can't be used, and at one that is no option. */
export function checkInput(input: CheckInput): void {
  const expect = (isValid: boolean, expected: string, name: string, value: unknown): void => {
    if (!isValid) throw new TypeError(complaint(expected, name, value));
  };
  expect(isRecord(input), 'an object', 'input', input);
  const { bytes, profile, signal, deadlineMs, searchPixels, heatMap, accountId, background } = input;
  const path = typeof bytes === 'string' ? ": read the file first, such as by 'await readFile(path)'" : '';
  if (!(bytes instanceof Uint8Array))
    throw new TypeError(`${complaint("an image's bytes (Uint8Array)", 'bytes', bytes)}${path}`);
  const unknown = complainOfUnknown(input, INPUT_NAMES);
  if (unknown !== null) throw new TypeError(unknown);
  if (profile !== undefined)
    expect(PROFILE_NAMES.includes(profile), `one of ${PROFILE_NAMES.join(', ')}`, 'profile', profile);
  expect(signal === undefined || signal instanceof AbortSignal, 'an AbortSignal', 'signal', signal);
  expect(
    deadlineMs === undefined || isNumber(deadlineMs, 0),
    'a number of milliseconds',
    'deadlineMs',
    deadlineMs,
  );
  for (const [name, value] of Object.entries({ searchPixels, heatMap, background }))
    expect(value === undefined || typeof value === 'boolean', 'a boolean', name, value);
  expect(accountId === undefined || typeof accountId === 'string', 'a text', 'accountId', accountId);
}
