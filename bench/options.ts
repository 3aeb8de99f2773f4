// Options of `npm run bench`.
import { parseArgs } from 'node:util';
import { DEVICE_NAMES, type Device } from 'telltale-engine';
import { MAX_CROPS } from '../src/library/engine/types.js';

/** Groups of measurements, in the order in which they run. */
export const GROUPS = [
  'cold-start',
  'engine',
  'service',
  'baselines',
  'memory',
  'scan',
  'scale',
  'gpu',
] as const;

export type Group = (typeof GROUPS)[number];

export interface BenchOptions {
  readonly groups: readonly Group[];
  /** True for minimal durations and small images, which test that the bench works but do not measure anything. */
  readonly isQuick: boolean;
  /** Folder of the user's own images. Null uses the bench's own images. */
  readonly files: string | null;
  readonly device: Device;
  /**
   * Number of images in the scan that is compared with the engine, and of checks in the memory measurement. Null uses
   * the numbers in durations.ts.
   */
  readonly pictures: number | null;
  /** Number of crops per image in the memory measurement. Null uses the models' own number. */
  readonly views: number | null;
  /** Folder of earlier results with which this run is compared. Null compares nothing. */
  readonly against: string | null;
  /** Folder for the results. Null uses the default. */
  readonly out: string | null;
}

/** Thrown if the command line is invalid. The message gives the reason. */
export class BenchUsageError extends Error {}

export const HELP = `Usage: npm run bench -- [--quick] [--only GROUP[,GROUP...]] [--files FOLDER] [--device DEVICE] [--pictures N] [--views N]
                     [--against FOLDER] [--out FOLDER]

Measures Telltale's speed on this machine and compares it with two baselines and with the upper bound
set by the codecs and ONNX Runtime. A full run takes about an hour. Run no other programs meanwhile.

  --only GROUPS   groups to run: ${GROUPS.join(', ')}
  --quick         runs for seconds to test that everything works; the numbers mean nothing
  --files FOLDER  your own images instead of the synthetic corpus
  --device D      ${DEVICE_NAMES.join(', ')} (default cpu)
  --pictures N    number of images in the scan (default 5,000) and checks in the memory trial (default 20,000)
  --views N       crops per image in the memory trial, 1 to 8; 1 is fastest and still reveals leaks
  --against FOLDER
                  folder of earlier results to compare with, or a parent folder, from which the newest
                  of each number is used; bench/results has the published results
  --out FOLDER    folder for results.json and results.md (default: bench/results/DATE for a
                  full run, else bench/.runs/DATE-TIME)`;

/** Parses the words after `npm run bench --`. Returns null if help is requested. Throws BenchUsageError. */
export function readOptions(words: readonly string[]): BenchOptions | null {
  const { values, positionals } = parse(words);
  if (values.help) return null;
  if (positionals.length > 0)
    throw new BenchUsageError(`Expected options alone but received '${positionals[0]}'`);
  const device = DEVICE_NAMES.find((name) => name === values.device);
  if (device === undefined)
    throw new BenchUsageError(
      `Expected one of ${DEVICE_NAMES.join(', ')} for --device but received '${values.device}'`,
    );
  return {
    groups: readGroups(values.only),
    isQuick: values.quick,
    files: values.files ?? null,
    device,
    pictures: readCount('pictures', values.pictures, 999_999),
    views: readCount('views', values.views, MAX_CROPS),
    against: values.against ?? null,
    out: values.out ?? null,
  };
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        quick: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true },
        files: { type: 'string' },
        device: { type: 'string', default: 'cpu' },
        pictures: { type: 'string' },
        views: { type: 'string' },
        against: { type: 'string' },
        out: { type: 'string' },
      },
    });
  } catch (error) {
    throw new BenchUsageError((error as Error).message);
  }
}

function readCount(name: string, text: string | undefined, most: number): number | null {
  if (text === undefined) return null;
  if (!/^[1-9]\d{0,5}$/.test(text) || Number(text) > most)
    throw new BenchUsageError(`Expected a number from 1 to ${most} for --${name} but received '${text}'`);
  return Number(text);
}

function readGroups(only: readonly string[] | undefined): readonly Group[] {
  if (only === undefined) return GROUPS;
  const names = only
    .flatMap((list) => list.split(','))
    .filter((name) => name !== '')
    .map((name) => (name === 'peers' ? 'baselines' : name));
  const unknown = names.find((name) => !GROUPS.some((group) => group === name));
  if (unknown !== undefined || names.length === 0)
    throw new BenchUsageError(
      `Expected some of ${GROUPS.join(', ')} for --only but received '${unknown ?? ''}'`,
    );
  return GROUPS.filter((group) => names.includes(group));
}
