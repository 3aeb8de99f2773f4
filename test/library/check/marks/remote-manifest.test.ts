// Tests finding the address of remote Content Credentials in a file.
import assert from 'node:assert/strict';
import { createChecker } from '../../../../src/library/check/checker.js';
import { findRemoteManifest } from '../../../../src/library/check/credentials/find-credentials.js';
import { presentCheck } from '../../../../src/library/check/present.js';
import { jpegWith, xmpSegment } from '../../../support/declared-images.js';
import { readFixture } from '../../../support/images.js';
import { modelsDir } from '../../../support/test-models.js';

const ADDRESS = 'https://example.org/manifests/photo.c2pa';

function packetOf(address: string): string {
  return `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dcterms="http://purl.org/dc/terms/" dcterms:provenance="${address}"/></rdf:RDF></x:xmpmeta>`;
}

function find(...packets: readonly string[]): string | null {
  return findRemoteManifest(packets.map((text) => ({ where: 'xmp', name: '', text })));
}

describe('the search for the address of a remote manifest', () => {
  it('returns an absolute http or https address of printable characters, as written in the file', () => {
    for (const address of [ADDRESS, 'http://example.org:8080/a?b=1', `https://e.org/${'a'.repeat(2034)}`])
      assert.equal(find(packetOf(address)), address);
    for (const address of [
      'self#jumbf=/c2pa/x',
      'file:///etc/passwd',
      'ftp://example.org/https://example.org/a',
      'https://example.org/a b',
      'https://example.org/ä',
      'https://',
      'https://a:b:c/',
      `https://e.org/${'a'.repeat(2035)}`,
      '',
    ])
      assert.equal(find(packetOf(address)), null, address);
  });

  it('covers every XMP packet, and no other metadata', () => {
    assert.equal(findRemoteManifest([{ where: 'png', name: 'xmp', text: packetOf(ADDRESS) }]), null);
    assert.equal(find('no packet', packetOf('file:///a'), packetOf(ADDRESS)), ADDRESS);
    assert.equal(find(packetOf(ADDRESS).replaceAll('provenance', 'source')), null);
    assert.equal(find(), null);
  });
});

describe('the address of a remote manifest', () => {
  const point = (address: string): Uint8Array => jpegWith([xmpSegment(packetOf(address))]);

  it('is reported in the details and changes nothing else', async () => {
    const checker = await createChecker({ modelsDir, device: 'cpu', threads: 1 });
    try {
      const told = async (file: Uint8Array): Promise<unknown> => {
        const { details, ...result } = presentCheck(await checker.check(file), { include: ['credentials'] });
        assert.deepEqual(result.content_credentials, { found: false });
        assert.ok(details);
        assert.equal(details.credentials, null);
        return details.remote_manifest;
      };
      assert.equal(await told(point(ADDRESS)), ADDRESS);
      assert.equal(await told(point('file:///etc/passwd')), null);
      assert.equal(await told(readFixture('jpeg/scene.jpg')), null);
    } finally {
      await checker.close();
    }
  });
});
