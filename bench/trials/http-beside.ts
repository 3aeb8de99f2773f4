// Closed loop against /v1/check while others check pictures beside it: people in the console, or callers with a key.
import { DETAILS } from '../../console/src/try/details.js';
import { readBodies } from '../load/bodies.js';
import { runHttpClosedLoop, type HttpLoopResult } from '../load/http-closed-loop.js';
import { startOnlookers, type Door, type OnlookersResult } from '../load/onlookers.js';
import { signMembersIn } from '../targets/members.js';
import { startTelltale, type RunningTelltale } from '../targets/telltale.js';

/** Who checks beside the loop. `people`: members with a session each; `callers`: the same requests to /v1 with a key. */
export type Beside = 'nobody' | 'people' | 'callers';

/** The loop, and its neighbours. */
export interface HttpBesideSettings {
  readonly device: string | null;
  readonly files: readonly string[];
  readonly connections: number;
  readonly beside: Beside;
  /** How many they are. */
  readonly count: number;
  /** Time that each of them looks at an answer, in ms. */
  readonly thinkMs: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

/** What each side got at the same time; `beside` of nobody is all zero. */
export interface HttpBesideResult {
  readonly loop: HttpLoopResult;
  readonly beside: OnlookersResult;
}

/** Starts the service, lets the neighbours in, loads it, stops it. */
export async function runHttpBeside(settings: HttpBesideSettings): Promise<HttpBesideResult> {
  const { device, files, connections, thinkMs, seconds, warmUpSeconds } = settings;
  const telltale = await startTelltale('sqlite', device);
  try {
    const bodies = readBodies(files, 'multipart');
    const onlookers = startOnlookers(await findDoors(telltale, settings), bodies, thinkMs);
    if (warmUpSeconds > 0)
      await runHttpClosedLoop(telltale, bodies, { connections, seconds: warmUpSeconds, warmUpSeconds: 0 });
    onlookers.restart();
    const loop = await runHttpClosedLoop(telltale, bodies, { connections, seconds, warmUpSeconds: 0 });
    return { loop, beside: await onlookers.stop() };
  } finally {
    await telltale.stop();
  }
}

/** The same question through either door: all the details that the console shows. */
async function findDoors(telltale: RunningTelltale, { beside, count }: HttpBesideSettings): Promise<Door[]> {
  const { url, key } = telltale;
  switch (beside) {
    case 'nobody':
      return [];
    case 'people': {
      const sessions = await signMembersIn(telltale, count);
      return sessions.map((session) => ({
        url: `${url}/console/api/checks?include=${DETAILS}`,
        headers: { ...session },
      }));
    }
    case 'callers': {
      const headers = { authorization: `Bearer ${key ?? ''}` };
      return Array.from({ length: count }, () => ({ url: `${url}/v1/check?include=${DETAILS}`, headers }));
    }
  }
}
