// Tests filtering the results of a scan by kinds of marks, over HTTP and by the typed client.
import assert from 'node:assert/strict';
import { Telltale, type ScanEntry } from '../../../client/src/index.js';
import { sharedPostgres } from '../../support/databases.js';
import { pngWith, tEXt } from '../../support/declared-images.js';
import { A1111, MIDJOURNEY } from '../../support/generator-layouts.js';
import { SCENE_JPEG } from '../../support/images.js';
import { openInternet, openScanBench, type Internet, type ScanBench } from '../../support/scans.js';

const DECLARED = pngWith(tEXt('parameters', A1111), tEXt('Description', MIDJOURNEY));
const DESCRIBED = pngWith(tEXt('Description', MIDJOURNEY));

describe('the filter of scan results by marks (signs of how an image was made)', function () {
  this.timeout(300_000);
  let bench: ScanBench;
  let internet: Internet;
  let key: string;
  let telltale: Telltale;
  let id: string;

  before(async function () {
    const postgres = await sharedPostgres();
    if (postgres === null) return this.skip();
    internet = await openInternet((req, res) => {
      const path = req.url ?? '';
      if (path.startsWith('/declared')) res.end(DECLARED);
      else if (path.startsWith('/described')) res.end(DESCRIBED);
      else if (path.startsWith('/scene')) res.end(SCENE_JPEG);
      else res.writeHead(404).end();
    });
    bench = await openScanBench(postgres);
    await bench.startWorker();
    key = await bench.service.newKey({ plan: 'scale' });
    telltale = new Telltale({ baseUrl: bench.service.url, apiKey: key });
    id = await scan(['declared', 'described', 'scene', 'missing'], ['marks']);
  });
  after(async () => {
    await bench.close();
    internet.close();
  });

  /**
   * Runs a scan of these images to its end, each with its name as reference, and returns the scan's
   * identifier.
   */
  async function scan(names: readonly string[], include: readonly ('marks' | 'warnings')[]): Promise<string> {
    const list = names.map((name) => ({
      url: `http://pictures.example.org:${internet.port}/${name}`,
      ref: name,
    }));
    const begun = await telltale.scans.create(list, { include });
    return (await telltale.scans.wait(begun.id)).id;
  }

  const ask = (query: string, of = id): Promise<Response> =>
    fetch(`${bench.service.url}/v1/scans/${of}/results?${query}`, {
      headers: { authorization: `Bearer ${key}` },
    });
  const refsOf = async (query: string): Promise<(string | undefined)[]> => {
    const response = await ask(query);
    assert.equal(response.status, 200);
    const lines = (await response.text()).split('\n').filter((line) => line !== '');
    return lines.map((line) => (JSON.parse(line) as ScanEntry).ref).sort();
  };

  it('returns the results with a mark of a requested kind, and no errors', async () => {
    assert.deepEqual(await refsOf('mark=generation_parameters'), ['declared']);
    assert.deepEqual(await refsOf('mark=job_id'), ['declared', 'described']);
    assert.deepEqual(await refsOf('mark=generation_parameters,job_id'), ['declared', 'described']);
    assert.deepEqual(await refsOf('mark=generation_parameters&mark=job_id'), ['declared', 'described']);
    assert.deepEqual(await refsOf('mark=watermark'), []);
    assert.deepEqual(await refsOf(''), ['declared', 'described', 'missing', 'scene']);
  });

  it('keeps the page boundaries, so that a page without matching results still leads to the next page', async () => {
    const before = await ask('cursor=0');
    const filtered = await ask('cursor=0&mark=watermark');
    assert.equal(filtered.headers.get('next-cursor'), before.headers.get('next-cursor'));
  });

  it('is supported by the client', async () => {
    const refs: (string | undefined)[] = [];
    for await (const entry of telltale.scans.results(id, { mark: ['job_id'] })) refs.push(entry.ref);
    assert.deepEqual(refs.sort(), ['declared', 'described']);
  });

  it('is refused for unknown kinds and for scans without marks', async () => {
    const other = await scan(['declared'], ['warnings']);
    const refused = await ask('mark=job_id', other);
    assert.equal(refused.status, 400);
    const { error } = (await refused.json()) as { error: { code: string; message: string; param: string } };
    assert.deepEqual([error.code, error.param], ['invalid_request', 'mark']);
    assert.match(error.message, /this scan did not search for them/);
    const unknown = await ask('mark=sparkle');
    assert.equal(unknown.status, 400);
    assert.match(await unknown.text(), /Expected one or more of visible, watermark, .* received 'sparkle'/);
    assert.equal((await ask('mark=')).status, 400);
  });
});
