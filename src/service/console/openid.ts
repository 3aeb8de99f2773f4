// Sign-in with OpenID Connect: the authorization code flow with PKCE. Source: OpenID Connect Core 1.0.
import * as client from 'openid-client';
import type { OpenIdSetting } from '../../config.js';

/** Time limit of a response from the provider, in seconds. */
const TIMEOUT_S = 10;
/** Path of the redirect URI that is registered at the provider. */
export const CALLBACK_PATH = '/console/oidc/callback';

/** Secrets of one sign-in attempt. The browser holds them, and the provider's response must match them. */
export interface SignInAttempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Code of a failed sign-in. The console has a sentence for each code. */
export type OpenIdFaultCode = 'unreachable' | 'not_begun' | 'denied' | 'failed' | 'unverified' | 'no_member';

/** Error of a failed sign-in. The message is only for the log. */
export class OpenIdFault extends Error {
  constructor(
    readonly code: OpenIdFaultCode,
    message: string,
  ) {
    super(message);
  }
}

/** The OpenID Connect provider of this installation. */
export interface OpenId {
  /** Loads the provider's configuration once. Throws OpenIdFault unreachable. */
  discover(): Promise<void>;
  /** Returns the provider's address for signing in, and a new attempt. Throws OpenIdFault unreachable. */
  begin(): Promise<{ readonly url: string; readonly attempt: SignInAttempt }>;
  /**
   * Returns the email address that the provider verified, as the provider writes it. Throws OpenIdFault:
   * `denied` if the person or the provider refused, `unverified` if the address is not verified, `failed` if
   * the response does not belong to this attempt (state, nonce, issuer, audience, key, time or a used code).
   */
  finish(query: string, attempt: SignInAttempt): Promise<string>;
}

/** Creates a client of the provider. Contacts the provider only when needed. */
export function createOpenId({ issuer, clientId, clientSecret }: OpenIdSetting, publicUrl: string): OpenId {
  const redirectUri = `${publicUrl}${CALLBACK_PATH}`;
  let discovery: Promise<client.Configuration> | null = null;

  const discover = (): Promise<client.Configuration> => {
    discovery ??= client
      .discovery(new URL(issuer), clientId, undefined, authenticateBy(clientSecret), {
        timeout: TIMEOUT_S,
        // Verifies signatures of tokens even over TLS. A provider on this machine may work without TLS.
        execute: [
          client.enableNonRepudiationChecks,
          // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so that it stands out; settings allow it on this machine only
          ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
        ],
      })
      .catch((error: unknown) => {
        discovery = null;
        throw new OpenIdFault('unreachable', explainOpenIdError(error));
      });
    return discovery;
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
          throw new OpenIdFault(isRefusal ? 'denied' : 'failed', explainOpenIdError(error));
        },
      );
      const { email, email_verified: isVerified } = claims;
      if (typeof email !== 'string' || isVerified !== true)
        throw new OpenIdFault('unverified', 'the provider sent no verified email address');
      return email;
    },
  };
}

/** Redeems the provider's code for facts about the person, from the token or the userinfo endpoint. */
async function redeem(
  provider: client.Configuration,
  url: URL,
  { state, nonce, verifier }: SignInAttempt,
): Promise<Readonly<Record<string, unknown>>> {
  const tokens = await client.authorizationCodeGrant(provider, url, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error('the provider sent no ID token');
  if (claims.email !== undefined || provider.serverMetadata().userinfo_endpoint === undefined) return claims;
  return client.fetchUserInfo(provider, tokens.access_token, claims.sub);
}

/**
 * Sends the client secret in a header if the provider supports this (the default), otherwise in the body.
 * Source: OpenID Connect Discovery 1.0, section 3.
 */
function authenticateBy(secret: string): client.ClientAuth {
  const [inHeader, inBody] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...request) => {
    const authenticationMethods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    (authenticationMethods.includes('client_secret_basic') ? inHeader : inBody)(server, ...request);
  };
}

/** Describes an error for the log by messages and codes, because the error's other fields contain tokens. */
function explainOpenIdError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  const code = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : '';
  return `${error.message}${cause}${code}`;
}
