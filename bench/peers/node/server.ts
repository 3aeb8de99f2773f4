// The Node peer over HTTP: POST /v1/check with a multipart form, on a free port that it prints.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Busboy } from '@fastify/busboy';
import { createPeer } from './check.js';

const check = await createPeer();

function receiveFile(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const type = request.headers['content-type'] ?? '';
    const form = new Busboy({ headers: { ...request.headers, 'content-type': type } });
    const chunks: Buffer[] = [];
    form.on('file', (_name, stream) => stream.on('data', (chunk: Buffer) => chunks.push(chunk)));
    form.on('finish', () => resolve(Buffer.concat(chunks)));
    form.on('error', reject);
    request.pipe(form);
  });
}

const server = createServer((request, response) => {
  if (request.url === '/healthz') {
    response.end('{"status":"ok"}');
    return;
  }
  receiveFile(request)
    .then(check)
    .then(
      (result) => response.setHeader('content-type', 'application/json').end(JSON.stringify(result)),
      (error: unknown) => {
        response.statusCode = 422;
        response.end(JSON.stringify({ error: { code: 'image_corrupt', message: String(error) } }));
      },
    );
});
server.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
