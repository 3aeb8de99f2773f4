// Posts a small text to a public address: no redirect is followed, and next to nothing of the answer is read.
import {
  asFetchFault,
  createGuardedAgent,
  failed,
  untilAborted,
  type FetcherOptions,
} from './guarded-agent.js';

/** Of an answer's body, so that its connection can be used again; one with more is closed. */
const MOST_READ_BYTES = 4096;

/** Posts to addresses of callers; one a process. */
export interface Poster {
  /**
   * Posts `body`; gives the status of the answer, whatever it is (a redirect is an answer like any other). Errors:
   * url_not_public; url_fetch_failed, if no answer came in time.
   */
  post(url: URL, body: string, headers: Readonly<Record<string, string>>): Promise<number>;
  close(): Promise<void>;
}

/** Makes a poster, behind the same guard as fetching. */
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
        // The status is the answer: a body that never ends changes nothing of it.
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
