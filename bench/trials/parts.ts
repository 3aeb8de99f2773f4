// The steps of a check that TypeScript does: sniffing through the addon, Content Credentials, the verdict, its JSON.
import { readFileSync } from 'node:fs';
import { checkImage, createChecker, presentCheck } from 'telltale';
import { median } from '../statistics.js';

/** Pictures: one without Content Credentials, one with. */
export interface PartsSettings {
  readonly plainFile: string;
  readonly signedFile: string;
  readonly repeats: number;
}

/** Milliseconds, medians; `credentialsFirst` holds the start of the reading process. */
export interface PartsResult {
  readonly sniff: number;
  readonly credentialsFirst: number;
  readonly credentials: number;
  /** A whole check whose engine has its answer at once: sniffing, the verdict, deadline and promises. */
  readonly verdict: number;
  readonly present: number;
}

/** A read takes tens of milliseconds, the rest microseconds. */
const CREDENTIAL_READS = 20;

/** Measures each. */
export async function runParts({ plainFile, signedFile, repeats }: PartsSettings): Promise<PartsResult> {
  const checker = await createChecker({ device: 'cpu' });
  const plain = readFileSync(plainFile);
  const signed = readFileSync(signedFile);
  const image = await checker.engine.sniff(signed);
  const credentials: number[] = [];
  for (let round = 0; round < Math.min(repeats, CREDENTIAL_READS); round += 1)
    credentials.push(await timeOf(() => checker.credentials.read(signed, image)));
  const { bands, engine } = checker;
  const report = await checker.check(plain);
  const each = async (work: () => unknown): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < repeats; round += 1) times.push(await timeOf(work));
    return median(times);
  };
  const sniff = await each(() => engine.sniff(plain));
  // From here on the engine has its answer at once.
  const inspection = await engine.inspect(plain);
  Object.assign(engine, { inspect: () => Promise.resolve(inspection) });
  const verdict = await each(() =>
    checkImage({ engine, bands, credentials: checker.credentials }, { bytes: plain }),
  );
  const present = await each(() => JSON.stringify(presentCheck(report)));
  await checker.close();
  return {
    sniff,
    credentialsFirst: credentials[0] ?? NaN,
    credentials: median(credentials.slice(1)),
    verdict,
    present,
  };
}

async function timeOf(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
