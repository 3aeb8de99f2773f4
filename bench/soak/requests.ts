// Sends requests in a soak test.
import { request } from 'node:http';

export interface SoakRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** Sends a request, reads the whole response and returns its status. Returns 0 without a response. */
export async function statusOf(url: string, call: SoakRequest, signal?: AbortSignal): Promise<number> {
  return (await sendRequest(url, call, signal)).status;
}

/** Sends a request and returns the whole response. Its status is 0 if no response came. */
export function sendRequest(
  url: string,
  { method, path, headers, body }: SoakRequest,
  signal?: AbortSignal,
): Promise<{ readonly status: number; readonly text: string; readonly cookie: string }> {
  return new Promise((resolve) => {
    const fail = (): void => resolve({ status: 0, text: '', cookie: '' });
    const length = { 'content-length': String(body?.byteLength ?? 0) };
    const outgoing = request(
      url + path,
      { method, headers: { ...headers, ...length }, agent: false, ...(signal && { signal }) },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', fail);
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            text: Buffer.concat(chunks).toString('latin1'),
            cookie: answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '',
          }),
        );
      },
    );
    outgoing.on('error', fail).end(body);
  });
}
