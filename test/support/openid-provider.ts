// Two providers of OpenID Connect on this machine: a certified one, and one that lies.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose';
import Provider from 'oidc-provider';

export const CLIENT = { clientId: 'telltale', clientSecret: 'a secret of more than 32 characters for tests' };

/** A person whom a provider knows. */
export interface Identity {
  readonly email?: string;
  readonly email_verified?: boolean;
}

/** A running provider. */
export interface RunningProvider {
  readonly issuer: string;
  close(): void;
}

/** oidc-provider, where everybody who comes is signed in as the subject that `whoComes` gives, and agrees to all. */
export async function startProvider(
  redirectUri: string,
  identities: ReadonlyMap<string, Identity>,
  whoComes: () => string,
): Promise<RunningProvider> {
  const server = createServer();
  const issuer = await listen(server);
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: [redirectUri],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id, ...identities.get(id) }) }),
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    async loadExistingGrant(ctx) {
      const { oidc } = ctx;
      const grant = new oidc.provider.Grant({
        clientId: oidc.client!.clientId,
        accountId: oidc.session!.accountId!,
      });
      grant.addOIDCScope('openid email');
      await grant.save();
      return grant;
    },
  });
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/') === true)
      void provider.interactionFinished(request, response, { login: { accountId: whoComes() } });
    else void answer(request, response);
  });
  return { issuer, close: () => stop(server) };
}

/** What the lying provider puts into its token, and how. */
export interface Lie {
  readonly claims?: JWTPayload;
  /** Leaves these claims out. */
  readonly without?: readonly string[];
  /** Signs with a key that it does not publish. */
  readonly isForged?: boolean;
}

/** A provider that gives any code a token: right in all but what `lie` says. */
export interface LyingProvider extends RunningProvider {
  /** Of the sign-in under way; a test takes it from the address that the service redirects to. */
  nonce: string;
  lie: Lie;
  /** What the provider says its address is; default: what it is. */
  statedIssuer: string;
  /** Form fields that the service sent for each code. */
  readonly redeemed: URLSearchParams[];
}

/** Starts it. */
export async function startLyingProvider(): Promise<LyingProvider> {
  const [own, other] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
  const keys = { keys: [{ ...(await exportJWK(own.publicKey)), kid: '1', alg: 'RS256', use: 'sig' }] };
  const server = createServer();
  const issuer = await listen(server);
  const running: LyingProvider = {
    issuer,
    nonce: '',
    lie: {},
    statedIssuer: issuer,
    redeemed: [],
    close: () => stop(server),
  };
  const makeToken = (): Promise<string> => {
    const { claims, without = [], isForged = false } = running.lie;
    const now = Math.floor(Date.now() / 1000);
    const all: JWTPayload = {
      iss: issuer,
      aud: CLIENT.clientId,
      sub: '1',
      iat: now,
      exp: now + 60,
      nonce: running.nonce,
      email: 'ann@acme.example',
      email_verified: true,
      ...claims,
    };
    const told = Object.fromEntries(Object.entries(all).filter(([name]) => !without.includes(name)));
    const key = isForged ? other.privateKey : own.privateKey;
    return new SignJWT(told).setProtectedHeader({ alg: 'RS256', kid: '1' }).sign(key);
  };
  server.on('request', (request, response) => {
    const send = (body: unknown): void => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    };
    if (request.url === '/.well-known/openid-configuration')
      send({
        issuer: running.statedIssuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ['code'],
        id_token_signing_alg_values_supported: ['RS256'],
        token_endpoint_auth_methods_supported: ['client_secret_post'],
      });
    else if (request.url === '/keys') send(keys);
    else {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        running.redeemed.push(new URLSearchParams(text));
        void makeToken().then((token) =>
          send({ access_token: 'a', token_type: 'Bearer', expires_in: 60, id_token: token }),
        );
      });
    }
  });
  return running;
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function stop(server: Server): void {
  server.closeAllConnections();
  server.close();
}
