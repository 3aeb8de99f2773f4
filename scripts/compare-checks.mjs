// Prints the scores of two outputs of `telltale check --json` for the same files in one table. Fails if a verdict,
// Content Credentials or an error differ, or a score by more than records tolerate between processors.
// Usage: node scripts/compare-checks.mjs FIRST.json SECOND.json
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Largest difference of a score between processors that is accepted. Source: docs/record.md. */
const TOLERANCE = 0.2;

const [first, second] = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, 'utf8')));
const show = (score) => (typeof score === 'number' ? score.toFixed(4) : '-').padEnd(8);
const rest = ({ is_ai, fired, error, content_credentials }) =>
  JSON.stringify({ is_ai, fired, code: error?.code, content_credentials });

console.log(`${'file'.padEnd(28)}${'score'.padEnd(24)}${'first'.padEnd(8)}${'second'.padEnd(8)}difference`);
for (const [at, one] of first.entries()) {
  const two = second[at];
  const isSame = basename(one.file) === basename(two?.file ?? '') && rest(one) === rest(two);
  const verdict = one.error?.code ?? (one.is_ai ? 'AI' : 'no AI');
  console.log(`${basename(one.file).padEnd(28)}${verdict}${isSame ? '' : `; second: ${rest(two ?? {})}`}`);
  if (!isSame) process.exitCode = 1;
  for (const [name, score] of Object.entries(one.scores ?? {})) {
    const other = two?.scores?.[name] ?? null;
    const difference = Math.abs((score ?? 0) - (other ?? 0));
    if ((score === null) !== (other === null) || difference > TOLERANCE) process.exitCode = 1;
    console.log(`${''.padEnd(28)}${name.padEnd(24)}${show(score)}${show(other)}${difference.toFixed(4)}`);
  }
}
if (first.length !== second.length) process.exitCode = 1;
