// The lint rule that counts the words of comments' sentences: it must fail on what is too long, and on nothing else.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ROOT } from '../support/telltale.js';

const words = (count: number): string => Array.from({ length: count }, (_, index) => `w${index}`).join(' ');

/** What the rule prints for files of these texts, by name: `NAME:LINE WORDS` a sentence. It fails if there is one. */
function lint(texts: Readonly<Record<string, string>>): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'telltale-sentences-'));
  try {
    const files = Object.entries(texts).map(([name, text]) => {
      const file = join(folder, name);
      writeFileSync(file, text);
      return relative(ROOT, file);
    });
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['scripts/lint/comment-sentences.mjs', ...files],
      { cwd: ROOT, encoding: 'utf8' },
    );
    assert.equal(stderr, '');
    const found = [...stdout.matchAll(/([\w.-]+:\d+): a sentence of (\d+) words/g)];
    assert.equal(status, found.length > 0 ? 1 : 0);
    return found.map(([, place, count]) => `${place} ${count}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the rule on sentences of comments', () => {
  it('takes 25 words and refuses 26, in TypeScript, JavaScript and C++', () => {
    const names = ['a.ts', 'a.tsx', 'a.mjs', 'a.cjs', 'a.c', 'a.cc', 'a.h'];
    const text = `// ${words(25)}.\n/* ${words(25)}. */\n\n// ${words(26)}.\n/**\n * Short.\n * ${words(27)}.\n */\n`;
    assert.deepEqual(
      lint(Object.fromEntries(names.map((name) => [name, text]))),
      names.flatMap((name) => [`${name}:4 26`, `${name}:7 27`]),
    );
  });

  it('counts a sentence over the lines of one comment, not over comments, items, paragraphs or sentences', () => {
    const half = words(14);
    const found = lint({
      'lines.ts': `// ${half}\n// ${half}\n`,
      'block.cc': `/* ${half}\n * ${half} */\n`,
      'apart.ts': `// ${half}\n\n// ${half}\n`,
      'behind-code.cc': `int a;  // ${half}\nint b;  // ${half}\n`,
      'items.ts': `/**\n * ${half}\n *\n * ${half}\n * - ${half}\n * - ${half}\n * @see ${half}\n */\n`,
      'sentences.ts': `// ${half}. ${half} (${words(8)}.) ${half}? ${half}! ${half}\n`,
      'code.ts': `/**\n * ${half}\n * \`\`\`\n * ${words(30)}\n * \`\`\`\n */\n`,
      'abbreviation.ts': `// ${words(20)} e.g. 1.5 by 2.5 a second, i.e. few.\n`,
    });
    assert.deepEqual(found, ['lines.ts:1 28', 'block.cc:1 28', 'abbreviation.ts:1 28']);
  });

  it('takes no string, address or markup for a comment', () => {
    const long = words(30);
    const strings = `['// ${long}', "/* ${long} */", \`// ${long}\`, /\\/\\/ ${long}/]`;
    const native = `const char* b = "// \\"${long}"; int c = 1'000; char d = '"'; auto e = R"x(// ${long})x";`;
    const found = lint({
      'strings.ts': `export const a = ${strings};\n`,
      'markup.tsx': `export const A = () => <p title="// ${long}">https://a/ {1} ${long}</p>;\n`,
      'strings.cc': `${native}\n// ${words(26)}\n`,
    });
    assert.deepEqual(found, ['strings.cc:2 26']);
  });
});
