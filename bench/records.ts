// Measures by how much a signed record lengthens a check: `node --import tsx bench/records.ts`. Checks with and
// without a record alternate. Prints the additional time, and the time to draw the record's page.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createChecker } from '../src/library/check/checker.js';
import { PACKAGE_MODELS_DIR } from '../src/library/base/package-paths.js';
import { PREVIEW_PX } from '../src/record/content/compose.js';
import { generateSigner, writeJson } from '../src/record/keys/keys.js';
import { createRecorder } from '../src/record/content/recorder.js';
import { readProvenance } from '../src/record/content/provenance.js';
import { digestBytes } from '../src/library/base/bytes.js';
import { openCertificateShop } from '../test/support/certificates.js';
import { keysOf } from '../test/support/records.js';
import { signImage, sourceType } from '../test/support/sign.js';
import { openCorpus } from './corpus/make.js';
import { describeMachine } from './machine/machine.js';
import { median, percentile } from './statistics.js';

const ROUNDS = 24;
/** Maximum milliseconds that a record may add to a check. */
const LIMIT_MS = 30;

const folder = mkdtempSync(join(tmpdir(), 'telltale-records-'));
const trustDir = join(folder, 'trust');
mkdirSync(trustDir);
const images = await collect();
const checker = await createChecker({ device: 'cpu', trustDir });
const setting = await readProvenance(checker, PACKAGE_MODELS_DIR, 'bench');
const recorder = createRecorder(setting, keysOf(generateSigner()));
try {
  const { cores, processor, loadBefore } = describeMachine();
  console.log(
    `${cores} cores of an ${processor}, load before ${loadBefore[0]?.toFixed(1)}; ${ROUNDS} pairs\n`,
  );
  console.log('| picture | check ms | record ms, median (and 90%) | processor ms | kB of JSON | page ms |');
  console.log('|---|---|---|---|---|---|');
  let isWithin = true;
  for (const [name, bytes] of images) {
    const { checkMs, recordMs, processorMs, pageMs, sizeBytes } = await compare(bytes);
    isWithin &&= median(recordMs) <= LIMIT_MS;
    const record = `${median(recordMs).toFixed(1)} (${percentile(recordMs, 90).toFixed(1)})`;
    console.log(
      `| ${name} | ${median(checkMs).toFixed(0)} | ${record} | ${median(processorMs).toFixed(1)} | ` +
        `${(sizeBytes / 1000).toFixed(0)} | ${median(pageMs).toFixed(1)} |`,
    );
  }
  process.exitCode = isWithin ? 0 : 1;
} finally {
  await checker.close();
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Returns photographs of three sizes, and an image with Content Credentials. The credentials decide the verdict of
 * that image, so its pixels are decoded only for the record.
 */
async function collect(): Promise<readonly (readonly [name: string, bytes: Buffer])[]> {
  const corpus = await openCorpus({ isQuick: false, onFile: () => undefined });
  const find = (megapixels: number): Buffer =>
    readFileSync(
      corpus.find((file) => file.format === 'jpeg' && file.megapixels === megapixels && file.hasFace)?.path ??
        '',
    );
  const shop = openCertificateShop();
  try {
    const root = shop.makeRoot('Telltale bench root');
    writeFileSync(join(trustDir, 'root.pem'), root.certificate.toString());
    const signer = shop.issue(root, { organization: 'Telltale Bench', commonName: 'Signer' });
    const action = { action: 'c2pa.created', digitalSourceType: sourceType('trainedAlgorithmicMedia') };
    const options = { signer, actions: [action] };
    const signed = await signImage({ buffer: find(12), mimeType: 'image/jpeg' }, options);
    return [
      ['JPEG, 12 MP, decided by its credentials', signed],
      ...[1, 4, 12].map((megapixels) => [`JPEG, ${megapixels} MP`, find(megapixels)] as const),
    ];
  } finally {
    shop.close();
  }
}

async function compare(bytes: Buffer) {
  const plain = () => checker.check(bytes, { heatMap: true });
  const recorded = async () => {
    const original = { bytes, sha256: await digestBytes(bytes), requestId: 'req_bench' };
    const signed = await recorder.check(
      await checker.check(bytes, { previewPx: PREVIEW_PX, heatMap: true }),
      original,
    );
    return { signed, json: writeJson(signed) };
  };
  await plain();
  const { signed, json } = await recorded();
  const costs = { checkMs: [], recordMs: [], processorMs: [], pageMs: [] } as Record<
    'checkMs' | 'recordMs' | 'processorMs' | 'pageMs',
    number[]
  >;
  for (let round = 0; round < ROUNDS; round += 1) {
    // The order alternates, because the second check is faster: the first has filled the caches.
    const first = await time(round % 2 === 0 ? plain : recorded);
    const second = await time(round % 2 === 0 ? recorded : plain);
    const [without, withRecord] = round % 2 === 0 ? [first, second] : [second, first];
    costs.checkMs.push(without.wallMs);
    costs.recordMs.push(withRecord.wallMs - without.wallMs);
    costs.processorMs.push(withRecord.processorMs - without.processorMs);
    costs.pageMs.push((await time(() => recorder.page(signed))).wallMs);
  }
  return { ...costs, sizeBytes: json.length };
}

/** Runs `work`. Returns its elapsed milliseconds, and the processor milliseconds of all threads. */
async function time(work: () => Promise<unknown>): Promise<{ wallMs: number; processorMs: number }> {
  const before = process.cpuUsage();
  const startMs = performance.now();
  await work();
  const wallMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(before);
  return { wallMs, processorMs: (user + system) / 1000 };
}
