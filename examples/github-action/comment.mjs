// Converts the output of `telltale check --jsonl` to a comment in Markdown for a pull request.
import { text } from 'node:stream/consumers';

/** Maximum number of rows in the table, because a comment may have at most 65,536 characters. */
const MOST_ROWS = 100;

const outcomes = (await text(process.stdin))
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line));

/** Escapes untrusted text, such as a file name, so that it contains no Markdown, HTML or mentions. */
function plain(words) {
  return words
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
    .replace(/[^\p{L}\p{N} .,:;/-]/gu, (sign) => `&#${sign.codePointAt(0)};`);
}

function rowOf({ file, is_ai: isAi, reason, error }) {
  if (error) return `| ${plain(file)} | not checked | ${plain(error.message)} |`;
  return `| ${plain(file)} | ${isAi ? '**AI detected**' : 'No AI detected'} | ${plain(reason)} |`;
}

if (outcomes.length === 0) console.log('Telltale: this adds no images.');
else {
  const ai = outcomes.filter((outcome) => outcome.is_ai);
  const refused = outcomes.filter((outcome) => outcome.error);
  const others = outcomes.filter((outcome) => outcome.is_ai === false);
  const rows = [...ai, ...refused, ...others];
  console.log(
    `Telltale: ${outcomes.length} images, ${ai.length} AI detected, ${refused.length} not checked.\n`,
  );
  console.log('| file | verdict | reason |\n|---|---|---|');
  for (const row of rows.slice(0, MOST_ROWS)) console.log(rowOf(row));
  if (rows.length > MOST_ROWS) console.log(`\n${rows.length - MOST_ROWS} more are left out here.`);
  console.log('\n"No AI detected" is no proof that an image is genuine, and "AI detected" is no certainty.');
}
