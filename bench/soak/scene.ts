// Environment of the soak test's callers: signed-in members, a server of images, and a server that never responds.
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { root } from '../machine/machine.js';
import { makeForm } from '../load/http-bodies.js';
import { sendRequest, type SoakRequest } from './requests.js';
import { ORIGIN, type Account, type Serving } from './service.js';

/** Password of every member in a soak test. */
export const PASSWORD = 'a soak is no place for secrets';

/** Image that well-behaved callers check. */
export const IMAGE = readFileSync(join(root, 'samples/scene.jpg'));

/** Addresses and requests that well-behaved and hostile callers use. */
export interface Scene {
  readonly url: string;
  /** Address of an existing image. */
  readonly picture: string;
  /** Address of a server that accepts connections and never responds. */
  readonly tarpit: string;
  /** Returns a request with an account's API key. */
  keyed(
    account: Account,
    path: string,
    type: string,
    body: Buffer,
    more?: Record<string, string>,
  ): SoakRequest;
  /** Returns a request of a signed-in member. */
  signedIn(account: Account, method: 'GET' | 'POST', path: string, type?: string, body?: Buffer): SoakRequest;
  /** Returns a request to sign in from the given network. */
  signIn(email: string, password: string, network: string): SoakRequest;
  emailOf(account: Account): string;
  close(): void;
}

/** Signs the members in and starts the servers. */
export async function setScene({ url, accounts }: Serving): Promise<Scene> {
  const [images, tarpit] = await Promise.all([
    open(createServer((_req, res) => res.end(IMAGE))),
    open(createServer(() => undefined)),
  ]);
  const json = (path: string, value: object, network = '192.0.2.250'): SoakRequest => ({
    method: 'POST',
    path: `/console/api${path}`,
    headers: { origin: ORIGIN, 'content-type': 'application/json', 'x-forwarded-for': network },
    body: Buffer.from(JSON.stringify(value)),
  });
  const enter = async (account: Account): Promise<string> => {
    const visit = { token: accounts[account].invitation, password: PASSWORD };
    return (await sendRequest(url, json('/links/follow', visit))).cookie;
  };
  const cookies = { good: await enter('good'), hostile: await enter('hostile') };
  return {
    url,
    picture: addressOf(images),
    tarpit: addressOf(tarpit),
    keyed: (account, path, type, body, more = {}) => ({
      method: 'POST',
      path,
      headers: { authorization: `Bearer ${accounts[account].key}`, 'content-type': type, ...more },
      body,
    }),
    signedIn: (account, method, path, type, body) => ({
      method,
      path: `/console/api${path}`,
      headers: {
        origin: ORIGIN,
        cookie: cookies[account],
        ...(type !== undefined && { 'content-type': type }),
      },
      ...(body && { body }),
    }),
    signIn: (email, password, network) => json('/session', { email, password }, network),
    emailOf: (account) => accounts[account].email,
    close: () => {
      for (const server of [images, tarpit]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

/** Checks an image and stores it. Returns the stored image's path in the console. */
export async function keepImage(scene: Scene, account: Account, bytes: Buffer): Promise<string> {
  const { type, content: body } = makeForm('file', [bytes]);
  const answer = await sendRequest(
    scene.url,
    scene.signedIn(account, 'POST', '/checks?store=true', type, body),
  );
  const id = /"id":"(chk_\w+)"/.exec(answer.text)?.[1];
  if (id === undefined)
    throw new Error(`an image was not kept: ${answer.status} ${answer.text.slice(0, 200)}`);
  return `/checks/${id}/image`;
}

async function open(server: Server): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function addressOf(server: Server): string {
  return `http://pictures.example.org:${(server.address() as AddressInfo).port}/picture.jpg`;
}
