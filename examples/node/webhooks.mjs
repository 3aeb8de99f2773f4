// Receives webhooks about scans. Run this behind a proxy with TLS, because webhooks are sent only to https addresses:
//   WEBHOOK_SECRET=whsec_... node examples/node/webhooks.mjs
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { verifyWebhook } from '../../client/dist/index.js';

const seen = new Set();

createServer((request, response) => {
  text(request)
    .then((body) => verifyWebhook(request.headers, body, process.env.WEBHOOK_SECRET))
    .then(
      (event) => {
        response.writeHead(204).end();
        // Skips repeated events, because a retried webhook may arrive twice.
        const id = request.headers['webhook-id'];
        if (!seen.has(id)) console.log(event.type, event.data);
        seen.add(id);
      },
      () => response.writeHead(400).end(),
    );
}).listen(Number(process.env.PORT ?? 3000));
