// Tests the names under which the history shows images.
import assert from 'node:assert/strict';
import { nameOfAddress, nameOfFile } from '../../../src/accounts/history/image-name.js';

describe('the displayed name of an image', () => {
  it('is the name of an uploaded file without folders, on one line, of at most 200 characters', () => {
    assert.equal(nameOfFile('C:\\Users\\ann\\secret client\\one.jpg'), 'one.jpg');
    assert.equal(nameOfFile('/home/ann/two\u202e.png'), 'two .png');
    assert.equal(nameOfFile('/home/ann/'), null);
    assert.equal([...(nameOfFile('a'.repeat(100_000)) ?? '')].length, 200);
  });

  it('is the host and last path segment of an image address, without query, password and folders', () => {
    assert.equal(
      nameOfAddress('https://ann:pw@news.example/a/b/c%20d.jpg?token=1#x'),
      'news.example/c d.jpg',
    );
    assert.equal(nameOfAddress('https://news.example:8443/?token=1'), 'news.example:8443');
    assert.equal(nameOfAddress('https://news.example/%ff.jpg'), 'news.example/%ff.jpg');
  });
});
