// Hostile callers of the soak test. They share an account or have none. Each repeats one kind of attack until stopped.
import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeHostileFiles } from '../../test/hostile/make-hostile.js';
import { avifOfManyRuns } from '../../test/support/hostile-images.js';
import { makeBmp } from '../../test/support/images.js';
import { root } from '../machine/machine.js';
import { makeForm } from '../load/http-bodies.js';
import { statusOf, type SoakRequest } from './requests.js';
import { keepImage, type Scene } from './scene.js';

/** Number of attacks by kind and outcome. The outcome is the status of the response, or `cut off`. */
export type Harm = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** The hostile callers while they run. */
export interface Attack {
  /** Stops the callers and returns the outcomes of their attacks. */
  stop(): Promise<Harm>;
}

/** A kind of attack, and how many callers run it concurrently. `act` attacks once and returns the outcome. */
type HarmRow = readonly [name: string, callers: number, act: (callNumber: number) => Promise<string>];

/** Starts the hostile callers, except the kinds in `without`. Throws if a kind is unknown. */
export async function startAttack(scene: Scene, without: readonly string[]): Promise<Attack> {
  const end = new AbortController();
  // Turns off the warning about many listeners, because each stalled connection adds one.
  setMaxListeners(0, end.signal);
  const harm = new Map<string, Map<string, number>>();
  const kept = await keepImage(scene, 'hostile', makeBmp(2000, 1500));
  const hostile = new HostileAccount(scene, end.signal);
  const files = makeHostileFiles().map(({ bytes }) => bytes);
  const rows = [
    ...slowHarms(hostile, kept, files[0]!),
    ...fileHarms(hostile, files),
    ...passwordHarms(hostile),
    ...jsonHarms(hostile, kept),
  ];
  const names = rows.map(([name]) => name);
  const unknown = without.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`Expected one of ${names.join('; ')}; received '${unknown}'`);
  const attackers = rows
    .filter(([name]) => !without.includes(name))
    .flatMap(([name, callers, act]) => {
      const counts = new Map<string, number>();
      harm.set(name, counts);
      return Array.from({ length: callers }, async (_, index) => {
        for (let callNumber = index; ; callNumber += callers) {
          const outcome = await act(callNumber);
          if (end.signal.aborted) return;
          counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
          // Waits after each attack. Without the pause, attacks that are refused immediately would flood the service.
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

/** The account that the hostile callers share, with functions that send its requests. */
class HostileAccount {
  readonly scene: Scene;
  readonly #signal: AbortSignal;

  constructor(scene: Scene, signal: AbortSignal) {
    this.scene = scene;
    this.#signal = signal;
  }

  json(path: string, value: object, more = {}): SoakRequest {
    const body = Buffer.from(JSON.stringify(value));
    return this.scene.keyed('hostile', path, 'application/json', body, more);
  }

  upload(path: string, name: string, images: readonly Buffer[]): SoakRequest {
    const { type, content: body } = makeForm(name, images);
    return this.scene.keyed('hostile', path, type, body);
  }

  uploading(path: string, name: string, imagesOf: (callNumber: number) => readonly Buffer[]) {
    return this.sending((callNumber) => this.upload(path, name, imagesOf(callNumber)));
  }

  sending(next: (callNumber: number) => SoakRequest) {
    return async (callNumber: number) =>
      String(await statusOf(this.scene.url, next(callNumber), this.#signal));
  }

  stalling(request: SoakRequest, drip: string | null) {
    return () => stall(this.scene.url, request, drip, this.#signal);
  }
}

/** Returns attacks that occupy a connection, or the service's memory for a request, for a long time. */
function slowHarms(hostile: HostileAccount, kept: string, file: Buffer): readonly HarmRow[] {
  const { scene } = hostile;
  const slow = { image_url: scene.tarpit };
  const duplicate = { 'idempotency-key': 'duplicate' };
  const body = hostile.upload('/v1/check', 'file', [file]);
  return [
    ['slow bodies', 8, hostile.stalling(body, ' ')],
    ['unread answers', 8, hostile.stalling(scene.signedIn('hostile', 'GET', kept), null)],
    ['slow addresses', 8, hostile.sending(() => hostile.json('/v1/check', slow))],
    [
      'duplicates of one idempotency key',
      8,
      hostile.sending(() => hostile.json('/v1/check', slow, duplicate)),
    ],
  ];
}

/** Returns attacks with files in other formats, and with images that take long to check. */
function fileHarms(hostile: HostileAccount, files: readonly Buffer[]): readonly HarmRow[] {
  const small = files.filter(({ byteLength }) => byteLength < 1_000_000);
  const runs = avifOfManyRuns();
  // Images whose compressed manifests unpack to a signer's name of 8 million characters, and to a million CBOR maps.
  const manifests = ['long_signer', 'many_maps'].map((name) =>
    readFileSync(join(root, `test/fixtures/manifests/${name}.png`)),
  );
  const oneOf = (images: readonly Buffer[]) => (callNumber: number) => [images[callNumber % images.length]!];
  const eightFrom = (callNumber: number): Buffer[] =>
    Array.from({ length: 8 }, (_, index) => small[(callNumber + index) % small.length]!);
  return [
    ['corrupt images and bombs', 2, hostile.uploading('/v1/check', 'file', oneOf(files))],
    ['batches of eight refused files', 2, hostile.uploading('/v1/check/batch', 'files', eightFrom)],
    ['AVIF whose headers take long', 2, hostile.uploading('/v1/check', 'file', () => [runs])],
    ['manifests that unpack to megabytes', 2, hostile.uploading('/v1/check', 'file', oneOf(manifests))],
  ];
}

/** Returns attacks that guess passwords. */
function passwordHarms(hostile: HostileAccount): readonly HarmRow[] {
  const { scene } = hostile;
  const member = scene.emailOf('good');
  const network = (callNumber: number): string => (callNumber % 65536).toString(16);
  return [
    [
      'wrong passwords of one member',
      2,
      hostile.sending((callNumber) => scene.signIn(member, `wrong password ${callNumber}`, '192.0.2.1')),
    ],
    [
      'wrong passwords from many networks',
      2,
      hostile.sending((callNumber) =>
        scene.signIn(`nobody${callNumber}@nowhere.example`, 'wrong', `2001:db8:${network(callNumber)}::1`),
      ),
    ],
    [
      'wrong passwords of one member from one /48',
      2,
      hostile.sending((callNumber) => scene.signIn(member, 'wrong', `2001:db8:1:${network(callNumber)}::1`)),
    ],
  ];
}

/** Returns attacks with JSON that takes long to parse, and with unwanted reports. */
function jsonHarms(hostile: HostileAccount, kept: string): readonly HarmRow[] {
  const { scene } = hostile;
  const names = Buffer.from(`{${Array.from({ length: 14_000 }, (_, at) => `"${at}":1`).join(',')}}`);
  const record = makeForm('files', [names, makeBmp(2000, 1500)]);
  const manyNames = scene.keyed('hostile', '/v1/check', 'application/json', names);
  const manyRecords = scene.signedIn('hostile', 'POST', '/records/verify', record.type, record.content);
  const feedback = `/v1${kept.replace('/image', '/feedback')}`;
  return [
    ['JSON of many names', 2, hostile.sending(() => manyNames)],
    ['records of many names', 2, hostile.sending(() => manyRecords)],
    ['reports of wrong verdicts', 2, hostile.sending(() => hostile.json(feedback, { is_ai: true }))],
  ];
}

/**
 * Sends a request and stalls. Sends `drip` once a second as the body. If `drip` is null, reads nothing of the
 * response. Resolves when the connection ends, after at most 15 s.
 */
function stall(
  url: string,
  { method, path, headers, body }: SoakRequest,
  drip: string | null,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const lines = Object.entries({ ...headers, 'content-length': String(body?.byteLength ?? 0) });
    const head = `${method} ${path} HTTP/1.1\r\nHost: soak.example\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
    const socket = connect(Number(port), hostname, () => socket.write(head));
    const timer = drip === null ? undefined : setInterval(() => socket.write(drip), 1000);
    // While a body is being sent, the response must be read to notice that the service has closed the connection.
    // Otherwise, the next write reports that.
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
