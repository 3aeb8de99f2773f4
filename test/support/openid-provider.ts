// Two OpenID Connect providers on this machine: a certified one and a dishonest one.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose';
import Provider from 'oidc-provider';

export const CLIENT = { clientId: 'telltale', clientSecret: 'a secret of more than 32 characters for tests' };

/** A person known to a provider. */
export interface Identity {
  readonly email?: string;
  readonly email_verified?: boolean;
}

/** A running provider. */
export interface RunningProvider {
  readonly issuer: string;
  close(): void;
}

/**
 * Starts oidc-provider. It signs every visitor in as the person `whoComes` returns, who agrees to everything.
 */
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

/** Errors that the dishonest provider puts into its tokens. */
export interface Lie {
  readonly claims?: JWTPayload;
  /** Claims to leave out. */
  readonly without?: readonly string[];
  /** True to sign with a key that is not published. */
  readonly isForged?: boolean;
}

/** A provider that exchanges any code for a token. The token is correct except for `lie`. */
export interface LyingProvider extends RunningProvider {
  /** Nonce of the current sign-in. A test reads it from the address to which the service redirects. */
  nonce: string;
  lie: Lie;
  /** Issuer that the provider claims to be. Default: its real issuer. */
  statedIssuer: string;
  /** Form fields that the service sent for each code. */
  readonly redeemed: URLSearchParams[];
}

/** Starts the dishonest provider. */
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
    const includedClaims = Object.fromEntries(
      Object.entries(all).filter(([name]) => !without.includes(name)),
    );
    const key = isForged ? other.privateKey : own.privateKey;
    return new SignJWT(includedClaims).setProtectedHeader({ alg: 'RS256', kid: '1' }).sign(key);
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
