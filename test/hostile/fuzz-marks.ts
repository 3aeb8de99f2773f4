// Mutates files and XMP packets for some time and reads their marks: `node --import tsx
// test/hostile/fuzz-marks.ts SECONDS`. An exception, a mark beyond its limits, or more than a second of
// processor time is a finding. Each finding is written to a file.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readMarks } from '../../src/library/check/marks/marks.js';
import { createEngine } from '../../src/library/engine/native/engine.js';
import type { MetadataText } from '../../src/library/engine/types.js';
import {
  exifBlock,
  exifSegment,
  iptcSegment,
  iTXt,
  jpegWith,
  pngChunk,
  pngWith,
  samsungTrailer,
  tEXt,
  unicodeComment,
  xmpPacket,
  xmpSegment,
} from '../support/declared-images.js';

const SLOW_MS = 1000;
const engine = await createEngine({ device: 'cpu', threads: 1 });
const packet = xmpPacket(
  '<dc:description><rdf:Alt><rdf:li xml:lang="x-default">Job ID: 0f6b9c1e</rdf:li></rdf:Alt></dc:description>' +
    '<TC260:AIGC>{&quot;Label&quot;:&quot;1&quot;}</TC260:AIGC><xmpMM:History><rdf:Seq>' +
    '<rdf:li stEvt:parameters="Generative Fill"/></rdf:Seq></xmpMM:History><![CDATA[x]]><!-- y -->',
  'photoshop:Credit="Made with Google AI"',
);
const parameters = 'a harbour\nSteps: 28, Sampler: Euler a, Version: f2.0.1';
const exif = exifBlock(
  { 0x010f: 'Canon', 0x0110: 'EOS' },
  { 0x9286: unicodeComment(parameters), 0x829a: [1, 2] },
);
const jpeg = jpegWith(
  [exifSegment(exif), xmpSegment(packet), iptcSegment({ 110: 'Made with Google AI' })],
  samsungTrailer('PhotoEditor_Re_Edit_Data', '{"genAIType":2}'),
);
const png = pngWith(
  tEXt('parameters', parameters),
  iTXt('XML:com.adobe.xmp', packet),
  pngChunk('eXIf', exif),
);
const seeds = [jpeg, png, Buffer.from(packet), Buffer.from('{"AIGC":{"Label":"1","ContentProducer":"x"}}')];

const random = (below: number): number => Math.floor(Math.random() * below);
const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;

function mutate(seed: Buffer): Buffer {
  let bytes = Buffer.from(seed);
  for (let change = random(8); change >= 0; change -= 1) {
    const [from, size, to] = [random(bytes.length), 1 + random(64), random(bytes.length)];
    const part = bytes.subarray(from, from + size);
    const kind = random(5);
    if (kind === 0) bytes[from] = random(256);
    else if (kind === 1) bytes = Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + size)]);
    else if (kind === 2) bytes = Buffer.concat([bytes.subarray(0, to), part, bytes.subarray(to)]);
    else if (kind === 3) {
      const other = pick(seeds);
      const at = from % other.length;
      other.copy(bytes, to, at, at + size);
    } else {
      const many = Buffer.concat(Array.from({ length: 1 + random(500) }, () => part));
      bytes = Buffer.concat([bytes.subarray(0, to), many, bytes.subarray(to)]);
    }
    if (bytes.length < 2) return Buffer.from(seed);
  }
  return bytes;
}

/** Reads the metadata of a file. A plain text is instead returned for every location that the rules read. */
async function toTexts(bytes: Buffer): Promise<readonly MetadataText[]> {
  if (bytes[0] === 0xff || bytes[0] === 0x89) return engine.readMetadata(bytes);
  const text = bytes.toString();
  return [
    { where: 'xmp', name: '', text },
    { where: 'png', name: pick(['parameters', 'prompt', 'workflow', 'Comment', 'Software', 'AIGC']), text },
    { where: 'exif', name: pick(['UserComment', 'Make', 'Model', 'ImageDescription']), text },
  ];
}

const endMs = performance.now() + Number(process.argv[2] ?? 10) * 1000;
let rounds = 0;
let slowestMs = 0;
while (performance.now() < endMs) {
  const bytes = mutate(pick(seeds));
  const before = process.cpuUsage();
  let fault: string | null = null;
  try {
    for (const { value, generator } of readMarks(await toTexts(bytes)))
      if ([...value].length > 300 || [...(generator ?? '')].length > 64)
        fault = 'a mark is beyond its bounds';
  } catch (error) {
    fault = String(error);
  }
  const { user, system } = process.cpuUsage(before);
  const tookMs = (user + system) / 1000;
  if (tookMs > SLOW_MS) fault = `it took ${tookMs} ms`;
  slowestMs = Math.max(slowestMs, tookMs);
  rounds += 1;
  if (fault !== null) {
    const path = join(mkdtempSync(join(tmpdir(), 'telltale-fuzz-')), 'finding');
    writeFileSync(path, bytes);
    console.error(`${fault}: ${path}`);
    process.exit(1);
  }
}
await engine.close();
console.log(`${rounds} rounds without a finding, slowest ${slowestMs.toFixed(0)} ms`);
