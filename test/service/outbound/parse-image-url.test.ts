// Tests which values of image_url are valid, before anything is fetched.
import assert from 'node:assert/strict';
import { parseImageUrl } from '../../../src/service/outbound/fetch-image.js';

describe('the address given as image_url', () => {
  it('is refused if a web address is only part of it, or if it has a password without a user name', () => {
    for (const text of ['ftp://a.org/?http://b.org/', 'javascript:http://b.org/', 'http://:p@a.org/'])
      assert.throws(() => parseImageUrl(text), { code: 'invalid_url' }, text);
  });

  it('may have up to 8192 characters', () => {
    const longest = `http://a.org/${'a'.repeat(8192 - 13)}`;
    assert.equal(parseImageUrl(longest).href, longest);
    assert.throws(() => parseImageUrl(`${longest}a`), { code: 'invalid_url' });
  });

  it('is refused if it is a data: address, with an explanation of what to send instead', () => {
    assert.throws(() => parseImageUrl('data:image/png;base64,AAAA'), { message: /Send .* as image_b64/ });
    assert.equal(parseImageUrl('http://a.org/data:x').pathname, '/data:x');
  });

  it('must be an absolute http or https address', () => {
    assert.equal(parseImageUrl('HTTPS://Example.org/a b').href, 'https://example.org/a%20b');
    const refused = ['', 'a.jpg', '//example.org/a', 'http:example.org', 'http:///a', 'ftp://a.org/', 'file:///etc/passwd', 'data:,a', 'javascript:1', 'http://u@a.org/', 'http://u:p@a.org/', `http://a.org/${'a'.repeat(9000)}`, 'http://[::1', 'http://a.org:99999/'];
    for (const text of refused) assert.throws(() => parseImageUrl(text), { code: 'invalid_url' }, text);
  }); // prettier-ignore
});
