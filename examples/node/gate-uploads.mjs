// A gate for uploads: publishes what nothing speaks against, and keeps the rest for a person.
//   TELLTALE_URL=http://127.0.0.1:8080 TELLTALE_KEY=tt_live_... node examples/node/gate-uploads.mjs PORT
//   curl --data-binary @photo.jpg http://127.0.0.1:PORT
import { createServer } from 'node:http';
// In a program of yours: from 'telltale-client'.
import { Telltale, TelltaleError } from '../../client/dist/index.js';

/** What uploaders are told, by the codes that they can do something about; anything else is ours to mend. */
const ADVICE = {
  image_too_small: 'send a larger image',
  image_too_large: 'send a smaller file',
  jpeg_quality_too_low: 'send the original file',
  image_corrupt: 'the file is damaged',
  unsupported_format: 'send a JPEG, PNG, WebP, AVIF, GIF, BMP or TIFF',
};

const telltale = new Telltale({ baseUrl: process.env.TELLTALE_URL, apiKey: process.env.TELLTALE_KEY });

/** The decision on one upload, and what the uploader is told. */
async function decide(upload) {
  try {
    const { id, is_ai: isAi } = await telltale.check(upload);
    // The id stands with the decision, so that a person can look the check up.
    return { status: 200, decision: isAi ? 'ask a person' : 'publish', check: id };
  } catch (error) {
    if (!(error instanceof TelltaleError)) throw error;
    const advice = ADVICE[error.code];
    if (advice !== undefined) return { status: 422, decision: 'refuse', advice };
    // No verdict is no reason to publish: what could not be checked waits.
    return { status: 202, decision: 'check later', code: error.code };
  }
}

const server = createServer(async (request, response) => {
  const { status, ...answer } = await decide(request);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
});
server.listen(Number(process.argv[2] ?? 3000), '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`);
});
process.once('SIGTERM', () => server.close());
