// Upload service in Node that embeds Telltale and holds back uploads in which AI is detected. Run: npx tsx
// examples/embed/upload-service.mts
import { createServer, type IncomingMessage } from 'node:http';
import { CheckError, createChecker, presentCheck, type CheckReport } from 'telltale-engine';

// One checker per process, because it holds the models and batches concurrent checks.
const checker = await createChecker({ profile: 'strict' });

const server = createServer((request, response) => {
  const answer = (status: number, body: object): void => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  };
  // Cancels the check if the client disconnects.
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  readBody(request)
    .then((bytes) => checker.check(bytes, { signal: gone.signal, deadlineMs: 10_000 }))
    .then((report) => answer(200, { decision: decide(report), check: presentCheck(report) }))
    .catch((error: unknown) => {
      // A CheckError has a code for programs and a message for users.
      if (error instanceof CheckError)
        answer(error.status, { error: { code: error.code, message: error.message } });
      else answer(500, { error: { code: 'internal_error', message: 'the upload could not be handled' } });
    });
});

/** Decides about an upload. The report is typed, so that a misspelled field does not compile. */
function decide(report: CheckReport): 'publish' | 'label as AI' | 'ask a person' {
  if (report.fired.includes('content_credentials')) return 'label as AI';
  return report.isAi || report.warnings.length > 0 ? 'ask a person' : 'publish';
}

async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > 25_000_000) throw new CheckError('image_too_large', 'at most 20 MB are allowed');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

server.listen(Number(process.argv[2] ?? 3000), '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) console.log(`http://127.0.0.1:${address.port}`);
});

process.once('SIGTERM', () => {
  server.close(() => void checker.close());
});
