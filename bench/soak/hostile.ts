// Hostile callers, all of one account or of none: each does one harm again and again until it is told to stop.
import { setMaxListeners } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeHostileFiles } from '../../test/hostile/make-hostile.js';
import { avifOfManyRuns } from '../../test/support/hostile-pictures.js';
import { makeBmp } from '../../test/support/pictures.js';
import { ask, form, type Question } from './ask.js';
import { keepPicture, type Scene } from './scene.js';

/** How many times each harm was done, by what came of it: a status, or `cut off`. */
export type Harm = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Hostile callers at work. */
export interface Attack {
  /** Ends them, and tells what came of it. */
  stop(): Promise<Harm>;
}

/** Lets them in. */
export async function startAttack(scene: Scene): Promise<Attack> {
  const end = new AbortController();
  const { signal } = end;
  // Each stalled connection listens.
  setMaxListeners(0, signal);
  const harm = new Map<string, Map<string, number>>();
  const kept = await keepPicture(scene, 'hostile', makeBmp(2000, 1500));
  const files = makeHostileFiles().map(({ bytes }) => bytes);
  const small = files.filter(({ byteLength }) => byteLength < 1_000_000);
  const json = (path: string, value: object, more = {}): Question =>
    scene.keyed('hostile', path, 'application/json', Buffer.from(JSON.stringify(value)), more);
  const upload = (path: string, name: string, pictures: readonly Buffer[]): Question => {
    const { type, body } = form(name, pictures);
    return scene.keyed('hostile', path, type, body);
  };
  const asking = (next: (turn: number) => Question) => async (turn: number) =>
    String(await ask(scene.url, next(turn), signal));
  const stalling = (question: Question, drip: string | null) => () =>
    stall(scene.url, question, drip, signal);
  const harms: [name: string, callers: number, act: (turn: number) => Promise<string>][] = [
    ['slow bodies', 8, stalling(upload('/v1/check', 'file', [files[0]!]), ' ')],
    ['unread answers', 8, stalling(scene.signedIn('hostile', 'GET', kept), null)],
    ['slow addresses', 8, asking(() => json('/v1/check', { image_url: scene.tarpit }))],
    [
      'twins of one idempotency key',
      8,
      asking(() => json('/v1/check', { image_url: scene.tarpit }, { 'idempotency-key': 'twin' })),
    ],
    [
      'corrupt pictures and bombs',
      2,
      asking((turn) => upload('/v1/check', 'file', [files[turn % files.length]!])),
    ],
    [
      'batches of eight refused files',
      2,
      asking((turn) =>
        upload(
          '/v1/check/batch',
          'files',
          Array.from({ length: 8 }, (_, index) => small[(turn + index) % small.length]!),
        ),
      ),
    ],
    [
      'wrong passwords of one member',
      2,
      asking((turn) => scene.signIn(scene.emailOf('good'), `wrong password ${turn}`, '192.0.2.1')),
    ],
    [
      'wrong passwords from many networks',
      2,
      asking((turn) =>
        scene.signIn(`nobody${turn}@nowhere.example`, 'wrong', `2001:db8:${(turn % 65536).toString(16)}::1`),
      ),
    ],
  ];
  const names = Buffer.from(`{${Array.from({ length: 14_000 }, (_, at) => `"${at}":1`).join(',')}}`);
  const runs = avifOfManyRuns();
  const other = form('files', [names, makeBmp(2000, 1500)]);
  harms.push(
    ['AVIF whose headers take long', 2, asking(() => upload('/v1/check', 'file', [runs]))],
    ['JSON of many names', 2, asking(() => scene.keyed('hostile', '/v1/check', 'application/json', names))],
    [
      'records of many names',
      2,
      asking(() => scene.signedIn('hostile', 'POST', '/records/verify', other.type, other.body)),
    ],
    [
      'wrong passwords of one member from one /48',
      2,
      asking((turn) =>
        scene.signIn(scene.emailOf('good'), 'wrong', `2001:db8:1:${(turn % 65536).toString(16)}::1`),
      ),
    ],
    [
      'reports of wrong verdicts',
      2,
      asking(() => json(`/v1${kept.replace('/image', '/feedback')}`, { is_ai: true })),
    ],
  );
  const attackers = harms.flatMap(([name, callers, act]) => {
    const counts = new Map<string, number>();
    harm.set(name, counts);
    return Array.from({ length: callers }, async (_, index) => {
      for (let turn = index; ; turn += callers) {
        const outcome = await act(turn);
        if (signal.aborted) return;
        counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
        // A refusal at once must not make this a contest of who sends most.
        await sleep(100);
      }
    });
  });
  return {
    stop: async () => {
      end.abort();
      await Promise.all(attackers);
      return harm;
    },
  };
}

/** Sends a request, its body a byte a second where it has one, and reads nothing; settles when the service ends it. */
function stall(
  url: string,
  { method, path, headers, body }: Question,
  drip: string | null,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const lines = Object.entries({ ...headers, 'content-length': String(body?.byteLength ?? 0) });
    const head = `${method} ${path} HTTP/1.1\r\nHost: soak.example\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
    const socket = connect(Number(port), hostname, () => socket.write(head));
    const timer = drip === null ? undefined : setInterval(() => socket.write(drip), 1000);
    // Only who reads sees the end of a body that was refused; of an answer, its connection's end is an error of the next write.
    if (drip === null) socket.pause();
    else socket.resume();
    const limit = setTimeout(() => socket.destroy(), 15_000);
    const finish = (): void => void socket.destroy();
    signal.addEventListener('abort', finish, { once: true });
    socket.on('error', () => undefined).on('end', finish);
    socket.on('close', () => {
      clearInterval(timer);
      clearTimeout(limit);
      signal.removeEventListener('abort', finish);
      resolve('cut off');
    });
  });
}
