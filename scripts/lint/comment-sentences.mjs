// Comments that must be read twice are comments that are not read: a sentence has at most MAX_WORDS words.
// Usage: node scripts/lint/comment-sentences.mjs [FILE...]; without files, every file of FOLDERS that git would keep.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import tseslint from 'typescript-eslint';
import { root } from '../setup/run.mjs';

/** Chosen: plain-English guides advise 15 to 20 words on average, and 25 as the most. */
const MAX_WORDS = 25;

const FOLDERS = ['src', 'native', 'client/src', 'console', 'bench', 'scripts', 'test'];

const IS_SCRIPT = /\.([cm]?[jt]s|[jt]sx)$/;
const IS_NATIVE = /\.(c|cc|h)$/;

/** Dots that end no sentence. */
const ABBREVIATION = /(^|[\s(])(e\.g|i\.e|cf|vs|al)\.$/i;

function listFiles() {
  const listed = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '--', ...FOLDERS],
    { cwd: root, encoding: 'utf8' },
  );
  return listed.split('\n').filter((file) => IS_SCRIPT.test(file) || IS_NATIVE.test(file));
}

/** Comments of TypeScript or JavaScript, by its parser: { text, line, column, endLine, isLine }. */
function scriptComments(file, source) {
  const jsx = /x$/.test(file);
  const { ast } = tseslint.parser.parseForESLint(source, {
    ecmaFeatures: { jsx },
    comment: true,
    loc: true,
    filePath: file,
  });
  return ast.comments
    .filter(({ type }) => type !== 'Shebang')
    .map(({ type, value, loc }) => ({
      text: value,
      line: loc.start.line,
      column: loc.start.column,
      endLine: loc.end.line,
      isLine: type === 'Line',
    }));
}

/** Comments of C++, in the same form: strings, characters and numbers (with their ') are told from them first. */
function nativeComments(source) {
  const token =
    /R"([^\s()\\]{0,16})\([\s\S]*?\)\1"|"(?:\\[\s\S]|[^"\\\n])*"|\b\d[\w.']*|'(?:\\.|[^'\\\n])+'|\/\/(.*)|\/\*([\s\S]*?)\*\//g;
  const comments = [];
  for (const { index, 0: whole, 2: line, 3: block } of source.matchAll(token)) {
    if (line === undefined && block === undefined) continue;
    const before = source.slice(0, index).split('\n');
    const startLine = before.length;
    comments.push({
      text: line ?? block,
      line: startLine,
      column: before.at(-1).length,
      endLine: startLine + whole.split('\n').length - 1,
      isLine: line !== undefined,
    });
  }
  return comments;
}

/** Line comments below one another are one text, unless they stand behind code: { lines, line }. */
function joinLines(comments, source) {
  const sourceLines = source.split('\n');
  const texts = [];
  let last;
  for (const comment of comments) {
    const isAlone = sourceLines[comment.line - 1].slice(0, comment.column).trim() === '';
    const isBelow = comment.line === last?.line + 1 && comment.column === last?.column;
    const goesOn = isBelow && isAlone && last.isLine && comment.isLine;
    if (goesOn) texts.at(-1).lines.push(comment.text);
    else texts.push({ lines: comment.text.split('\n'), line: comment.line });
    last = comment;
  }
  return texts;
}

/** Sentences of a text: { words, line }. A blank line, an item of a list and a tag begin one; a block of code is none. */
function sentencesOf({ lines, line }) {
  const sentences = [];
  let words = [];
  let start = line;
  let isCode = false;
  const end = () => {
    if (words.length > 0) sentences.push({ words, line: start });
    words = [];
  };
  lines.forEach((raw, index) => {
    const text = raw.replace(/^[\s/!*]*/, '').trim();
    if (text.startsWith('```')) isCode = !isCode;
    if (isCode || text === '' || /^(-|@\w+|\d+[.)])(\s|$)/.test(raw.replace(/^\s*\*?\s*/, ''))) end();
    if (isCode) return;
    for (const word of text.split(/\s+/)) {
      if (words.length === 0) start = line + index;
      if (/[\p{L}\p{N}]/u.test(word)) words.push(word);
      if (/[.!?]["'”’)\]`]*$/.test(word) && !ABBREVIATION.test(word)) end();
    }
  });
  end();
  return sentences;
}

/** Sentences of a file that are too long, as lines to print. */
function complaints(file) {
  const source = readFileSync(join(root, file), 'utf8');
  const comments = IS_NATIVE.test(file) ? nativeComments(source) : scriptComments(file, source);
  return joinLines(comments, source)
    .flatMap(sentencesOf)
    .filter(({ words }) => words.length > MAX_WORDS)
    .map(
      ({ words, line }) =>
        `${file}:${line}: a sentence of ${words.length} words: ${words.slice(0, 8).join(' ')} ...`,
    );
}

const named = process.argv.slice(2);
const found = (named.length > 0 ? named : listFiles()).flatMap(complaints);
for (const complaint of found) console.log(complaint);
if (found.length > 0) {
  console.log(`${found.length} sentences of comments have more than ${MAX_WORDS} words: split them`);
  process.exitCode = 1;
}
