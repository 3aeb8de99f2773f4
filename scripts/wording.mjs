// Counts comment lines and the wording that the lint rejects in comments. Usage: node scripts/wording.mjs [--check] [FOLDER...]
// Without --check it prints a table for each top-level folder; with --check it prints each rejected comment of C++ and
// Python (ESLint checks TypeScript) and exits with 1 if there is one.
import { readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { COMMENT_RULES, findWording } from '../eslint.terms.js';
import { root } from './setup/run.mjs';

const FOLDERS = [
  'src',
  'native',
  'console',
  'client',
  'client-python',
  'models/training',
  'bench',
  'eval',
  'examples',
  'test',
];

/** Matches generated files, whose comments come from other sources. */
const GENERATED = /client\/src\/openapi\.ts|telltale_client\/(models|sync)\.py/;

/**
 * Returns the comments of a file as { line, text }. Consecutive comment lines are joined by spaces. Leaves
 * out comments after code on the same line.
 */
function readComments(path, source) {
  return path.endsWith('.py') ? readPythonComments(source) : readSlashComments(source);
}

function readSlashComments(source) {
  return collect(source.split('\n'), (line) => {
    const text = line.trim();
    return /^(\/\/|\/\*|\*(\s|\/|$))/.test(text)
      ? text.replace(/^(\/\*\*?|\*\/|\*|\/\/+)\s?/, '').replace(/\s*\*\/$/, '')
      : null;
  });
}

function readPythonComments(source) {
  let inside = false;
  return collect(source.split('\n'), (line) => {
    const text = line.trim();
    const quotes = text.split('"""').length - 1;
    const isDocstring = inside || /^r?"""/.test(text);
    if (isDocstring && quotes % 2 === 1) inside = !inside;
    if (isDocstring) return text.replaceAll('"""', '');
    return text.startsWith('#') && !text.startsWith('#!') ? text.replace(/^#+\s?/, '') : null;
  });
}

/** Joins consecutive lines for which `read` returns text. An empty comment line ends a comment. */
function collect(lines, read) {
  const comments = [];
  let current = null;
  for (const [index, line] of lines.entries()) {
    const text = read(line);
    const isNew = text !== null && (current === null || text === '' || /^\s*\/\*/.test(line));
    if (text === null || isNew) current = null;
    if (isNew && text !== '') comments.push((current = { line: index + 1, text: '', lines: 0 }));
    if (current === null) continue;
    current.text += `${current.text && ' '}${text}`;
    current.lines += 1;
  }
  return comments;
}

const listFiles = (folder) =>
  spawnSync('git', ['ls-files', folder], { cwd: root, encoding: 'utf8' })
    .stdout.split('\n')
    .filter((path) => /\.(ts|tsx|cc|h|py)$/.test(path) && !GENERATED.test(path));

const args = process.argv.slice(2);
const isCheck = args.includes('--check');
const folders = args.some((arg) => !arg.startsWith('-'))
  ? args.filter((arg) => !arg.startsWith('-'))
  : FOLDERS;
let rejected = 0;
const rows = folders.map((folder) => {
  const row = { folder, comments: 0, lines: 0, short: 0, opening: 0, phrase: 0, term: 0 };
  for (const path of listFiles(folder))
    for (const { line, text, lines } of readComments(path, readFileSync(join(root, path), 'utf8'))) {
      row.comments += 1;
      row.lines += lines;
      if (text.split(/\s+/).length <= 4) row.short += 1;
      for (const { kind, found, instead } of findWording(text)) {
        row[kind] += 1;
        if (!isCheck || /\.tsx?$/.test(path)) continue;
        rejected += 1;
        console.log(`${path}:${line} "${found}": ${instead}`);
      }
    }
  return row;
});
if (isCheck) process.exit(rejected === 0 ? 0 : 1);
console.table(rows);
console.log(`Rules: ${COMMENT_RULES.length}; "short" comments have at most four words.`);
