// Tests reading labelled data sets from folders and CSV files, and the errors in them.
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadDataset } from '../../../src/calibration/evaluation/dataset.js';
import { makeFolder } from '../../support/folders.js';

describe('the reader of a labelled data set', () => {
  const { signal } = new AbortController();
  const folder = makeFolder('dataset');
  before(async () => {
    for (const name of [
      'set/real/camera/a.jpg',
      'set/real/b.png',
      'set/ai/flux/c.webp',
      'set/ai/notes.txt',
    ]) {
      await mkdir(join(folder, name, '..'), { recursive: true });
      await writeFile(join(folder, name), '');
    }
  });

  it('accepts a folder with the subfolders real and ai', async () => {
    const images = await loadDataset([join(folder, 'set')], signal);
    assert.deepEqual(
      images.map(({ path, isAi, source, group }) => [path.slice(folder.length), isAi, source, group]),
      [
        ['/set/real/b.png', false, 'set/real', 'set/real'],
        ['/set/real/camera/a.jpg', false, 'camera', 'camera'],
        ['/set/ai/flux/c.webp', true, 'flux', 'flux'],
      ],
    );
  });

  it('accepts a CSV file', async () => {
    const path = join(folder, 'set.csv');
    const rows = [
      'file,label,repo,generator,kind,content',
      'x/a.jpg,real,r1,,camera,art',
      '"/b,c.jpg",swapped,r2,dfdc,,',
    ];
    await writeFile(path, `\ufeff${rows.join('\r\n')}\r\n`);
    assert.deepEqual(await loadDataset([path], signal), [
      {
        path: join(folder, 'x/a.jpg'),
        isAi: false,
        source: 'r1',
        group: 'r1',
        kind: 'camera',
        content: 'art',
      },
      { path: '/b,c.jpg', isAi: true, source: 'r2', group: 'dfdc', kind: '', content: '' },
    ]);
  });

  it('accepts tables exported from spreadsheets, with semicolons, tabs, UTF-16, blanks and capitals in the header', async () => {
    const path = join(folder, 'spreadsheet.csv');
    const rows = [' File ;LABEL;Kind', 'a,1.jpg;real;camera', ' ü.jpg ;ai;'];
    const text = rows.join('\r\n');
    const tabs = text.replaceAll(';', '\t');
    for (const bytes of [Buffer.from(text), Buffer.from(`\uFEFF${tabs}`, 'utf16le')]) {
      await writeFile(path, bytes);
      assert.deepEqual(
        (await loadDataset([path], signal)).map(({ path: name, isAi, kind }) => [name, isAi, kind]),
        [
          [join(folder, 'a,1.jpg'), false, 'camera'],
          [join(folder, 'ü.jpg'), true, ''],
        ],
      );
    }
  });

  it('counts an image that is listed twice once, and refuses an image listed both as real and as AI', async () => {
    const [set, list, other] = [join(folder, 'set'), join(folder, 'twice.csv'), join(folder, 'other.csv')];
    await writeFile(list, 'path,label,source\nset/real/b.png,real,r1\nd.jpg,ai,r2\nd.jpg,fake,r3\n');
    const images = await loadDataset([set, list], signal);
    assert.deepEqual(
      images.map(({ path, source }) => [path.slice(folder.length), source]),
      [
        ['/set/real/b.png', 'set/real'],
        ['/set/real/camera/a.jpg', 'camera'],
        ['/set/ai/flux/c.webp', 'flux'],
        ['/d.jpg', 'r2'],
      ],
    );
    await writeFile(other, 'path,label\nset/real/b.png,ai\n');
    await assert.rejects(loadDataset([list, other], signal), {
      code: 'invalid_request',
      message: `${join(folder, 'set/real/b.png')} is labelled both real and AI`,
    });
  });

  it('explains what is wrong with an invalid data set', async () => {
    const path = join(folder, 'bad.csv');
    await assert.rejects(loadDataset([join(folder, 'none')], signal), { code: 'not_found' });
    await assert.rejects(loadDataset([join(folder, 'set/ai')], signal), /holds no images/);
    await writeFile(path, 'path,label\na.jpg,genuine\n');
    await assert.rejects(
      loadDataset([path], signal),
      /row 1: Expected one of real, ai.* but received 'genuine'/,
    );
    await writeFile(path, 'name,label\na.jpg,real\n');
    await assert.rejects(loadDataset([path], signal), /row 1: Expected a path/);
    await writeFile(path, 'path,label\n"a.jpg,real\n');
    await assert.rejects(loadDataset([path], signal), /is not a CSV file/);
    await writeFile(path, 'path,label\n');
    await assert.rejects(loadDataset([path], signal), /has no rows/);
  });
});
