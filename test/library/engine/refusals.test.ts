// The sentences for refusals of the native engine.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeRefusal, REFUSAL_NAMES } from '../../../src/library/engine/native/refusals.js';
import { ROOT } from '../../support/telltale.js';

/** Text literals of the native sources, without tests and fuzzers. */
const literals = new Set(
  ['base', 'engine', 'image'].flatMap((folder) =>
    readdirSync(join(ROOT, 'native', folder)).flatMap((name) => {
      const text = readFileSync(join(ROOT, 'native', folder, name), 'utf8');
      return [...text.matchAll(/"([^"\n]*)"/g)].map(([, literal]) => literal!);
    }),
  ),
);

/** Names that native sources give where they refuse an image or a job. */
function findNamesUsed(): string[] {
  const refusal =
    /(?:Contradiction\([^"();]*|Unsupported(?:Bmp|Tiff)\(|k(?:UnsupportedFormat|ImageCorrupt|ImageTooManyPixels|Cancelled|DeadlineExceeded),\s*|\bkind = )"([^"]+)"/g;
  return readdirSync(join(ROOT, 'native/image'))
    .map((name) => readFileSync(join(ROOT, 'native/image', name), 'utf8'))
    .flatMap((text) => [...text.matchAll(refusal)].map(([, name]) => name!));
}

describe('the messages for images that the native code refuses', () => {
  it('exist for every refusal name in the native image code', () => {
    const names = findNamesUsed();
    assert.ok(names.length > 30, String(names.length));
    assert.deepEqual(
      names.filter((name) => !REFUSAL_NAMES.includes(name)),
      [],
    );
  });

  it('belong only to refusal names that the native code uses', () => {
    assert.deepEqual(
      REFUSAL_NAMES.filter((name) => !literals.has(name)),
      [],
    );
  });

  it('name the values and say what to send', () => {
    assert.equal(
      describeRefusal('tiff_float', ['32']),
      'TIFF files with 32-bit float samples are not supported. Save the image with 8 or 16 bits per sample, without floats.',
    );
    for (const name of REFUSAL_NAMES)
      assert.match(describeRefusal(name, ['jpeg', '8']), /^(?!.*undefined)[A-Z].*\.$/, name);
  });

  it('leave every other text unchanged', () => {
    assert.equal(describeRefusal('out of memory'), 'out of memory');
    assert.equal(describeRefusal('constructor'), 'constructor');
  });
});
