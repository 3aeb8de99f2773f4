// Tests hostile metadata: limits apply, malformed parts are skipped, and the text before them counts.
import assert from 'node:assert/strict';
import { readMarks } from '../../../../src/library/check/marks/marks.js';
import { newXmpBudget, readXmp } from '../../../../src/library/check/marks/xmp.js';
import { createEngine } from '../../../../src/library/engine/native/engine.js';
import type { Engine } from '../../../../src/library/engine/types.js';
import {
  exifBlock,
  exifSegment,
  iTXt,
  jpegWith,
  pngChunk,
  pngWith,
  tEXt,
  xmpPacket,
  zTXt,
} from '../../../support/declared-images.js';
import { modelsDir } from '../../../support/test-models.js';

const CREDIT = '<rdf:li/></rdf:Seq></dc:creator><photoshop:Credit>late</photoshop:Credit>';

describe('limits on reading image metadata', () => {
  let engine: Engine;
  before(async () => {
    engine = await createEngine({ modelsDir, device: 'cpu', threads: 1 });
  });
  after(() => engine.close());

  it('keep at most 1,000 texts per file', async () => {
    const chunks = Array.from({ length: 1_050 }, (_, at) => tEXt(`k${at}`, 'text'));
    assert.equal((await engine.readMetadata(pngWith(...chunks))).length, 1_000);
  });

  it('cut a text at 64 kB, even if it decompresses to much more', async () => {
    const bomb = zTXt('bomb', 'x'.repeat(50_000_000));
    const [inflated, plain] = await engine.readMetadata(pngWith(bomb, tEXt('long', 'y'.repeat(200_000))));
    assert.deepEqual([inflated?.text.length, plain?.text.length], [65_536, 65_536]);
  });

  it('keep at most 2 MB of text and read at most 16 MB', async () => {
    const megabyte = 'z'.repeat(1_000_000);
    const packets = Array.from({ length: 6 }, () => iTXt('XML:com.adobe.xmp', megabyte));
    assert.equal((await engine.readMetadata(pngWith(...packets))).length, 4);
    const seventeen = Array.from({ length: 17 }, (_, at) => tEXt(`k${at}`, megabyte));
    assert.equal((await engine.readMetadata(pngWith(...seventeen))).length, 15);
  });

  it('stop reading XMP at a depth of 64 and after 5,000 elements', () => {
    const deep = xmpPacket(
      `${'<dc:a>'.repeat(100)}${'</dc:a>'.repeat(100)}<photoshop:Credit>late</photoshop:Credit>`,
    );
    assert.deepEqual(readXmp(deep), []);
    const wide = xmpPacket(`<dc:creator><rdf:Seq>${'<rdf:li/>'.repeat(5_001)}${CREDIT}`);
    assert.deepEqual(readXmp(wide), []);
    const allowed = xmpPacket(`<dc:creator><rdf:Seq>${'<rdf:li/>'.repeat(4_900)}${CREDIT}`);
    assert.deepEqual(readXmp(allowed), [{ where: 'xmp:photoshop:Credit', text: 'late' }]);
  });

  it('count the attributes of an XMP element before the element ends', () => {
    const attributes = Array.from({ length: 75_000 }, (_, at) => `a${at}=""`).join(' ');
    const budget = newXmpBudget();
    const packet = xmpPacket(`<photoshop:Credit>early</photoshop:Credit><dc:a ${attributes}/>`);
    assert.deepEqual(readXmp(packet, budget), [{ where: 'xmp:photoshop:Credit', text: 'early' }]);
    assert.equal(budget.tags, -1);
  });

  it('allow all XMP packets of an image together 100,000 characters and 5,000 elements', () => {
    const credit = xmpPacket('<photoshop:Credit>Made with Google AI</photoshop:Credit>');
    const marksAfter = (packet: string): number =>
      readMarks([packet, credit].map((text) => ({ where: 'xmp', name: '', text }))).length;
    assert.equal(marksAfter(`<a>${'x'.repeat(99_000)}</a>`), 1);
    assert.equal(marksAfter(`<a>${'x'.repeat(100_000)}</a>`), 0);
    assert.equal(marksAfter(`<a>${'<b/>'.repeat(4_900)}</a>`), 1);
    assert.equal(marksAfter(`<a>${'<b/>'.repeat(5_000)}</a>`), 0);
  });

  it('still allow reading the edit history after Photoshop’s list of thousands of ancestors', () => {
    const ancestors = '<rdf:li>xmp.did:01801174072068118083C4AFD16C4F62</rdf:li>'.repeat(7_000);
    const packet = xmpPacket(
      `<photoshop:DocumentAncestors><rdf:Bag>${ancestors}</rdf:Bag></photoshop:DocumentAncestors>` +
        '<xmpMM:History><rdf:Seq><rdf:li stEvt:parameters="Generative Fill"/></rdf:Seq></xmpMM:History>',
      'xmp:CreatorTool="Adobe Photoshop 25.0"',
    );
    assert.deepEqual(readXmp(packet), [
      { where: 'xmp:xmp:CreatorTool', text: 'Adobe Photoshop 25.0' },
      { where: 'xmp:stEvt:parameters', text: 'Generative Fill' },
    ]);
  });

  it('keep the text before an XML error, and expand no entity', () => {
    const entities = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>';
    assert.deepEqual(readXmp(`${entities}<x>&b;</x>`), []);
    const torn = xmpPacket('<photoshop:Credit>whole</photoshop:Credit><dc:rights>').replace(
      /<\/rdf:Desc.*/,
      '',
    );
    assert.deepEqual(readXmp(torn), [{ where: 'xmp:photoshop:Credit', text: 'whole' }]);
    for (const packet of ['', '<', '\0\0', 'no xml', '<a', '<a xmlns:b=""/>'])
      assert.deepEqual(readXmp(packet), []);
  });

  it('skip EXIF data with invalid or circular offsets', async () => {
    const outside = exifBlock({ 0x0131: 'a name that is longer than four bytes' });
    outside.writeUInt32LE(0xffff_fff0, 18);
    assert.deepEqual(await engine.readMetadata(jpegWith([exifSegment(outside)])), []);
    const circle = exifBlock({ 0x8769: 8, 0x0131: 'GIMP' });
    assert.equal((await engine.readMetadata(jpegWith([exifSegment(circle)]))).length, 1);
    assert.deepEqual(await engine.readMetadata(jpegWith([exifSegment(Buffer.from('II*\0'))])), []);
  });

  it('hold for every truncation and many mutations of a file with all kinds of metadata', async () => {
    const file = pngWith(
      tEXt('parameters', 'Steps: 1, Sampler: x'),
      zTXt('Comment', 'text'),
      iTXt('XML:com.adobe.xmp', xmpPacket('<dc:title>t</dc:title>'), true),
      pngChunk('eXIf', exifBlock({ 0x0131: 'GIMP 2.10' }, { 0x9286: Buffer.from('ASCII\0\0\0text') })),
    ).subarray(0, 2000);
    for (let end = 0; end <= file.length; end += 1)
      readMarks(await engine.readMetadata(file.subarray(0, end)));
    let state = 1;
    for (let round = 0; round < 3000; round += 1) {
      const mutated = Buffer.from(file);
      for (let change = 0; change < 4; change += 1) {
        state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
        mutated[state % mutated.length] = (state >> 8) & 255;
      }
      readMarks(await engine.readMetadata(mutated));
    }
  });
});
