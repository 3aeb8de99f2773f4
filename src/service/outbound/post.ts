// Posts a small text to a public address. Follows no redirects and ignores the body of the response.
import {
  asFetchFault,
  createGuardedAgent,
  failed,
  untilAborted,
  type FetcherOptions,
} from './guarded-agent.js';

/** Maximum bytes read of a response to reuse its connection. With more, the connection is closed. */
const MAX_READ_BYTES = 4096;

/** Posts to addresses that callers set, such as webhooks. Created once per process. */
export interface Poster {
  /**
   * Posts `body` and returns the status of the response, which may be a redirect. Rejects with CheckError
   * url_not_public, or with url_fetch_failed if no response arrives in time.
   */
  post(url: URL, body: string, headers: Readonly<Record<string, string>>): Promise<number>;
  close(): Promise<void>;
}

/** Creates a poster, which connects only to allowed addresses. */
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
        // An error or timeout while reading the body is ignored, because only the status matters.
        await answer.body.dump({ limit: MAX_READ_BYTES, signal: timeout }).catch(() => undefined);
        return answer.statusCode;
      } catch (error) {
        if (timeout.aborted) throw failed(`the address did not answer within ${timeoutMs / 1000} s`, error);
        throw asFetchFault(error);
      }
    },
    close: () => agent.destroy(),
  };
}
