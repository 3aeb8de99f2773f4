// Lists who signed the Content Credentials of collected images: `node --import tsx eval/signers.ts FOLDER...`.
// Prints a table by signer and tool. Skips files whose bytes don't contain the name C2PA. Counts an image once if
// several folders contain it.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PACKAGE_TRUST_DIR } from '../src/library/base/package-paths.js';
import { createCredentialReader } from '../src/library/check/credentials/credentials.js';
import { createEngine } from '../src/library/engine/native/engine.js';

interface Row {
  pictures: number;
  ai: number;
  readonly states: Map<string, number>;
}

const folders = process.argv.slice(2);
if (folders.length === 0) {
  console.error('Usage: node --import tsx eval/signers.ts FOLDER...');
  process.exit(2);
}
const engine = await createEngine({ device: 'cpu', threads: 1 });
const reader = createCredentialReader({ shippedTrustDir: PACKAGE_TRUST_DIR });
const rows = new Map<string, Row>();
const seen = new Set<string>();

for (const folder of folders) {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = await readFile(join(entry.parentPath, entry.name));
    if (!bytes.includes('c2pa')) continue;
    const digest = createHash('sha256').update(bytes).digest('hex');
    if (seen.has(digest)) continue;
    seen.add(digest);
    const image = await engine.sniff(bytes).catch(() => null);
    const found = image && (await reader.read(bytes, image));
    if (!found) continue;
    const name = `${found.signer ?? 'nobody that can be read'} | ${found.tool ?? found.claimGenerator ?? 'none named'}`;
    const row = rows.get(name) ?? { pictures: 0, ai: 0, states: new Map<string, number>() };
    row.pictures += 1;
    row.ai += Number(found.ai);
    const state = found.trustTier === null ? found.state : `${found.state} (${found.trustTier})`;
    row.states.set(state, (row.states.get(state) ?? 0) + 1);
    rows.set(name, row);
  }
}
reader.close();
await engine.close();

console.log('| signer | tool | images | records AI | state (list) |\n|---|---|---|---|---|');
for (const [name, { pictures, ai, states }] of [...rows].sort(([, a], [, b]) => b.pictures - a.pictures)) {
  const listed = [...states].map(([state, count]) => `${state} ${count}`).join(', ');
  console.log(`| ${name} | ${pictures} | ${ai} | ${listed} |`);
}
