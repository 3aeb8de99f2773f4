// Tests remote Content Credentials: fetched from a real host if allowed, otherwise reported by their address.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkImage } from '../../../../src/library/check/check.js';
import { createChecker, type Checker } from '../../../../src/library/check/checker.js';
import type { FetchManifest } from '../../../../src/library/check/credentials/find-credentials.js';
import type { CheckReport } from '../../../../src/library/check/report.js';
import { createFetchAllow } from '../../../../src/service/outbound/fetch-allow.js';
import { createImageFetcher, type ImageFetcher } from '../../../../src/service/outbound/fetch-image.js';
import { signApart, type SignedImage } from '../../../support/sign.js';
import { GENERATED, openStudio, SIGNABLE, type Studio } from '../../../support/studio.js';
import { modelsDir } from '../../../support/test-models.js';

describe('the remote manifest of an image', () => {
  let studio: Studio;
  let checker: Checker;
  let server: Server;
  let fetcher: ImageFetcher;
  let signed: SignedImage;
  /** Body of the host's response. If null, the host never responds. */
  let body: Uint8Array | null;
  let asked = 0;

  before(async () => {
    server = createServer((_request, response) => {
      asked += 1;
      if (body !== null) response.end(body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const remoteUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/photo.c2pa`;
    [studio, checker] = await Promise.all([
      openStudio(),
      createChecker({ modelsDir, device: 'cpu', threads: 1 }),
    ]);
    fetcher = createImageFetcher({ allow: createFetchAllow(['127.0.0.1/32']), timeoutMs: 60_000 });
    const image = { buffer: await studio.picture('jpeg'), mimeType: SIGNABLE.jpeg.mimeType };
    const { signer } = studio;
    signed = await signApart(image, { signer, actions: [GENERATED], remoteUrl, embed: false });
  });
  beforeEach(() => {
    body = signed.manifest;
    asked = 0;
  });
  after(async () => {
    await Promise.all([fetcher.close(), checker.close(), studio.close()]);
    server.closeAllConnections();
    server.close();
  });

  const check = async (fetchManifest?: FetchManifest, deadlineMs?: number): Promise<CheckReport> =>
    checkImage(
      { engine: checker.engine, bands: checker.bands, credentials: studio.reader, fetchManifest },
      { bytes: signed.picture, ...(deadlineMs !== undefined && { deadlineMs }) },
    );

  it('is fetched only if the operator allows it', async () => {
    const { credentials, remoteManifest } = await check();
    assert.deepEqual([credentials, asked], [{ found: false }, 0]);
    assert.match(remoteManifest ?? '', /photo\.c2pa$/);
  });

  it('counts like an embedded manifest, and its address is reported', async () => {
    const { credentials, remoteManifest, isAi } = await check(fetcher.fetchManifest);
    assert.ok(credentials.found);
    assert.deepEqual([credentials.state, credentials.aiClaim, isAi], ['verified', 'generated', true]);
    assert.match(remoteManifest ?? '', /photo\.c2pa$/);
  });

  it('is ignored if it belongs to another image', async () => {
    const other = { buffer: await studio.picture('png'), mimeType: SIGNABLE.png.mimeType };
    const { signer } = studio;
    body = (await signApart(other, { signer, actions: [GENERATED] })).manifest;
    const { credentials } = await check(fetcher.fetchManifest);
    assert.ok(credentials.found);
    assert.notEqual(credentials.state, 'verified');
    assert.equal(credentials.aiCounts, false);
  });

  it('changes nothing in the check if the manifest is too large, invalid or never arrives', async () => {
    body = Buffer.alloc(1_048_577);
    assert.deepEqual((await check(fetcher.fetchManifest)).credentials, { found: false });
    body = Buffer.from('not a manifest');
    const { credentials } = await check(fetcher.fetchManifest);
    assert.equal(credentials.found && credentials.state, 'unreadable');
    body = null;
    const late = await check(fetcher.fetchManifest, 60_000 / 4);
    assert.deepEqual(late.credentials, { found: false });
    assert.equal(typeof late.fullImageScore, 'number');
  });

  it('is not fetched from a non-public address', async () => {
    const guarded = createImageFetcher();
    try {
      assert.deepEqual((await check(guarded.fetchManifest)).credentials, { found: false });
      assert.equal(asked, 0);
    } finally {
      await guarded.close();
    }
  });
});
