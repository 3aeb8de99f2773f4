// Posting a small text to a public address, without following redirects or reading the response.
import {
  asFetchFault,
  createGuardedAgent,
  failed,
  untilAborted,
  type FetcherOptions,
} from './guarded-agent.js';

/** Maximum bytes read of a response, so that the connection can be reused; with more it is closed. */
const MOST_READ_BYTES = 4096;

/** Posts to callers' addresses. Created once per process. */
export interface Poster {
  /**
   * Posts `body` and returns the status of the response, also of a redirect. Rejects with CheckError url_not_public,
   * and url_fetch_failed without a timely response.
   */
  post(url: URL, body: string, headers: Readonly<Record<string, string>>): Promise<number>;
  close(): Promise<void>;
}

/** Creates a poster with the same guard as fetching. */
export function createPoster(options: FetcherOptions = {}): Poster {
  const { agent, timeoutMs } = createGuardedAgent(options);
  return {
    async post(url, body, headers) {
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        const request = agent.request({
          origin: url.origin,
          path: url.pathname + url.search,
          method: 'POST',
          headers: { 'user-agent': 'telltale', ...headers },
          body,
          signal: timeout,
        });
        const answer = await untilAborted(request, timeout);
        // Only the status matters, even if the body never ends.
        await answer.body.dump({ limit: MOST_READ_BYTES, signal: timeout }).catch(() => undefined);
        return answer.statusCode;
      } catch (error) {
        if (timeout.aborted) throw failed(`the address did not answer within ${timeoutMs / 1000} s`, error);
        throw asFetchFault(error);
      }
    },
    close: () => agent.destroy(),
  };
}
