// Signing in by OpenID Connect (Core 1.0): the authorization code flow with PKCE, by the library openid-client.
import * as client from 'openid-client';
import type { OpenIdSetting } from '../../config.js';

/** Seconds that one answer of the provider may take. */
const TIMEOUT_S = 10;
/** Path that the provider sends people back to; it is registered there behind the service's address. */
export const CALLBACK_PATH = '/console/oidc/callback';

/** What a browser keeps while its person is at the provider: secrets that tie the answer to this one attempt. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Why nobody was signed in; the pages have a sentence for each. */
export type OpenIdFaultCode = 'unreachable' | 'not_begun' | 'denied' | 'failed' | 'unverified' | 'no_member';

/** A sign-in that came to nothing. The message is for the log. */
export class OpenIdFault extends Error {
  constructor(
    readonly code: OpenIdFaultCode,
    message: string,
  ) {
    super(message);
  }
}

/** The provider of this installation. */
export interface OpenId {
  /** Reads what the provider says of itself, unless that is known. Throws OpenIdFault unreachable. */
  discover(): Promise<void>;
  /** Where to send a person who wants to sign in. Throws OpenIdFault unreachable. */
  begin(): Promise<{ readonly url: string; readonly attempt: Attempt }>;
  /**
   * The address that the provider has verified of who came back with `query`, as written there. Throws OpenIdFault
   * denied if the person or the provider refused, or unverified. It is failed for an answer that does not belong to
   * this attempt: another state, nonce, issuer, audience, key or time, or a used code.
   */
  finish(query: string, attempt: Attempt): Promise<string>;
}

/** Opens the door to a provider; nothing is asked of it yet. */
export function createOpenId({ issuer, clientId, clientSecret }: OpenIdSetting, publicUrl: string): OpenId {
  const redirectUri = `${publicUrl}${CALLBACK_PATH}`;
  let found: Promise<client.Configuration> | null = null;

  const discover = (): Promise<client.Configuration> => {
    found ??= client
      .discovery(new URL(issuer), clientId, undefined, authenticateBy(clientSecret), {
        timeout: TIMEOUT_S,
        // Signatures count, too, though tokens come over TLS; and a provider on this machine may do without TLS.
        execute: [
          client.enableNonRepudiationChecks,
          // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so that it stands out; settings allow it on this machine only
          ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
        ],
      })
      .catch((error: unknown) => {
        found = null;
        throw new OpenIdFault('unreachable', explain(error));
      });
    return found;
  };

  return {
    async discover() {
      await discover();
    },

    async begin() {
      const provider = await discover();
      const attempt = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(provider, {
        redirect_uri: redirectUri,
        scope: 'openid email',
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, attempt };
    },

    async finish(query, attempt) {
      const provider = await discover();
      const claims = await redeem(provider, new URL(`${redirectUri}?${query}`), attempt).catch(
        (error: unknown) => {
          const isRefusal = error instanceof client.AuthorizationResponseError;
          throw new OpenIdFault(isRefusal ? 'denied' : 'failed', explain(error));
        },
      );
      const { email, email_verified: isVerified } = claims;
      if (typeof email !== 'string' || isVerified !== true)
        throw new OpenIdFault('unverified', 'the provider names no address that it has verified');
      return email;
    },
  };
}

/** What the provider says of the person: in the token, or if that is silent, when asked. */
async function redeem(
  provider: client.Configuration,
  url: URL,
  { state, nonce, verifier }: Attempt,
): Promise<Readonly<Record<string, unknown>>> {
  const tokens = await client.authorizationCodeGrant(provider, url, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error('the provider sent no token of identity');
  if (claims.email !== undefined || provider.serverMetadata().userinfo_endpoint === undefined) return claims;
  return client.fetchUserInfo(provider, tokens.access_token, claims.sub);
}

/** The secret in the way that the provider takes it; by default in a header (Discovery 1.0, section 3). */
function authenticateBy(secret: string): client.ClientAuth {
  const [inHeader, inBody] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...request) => {
    const ways = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    (ways.includes('client_secret_basic') ? inHeader : inBody)(server, ...request);
  };
}

/** Messages and codes alone: other members of the library's errors hold tokens. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  const code = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : '';
  return `${error.message}${cause}${code}`;
}
