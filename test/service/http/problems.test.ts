// Tests errors in the format of RFC 9457 if Accept requests it, security.txt, and Deprecation headers.
import assert from 'node:assert/strict';
import { openBench, postForm, send, type ServiceBench } from '../../support/service.js';

describe('the service’s standard formats for errors and contacts', () => {
  let bench: ServiceBench;
  let key: string;
  before(async () => {
    bench = await openBench('sqlite', {
      securityContacts: ['mailto:security@desk.example', 'https://desk.example/report'],
      publicUrl: 'https://telltale.example',
    });
    key = await bench.newKey();
  });
  after(() => bench.close());

  const ask = (accept: string | null, path = '/v1/check') =>
    postForm(
      `${bench.url}${path}`,
      key,
      'file',
      [Buffer.from('no image')],
      {},
      accept === null ? {} : { accept },
    );

  it('include application/problem+json, only for clients that request it', async () => {
    for (const accept of [
      'application/problem+json',
      'application/problem+json, application/json',
      'application/problem+json, */*;q=0.1',
    ]) {
      const { status, headers, body } = await ask(accept, '/v1/check?ref=secret');
      assert.match(headers.get('content-type')!, /^application\/problem\+json/, accept);
      assert.equal(headers.get('vary'), 'Accept');
      const requestId = headers.get('x-request-id');
      const { detail, ...others } = body as unknown as Record<string, unknown>;
      assert.match(String(detail), /JPEG, PNG/);
      assert.deepEqual(others, {
        type: '/problems/unsupported_format',
        title: 'Unsupported format',
        status,
        instance: `/v1/check#${requestId}`,
        code: 'unsupported_format',
        param: 'file',
        request_id: requestId,
      });
    }
    for (const accept of [
      null,
      '*/*',
      'application/json',
      'application/json, application/problem+json',
      'text/html',
      'application/*',
      ';;,',
      'application/problem+json;q=0.5, application/json',
    ]) {
      const { headers, body } = await ask(accept);
      assert.match(headers.get('content-type')!, /^application\/json/, String(accept));
      assert.deepEqual(Object.keys(body), ['error']);
    }
    const results = await postForm(
      `${bench.url}/v1/check/batch`,
      key,
      'files',
      [Buffer.from('x')],
      {},
      { accept: 'application/problem+json' },
    );
    assert.equal(results.body.results[0]?.error?.code, 'unsupported_format');
    const lost = await send(`${bench.url}/v1/nothing`, { headers: { accept: 'application/problem+json' } });
    assert.deepEqual([lost.status, (lost.body as unknown as { code: string }).code], [404, 'not_found']);
  });

  it('include an explanation of each error code under /problems/CODE', async () => {
    const answer = await fetch(`${bench.url}/problems/image_too_small`);
    assert.match(answer.headers.get('content-type')!, /^text\/plain/);
    assert.equal(
      await answer.text(),
      'image_too_small (422): the shorter side of the image is less than 256 px\n',
    );
    assert.equal((await fetch(`${bench.url}/problems/constructor`)).status, 404);
  });

  it('include the vulnerability contact in security.txt if a contact is configured', async () => {
    const answer = await fetch(`${bench.url}/.well-known/security.txt`);
    const text = await answer.text();
    const [, expires = ''] = /^Expires: (\S+)$/m.exec(text) ?? [];
    assert.equal(
      text,
      'Contact: mailto:security@desk.example\nContact: https://desk.example/report\n' +
        `Expires: ${expires}\nCanonical: https://telltale.example/.well-known/security.txt\n`,
    );
    const days = (Date.parse(expires) - Date.now()) / 86_400_000;
    assert.ok(days > 178 && days <= 180, expires);
    const plain = await openBench();
    const absent = await fetch(`${plain.url}/.well-known/security.txt`);
    assert.equal(absent.status, 404);
    await plain.close();
  });
});
