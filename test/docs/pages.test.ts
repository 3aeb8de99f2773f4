// Tests the documentation as a whole: every page can be reached, every link works, and every command, option,
// script, route and setting that is mentioned exists.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { HELP as BENCH_HELP } from '../../bench/options.js';
import { COMMANDS } from '../../src/cli/commands/registry.js';
import { ROOT } from '../support/telltale.js';

/** Returns the text of every Markdown page reachable from the README, by path relative to the project. */
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

/**
 * Returns the relative links and images of a page outside code: the file relative to the project, and the
 * anchor or ''.
 */
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

/** Returns the anchors of a page: its headings in lower case, without punctuation, with dashes for spaces. */
function anchorsOf(text: string): string[] {
  const headings = [...text.replace(/^```.*?^```/gms, '').matchAll(/^#+ (.+)$/gm)];
  return headings.map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Returns the lines of a page's code blocks and its inline code. */
function codeOf(text: string): string[] {
  const blocks = [...text.matchAll(/^```\w*\n(.*?)^```/gms)].flatMap(([, body]) => body!.split('\n'));
  const inline = [...text.replace(/^```.*?^```/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!);
  return [...blocks, ...inline];
}

/** Returns the options of a command line except --help, up to a comment, a pipe or the next command. */
function optionsOf(line: string): string[] {
  return [...line.replace(/[#|;&>].*/, '').matchAll(/(?<=^|\s)--(?!help\b)[a-z][a-z-]*/g)].map(
    ([option]) => option,
  );
}

/**
 * Returns what is wrong with `telltale NAME WORDS` according to the command's help, or null if it is valid.
 */
async function describeWrongCall(name: string, words: string): Promise<string | null> {
  const entry = COMMANDS.find((command) => command.name === name);
  if (!entry) return 'no such command';
  const command = await entry.load();
  const [action = ''] = words.trim().split(/\s+/);
  const help = command.helps?.[action] ?? command.help;
  // A page mentions `telltale models adapt` to say that it was removed.
  if (name === 'models' && action === 'adapt') return null;
  const unknown = optionsOf(words).filter((option) => !new RegExp(`${option}(?![\\w-])`).test(help));
  const lacksAction = /^Usage: telltale \w+ [a-z]/.test(command.help) && /^[a-z]+$/.test(action);
  if (lacksAction && !new RegExp(`^.*\\b${action}\\b`, 'm').test(command.help)) unknown.unshift(action);
  return unknown.length > 0 ? `no ${unknown.join(', ')}` : null;
}

describe('the documentation', () => {
  const pages = followPages();
  // Pages about earlier versions may mention removed commands.
  const current = [...pages].filter(([page]) => !/^CHANGELOG|\/results\/|\/experiments\/0/.test(page));
  const code = current.flatMap(([page, text]) => codeOf(text).map((line) => ({ page, line })));

  it('contains no broken link', () => {
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

  it('links to no missing file of the project', () => {
    const folders = 'bench|client|client-python|console|deploy|examples|models|native|scripts|src|test';
    const named = new RegExp(`\`((?:${folders})/[\\w./-]+)\``, 'g');
    // These files are made by a run or have its date in their name.
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

  it('has a start page from which every other page can be reached', () => {
    assert.ok(pages.get('README.md')!.split('\n').length <= 200);
    const names = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
    assert.ok(names.length > 5);
    for (const name of names) assert.ok(pages.has(`docs/${name}`), `no link leads to ${name}`);
  });

  it('mentions no telltale command or option that does not exist', async () => {
    const calls = code.flatMap(({ page, line }) =>
      [...line.matchAll(/(?:^|[\s($])telltale ([a-z]+)(?=\s|$)([^`"]*)/g)].map(([, name, words]) => ({
        page,
        name,
        words,
      })),
    );
    assert.ok(calls.length > 60, String(calls.length));
    const wrong = await Promise.all(
      calls.map(async ({ page, name, words }) => {
        const error = await describeWrongCall(name!, words!);
        return error === null ? [] : [`${page}: telltale ${name}${words}: ${error}`];
      }),
    );
    assert.deepEqual(wrong.flat(), []);
  });

  it('mentions no npm script, benchmark option or program that does not exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    const isThere = (page: string, path: string): boolean =>
      ['.', dirname(page), 'models/training'].some((folder) => existsSync(join(ROOT, folder, path)));
    const wrong = code.flatMap(({ page, line }) => {
      const names = [...line.matchAll(/\bnpm run ([\w:]+)/g)].map(([, name]) => name!);
      const options = /\bnpm run bench -- /.test(line) ? optionsOf(line) : [];
      const programs = [
        ...line.matchAll(/\b(?:bash|node|python3?|tsx) (?:--import tsx )?([\w./-]+\.(?:sh|mjs|m?ts|py))\b/g),
      ].map(([, path]) => path!);
      const modules = [...line.matchAll(/\bpython3? -m (\w+\.[\w.]+)(.*)/g)].map(([, name, words]) => ({
        path: `${name!.replaceAll('.', '/')}.py`,
        options: optionsOf(words!),
      }));
      // The source contains an option as such, or as a name, with "+" if it takes several values. argparse adds --help.
      const lacks = (path: string, option: string): boolean => {
        if (option === '--help') return false;
        const source = readFileSync(join(ROOT, 'models/training', path), 'utf8');
        const name = option.slice(2);
        return [option, name, `${name}+`].every((text) => !source.includes(`"${text}"`));
      };
      return [
        ...names.filter((name) => !(name in scripts)),
        ...options.filter((option) => !BENCH_HELP.includes(option)),
        ...programs.filter((path) => !/\bNAME\b/.test(path) && !isThere(page, path)),
        ...modules.flatMap(({ path, options }) =>
          isThere(page, path) ? options.filter((option) => lacks(path, option)) : [path],
        ),
      ].map((missing) => `${page}: ${line}: ${missing}`);
    });
    assert.deepEqual(wrong, []);
  });

  it('mentions no route of /v1 that does not exist', () => {
    const { paths } = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as {
      paths: Record<string, object>;
    };
    const named = code.flatMap(({ page, line }) =>
      [
        ...line.matchAll(/(?:\b(GET|POST|PUT|PATCH|DELETE) )?(?:https?:\/\/[\w.:]+)?(\/v1\/[\w/{}-]*[\w}])/g),
      ].map(([, method, path]) => ({ page, method, path: path!.replace(/\/(scn|chk)_\w*/, '/{id}') })),
    );
    assert.ok(named.length > 20, String(named.length));
    const isThere = (method: string | undefined, path: string): boolean =>
      path in paths && (method === undefined || method.toLowerCase() in paths[path]!);
    // /v1/traces is a route of OpenTelemetry's collector.
    const wrong = named.filter(({ method, path }) => path !== '/v1/traces' && !isThere(method, path));
    assert.deepEqual(wrong, []);
  });
});
