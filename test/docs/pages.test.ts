// The documentation as a whole: one page to begin with, every other page within reach of it, every link of them good.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ROOT } from '../support/telltale.js';

/** Texts of every Markdown page that links lead to from the README, by path below the project's folder. */
function followPages(): Map<string, string> {
  const pages = new Map<string, string>();
  const follow = (path: string): void => {
    if (pages.has(path) || !existsSync(join(ROOT, path))) return;
    pages.set(path, readFileSync(join(ROOT, path), 'utf8'));
    for (const { file } of linksOf(path, pages.get(path)!)) if (file.endsWith('.md')) follow(file);
  };
  follow('README.md');
  return pages;
}

/** Relative links and images of a page outside code: the file below the project's folder, and the anchor or ''. */
function linksOf(path: string, text: string): { file: string; anchor: string }[] {
  const prose = text.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)]
    .map(([, markdown, html]) => markdown ?? html!)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file, anchor] = target.split('#') as [string, string?];
      return {
        file: file ? relative(ROOT, join(ROOT, dirname(path), file)) : path,
        anchor: anchor ?? '',
      };
    });
}

/** What links may name of a page: its headings in small letters, without signs, dashes for spaces. */
function anchorsOf(text: string): string[] {
  const headings = [...text.replace(/^```.*?^```/gms, '').matchAll(/^#+ (.+)$/gm)];
  return headings.map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('the documentation', () => {
  const pages = followPages();

  it('has no link that leads nowhere', () => {
    const dead = [...pages].flatMap(([path, text]) =>
      linksOf(path, text)
        .filter(
          ({ file, anchor }) =>
            !existsSync(join(ROOT, file)) || (anchor && !anchorsOf(pages.get(file) ?? '').includes(anchor)),
        )
        .map(({ file, anchor }) => `${path}: ${file}#${anchor}`),
    );
    assert.deepEqual(dead, []);
  });

  it('names no file of the project that is not there', () => {
    const folders = 'bench|client|client-python|console|deploy|examples|models|native|scripts|src|test';
    const named = new RegExp(`\`((?:${folders})/[\\w./-]+)\``, 'g');
    // Made by a run, or named for its date.
    const isMade = (path: string): boolean => /^bench\/(results\/DATE|\.corpus)/.test(path);
    const isThere = (page: string, path: string): boolean =>
      ['.', dirname(page)].some((folder) => existsSync(join(ROOT, folder, path)));
    const dead = [...pages].flatMap(([page, text]) =>
      page === 'CHANGELOG.md'
        ? []
        : [...text.matchAll(named)]
            .filter(([, path]) => !isMade(path!) && !isThere(page, path!))
            .map(([, path]) => `${page}: ${path}`),
    );
    assert.deepEqual(dead, []);
  });

  it('begins with one page, which leads to every other', () => {
    assert.ok(pages.get('README.md')!.split('\n').length <= 200);
    const names = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
    assert.ok(names.length > 5);
    for (const name of names) assert.ok(pages.has(`docs/${name}`), `no link leads to ${name}`);
  });
});
