// Tests reading XMP packets: which values count, how they are named, and where reading ends.
import assert from 'node:assert/strict';
import { readXmp } from '../../../../src/library/check/marks/xmp.js';

const NAMESPACES =
  'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/" ' +
  'xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"';
const packet = (inside: string, attributes = ''): string =>
  `<rdf:RDF ${NAMESPACES}><rdf:Description ${attributes}>${inside}</rdf:Description></rdf:RDF>`;
const read = (inside: string, attributes = ''): readonly string[] =>
  readXmp(packet(inside, attributes)).map(({ where, text }) => `${where} ${text}`);
const DC = 'xmlns:dc="http://purl.org/dc/elements/1.1/"';

describe('the XMP reader', () => {
  it('reads values from elements, attributes, lists and character data, without surrounding blanks', () => {
    assert.deepEqual(read('<dc:title> a\n</dc:title>', 'photoshop:Credit=" b "'), [
      'xmp:photoshop:Credit b',
      'xmp:dc:title a',
    ]);
    assert.deepEqual(
      read('<dc:creator><rdf:Seq><rdf:li>c</rdf:li><rdf:li>d</rdf:li></rdf:Seq></dc:creator>'),
      ['xmp:dc:creator c', 'xmp:dc:creator d'],
    );
    assert.deepEqual(read('<dc:title><![CDATA[<e>]]></dc:title>'), ['xmp:dc:title <e>']);
  });

  it('ignores empty values and unknown namespaces', () => {
    assert.deepEqual(read('<dc:title/><dc:rights> \n</dc:rights>', 'photoshop:Credit=""'), []);
    assert.deepEqual(read('<x xmlns="urn:other" a="b">c</x>', 'about="d"'), []);
    assert.deepEqual(read('e<rdf:li>f</rdf:li>'), []);
  });

  it('names a value by the standard prefix, whatever prefix the file uses', () => {
    const other = '<o:title xmlns:o="http://purl.org/dc/elements/1.1/">a</o:title>';
    assert.deepEqual(read(other), ['xmp:dc:title a']);
    assert.deepEqual(read('<dc:title xmlns:dc="urn:other">a</dc:title>'), []);
  });

  it('reads an rdf:resource attribute as the value of its element', () => {
    assert.deepEqual(read('<dc:source rdf:resource="a"/>'), ['xmp:dc:source a']);
    assert.deepEqual(read('<dc:source rdf:parseType="Resource"/>'), []);
    assert.deepEqual(read('<dc:source resource="b"/>'), []);
    assert.deepEqual(read('<dc:source photoshop:resource="c"/>'), ['xmp:photoshop:resource c']);
  });

  it('reads an XMP packet that has other content around its root element', () => {
    const found = [{ where: 'xmp:dc:title', text: 'a' }];
    const inside = packet('<dc:title>a</dc:title>');
    assert.deepEqual(readXmp(`\n<?xpacket begin=""?>\n${inside}\n<?xpacket end="w"?>\n`), found);
    assert.deepEqual(readXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${inside}</x:xmpmeta>`), found);
  });

  it('reads at most sixty-four levels', () => {
    const nested = (levels: number): string =>
      `<dc:a ${DC}>${'<dc:a>'.repeat(levels - 1)}x${'</dc:a>'.repeat(levels)}`;
    assert.deepEqual(readXmp(nested(64)), [{ where: 'xmp:dc:a', text: 'x' }]);
    assert.deepEqual(readXmp(nested(65)), []);
  });

  it('counts elements, attributes and characters against the limit that all packets of an image share', () => {
    const text = `<dc:a ${DC}><dc:title>t</dc:title></dc:a>`;
    const budget = { tags: 3, characters: text.length };
    assert.deepEqual(readXmp(text, budget), [{ where: 'xmp:dc:title', text: 't' }]);
    assert.deepEqual(budget, { tags: 0, characters: 0 });
    assert.deepEqual(readXmp(text, { tags: 2, characters: text.length }), []);
    assert.deepEqual(readXmp(text, { tags: 3, characters: text.indexOf('</dc:title>') }), []);
    assert.deepEqual(readXmp(text, budget), []);
  });

  it('keeps at most 65,536 characters of a value', () => {
    const long = 'y'.repeat(70_000);
    for (const [inside, attributes] of [
      ['', `photoshop:Credit="${long}"`],
      [`<dc:title>${long}</dc:title>`, ''],
    ] as const)
      // prettier-ignore
      assert.deepEqual(readXmp(packet(inside, attributes)).map(({ text }) => text.length), [65_536]);
  });

  it("skips Photoshop's list of ancestors only if the list is complete", () => {
    const list = '<photoshop:DocumentAncestors><rdf:Bag><rdf:li>a</rdf:li></rdf:Bag>';
    const credit = '<photoshop:Credit>b</photoshop:Credit>';
    assert.deepEqual(read(`${list}</photoshop:DocumentAncestors>${credit}`), ['xmp:photoshop:Credit b']);
    assert.deepEqual(read(`${credit}${list}`), [
      'xmp:photoshop:Credit b',
      'xmp:photoshop:DocumentAncestors a',
    ]);
  });
});
