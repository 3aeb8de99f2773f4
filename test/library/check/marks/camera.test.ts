// Tests which EXIF data count as a camera: enough settings and a plausible name.
import assert from 'node:assert/strict';
import { readMarks } from '../../../../src/library/check/marks/marks.js';
import type { Mark } from '../../../../src/library/check/types.js';

function findMark(texts: Readonly<Record<string, string>>): Mark | undefined {
  const marks = readMarks(Object.entries(texts).map(([name, text]) => ({ where: 'exif', name, text })));
  return marks.find(({ kind }) => kind === 'camera');
}
const find = (texts: Readonly<Record<string, string>>): string | null => findMark(texts)?.value ?? null;
const EXPOSURE = { ExposureTime: '1/200', FNumber: '2.8' };
const CAMERA = { Make: 'Canon', Model: 'EOS R6', ...EXPOSURE };

describe('the camera named in an image’s EXIF data', () => {
  it('is shown by manufacturer and model, without repeating the manufacturer', () => {
    assert.deepEqual(findMark(CAMERA), {
      kind: 'camera',
      generator: null,
      says: 'camera',
      where: 'exif:Model',
      value: 'Canon EOS R6',
    });
    assert.equal(find({ ...CAMERA, Make: ' Canon ', Model: ' EOS R6\n' }), 'Canon EOS R6');
    assert.equal(find({ ...CAMERA, Make: 'CANON', Model: 'Canon EOS R6' }), 'Canon EOS R6');
    assert.equal(find({ ...CAMERA, Make: 'canon', Model: 'Canon EOS R6' }), 'Canon EOS R6');
    assert.equal(find({ ...CAMERA, Make: 'R6', Model: 'EOS R6' }), 'R6 EOS R6');
  });

  it('counts only if the EXIF data also contains two exposure settings of any kind', () => {
    const { Make, Model } = CAMERA;
    assert.equal(find({ Make, Model, ISO: '100', FocalLength: '50' }), 'Canon EOS R6');
    assert.equal(find({ Make, Model, ISO: '100' }), null);
    assert.equal(find({ Make, Model }), null);
    assert.equal(find({ Make, Model, ISO: '100', Software: 'x', Artist: 'y' }), null);
  });

  it('is ignored if its name is missing, too long or looks like a prompt', () => {
    for (const name of ['Make', 'Model'] as const) {
      for (const text of ['', ' ', 'x'.repeat(65), '{"prompt":1}', 'prompt:{'])
        assert.equal(find({ ...CAMERA, [name]: text }), null, `${name} ${text}`);
      assert.notEqual(find({ ...CAMERA, [name]: 'x'.repeat(64) }), null);
      const without = Object.entries(CAMERA).filter(([other]) => other !== name);
      assert.equal(find(Object.fromEntries(without)), null, name);
    }
  });
});
