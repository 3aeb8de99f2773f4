// Gate for uploads: publishes images with the headline "No AI detected". A person decides about all others.
//   TELLTALE_URL=http://127.0.0.1:8080 TELLTALE_KEY=tt_live_... node examples/node/gate-uploads.mjs PORT
//   curl --data-binary @photo.jpg http://127.0.0.1:PORT
import { createServer } from 'node:http';
// In your own program, import from 'telltale-client'.
import { Telltale, TelltaleError } from '../../client/dist/index.js';

/** Advice for people who upload, by error code. Only the operator can fix other errors. */
const ADVICE = {
  image_too_small: 'send a larger image',
  image_too_large: 'send a smaller file',
  jpeg_quality_too_low: 'send the original file',
  image_corrupt: 'the file is damaged',
  unsupported_format: 'send a JPEG, PNG, WebP, AVIF, GIF, BMP or TIFF',
};

const telltale = new Telltale({ baseUrl: process.env.TELLTALE_URL, apiKey: process.env.TELLTALE_KEY });

/** Decides about one upload and returns the response to the uploader. */
async function decide(upload) {
  try {
    // `is_ai` would be false for many unclear images, too.
    const { id, details } = await telltale.check(upload, { include: ['assessment'] });
    const decision = details.assessment === 'no_ai_detected' ? 'publish' : 'ask a person';
    // The decision includes the check's id, so that a person can look up the check.
    return { status: 200, decision, check: id };
  } catch (error) {
    if (!(error instanceof TelltaleError)) throw error;
    const advice = ADVICE[error.code];
    if (advice !== undefined) return { status: 422, decision: 'refuse', advice };
    // An image without a verdict is not published. It must be checked again later.
    return { status: 202, decision: 'check later', code: error.code };
  }
}

const server = createServer(async (request, response) => {
  try {
    const { status, ...answer } = await decide(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  } catch (error) {
    // The uploader may have broken off the upload. An unhandled rejection would end the process.
    console.error(String(error));
    response.destroy();
  }
});
server.listen(Number(process.argv[2] ?? 3000), '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`);
});
process.once('SIGTERM', () => server.close());
