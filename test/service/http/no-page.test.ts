// Tests an unknown path: browsers get an HTML page, programs get JSON.
import assert from 'node:assert/strict';
import { assertError, describeServiceOnEachDatabase, send } from '../../support/service.js';

/** Accept header of Firefox and Chromium when they open a page. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

describeServiceOnEachDatabase('an unknown path', (bench) => {
  const visit = (path: string, accept = BROWSER, method = 'GET'): Promise<Response> =>
    fetch(bench().url + path, { method, headers: { accept } });

  it('shows browsers a page that links to the console and does not repeat the path', async () => {
    for (const path of ['/nothing', '/pictures/chk_1', '/%3Cscript%3Ealert(1)', '/login.php?a=hidden']) {
      const answer = await visit(path);
      assert.equal(answer.status, 404, path);
      assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
      assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      assert.match(answer.headers.get('vary') ?? '', /Accept/);
      assert.match(answer.headers.get('x-request-id') ?? '', /^req_/);
      const text = await answer.text();
      assert.match(text, /<a href="\/">/);
      assert.doesNotMatch(text, /script|hidden|chk_1/);
    }
    const head = await visit('/nothing', BROWSER, 'HEAD');
    assert.deepEqual([head.status, await head.text()], [404, '']);
    assert.ok(bench().logged.some((line) => line.includes('"not_found"')));
  });

  it('returns a JSON error to programs, and always does so below the API’s paths', async () => {
    for (const [path, accept] of [
      ['/nothing', '*/*'],
      ['/nothing', 'application/json'],
      ['/nothing', 'application/json, text/html;q=0.5'],
      ['/v1/nothing', BROWSER],
      ['/console/api/nothing', BROWSER],
      ['/console/assets/nothing.js', BROWSER],
    ] as const)
      assertError(await send(bench().url + path, { headers: { accept } }), 404, 'not_found');
    assertError(
      await send(`${bench().url}/nothing`, { method: 'POST', headers: { accept: BROWSER } }),
      404,
      'not_found',
    );
    assertError(
      await send(`${bench().url}/checks`, { method: 'POST', headers: { accept: BROWSER } }),
      405,
      'method_not_allowed',
    );
  });
});
