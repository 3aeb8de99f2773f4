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

/** Splits a reason into the headline, with which it begins, and the explanation. */
function splitReason(reason) {
  const at = reason.indexOf(': ');
  return [reason.slice(0, at), reason.slice(at + 2)];
}

function rowOf({ file, reason, error }) {
  if (error) return `| ${plain(file)} | not checked | ${plain(error.message)} |`;
  const [headline, why] = splitReason(reason);
  return `| ${plain(file)} | ${headline === 'No AI detected' ? headline : `**${headline}**`} | ${plain(why)} |`;
}

if (outcomes.length === 0) console.log('Telltale: this adds no images.');
else {
  const withHeadline = (headline) => outcomes.filter(({ reason }) => reason?.startsWith(`${headline}:`));
  const ai = withHeadline('AI detected');
  const unclear = withHeadline('Unclear');
  const refused = outcomes.filter((outcome) => outcome.error);
  const rows = [...ai, ...unclear, ...refused, ...withHeadline('No AI detected')];
  console.log(
    `Telltale: ${outcomes.length} images, ${ai.length} AI detected, ${unclear.length} unclear, ${refused.length} not checked.\n`,
  );
  console.log('| file | result | reason |\n|---|---|---|');
  for (const row of rows.slice(0, MOST_ROWS)) console.log(rowOf(row));
  if (rows.length > MOST_ROWS) console.log(`\n${rows.length - MOST_ROWS} more are left out here.`);
  console.log('\n"No AI detected" is no proof that an image is genuine, and "AI detected" is no certainty.');
}
