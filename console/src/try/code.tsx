// Shows the result as JSON and the request as curl, Node and Python code, to copy.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { CheckResult } from '../../../src/library/check/result-schema.js';
import type { Source } from '../api.js';
import { CopyButton } from '../components/copy-button.js';
import { Tabs } from '../components/tabs.js';

const TABS = ['JSON', 'curl', 'Node', 'Python'] as const;

/** Draws one of the four texts with a copy button. */
export function Code({ result, source }: { result: CheckResult | null; source: Source }): JSX.Element {
  const [chosenTab, setChosenTab] = useState<(typeof TABS)[number]>('JSON');
  const tabs = result ? TABS : TABS.slice(1);
  const tab = tabs.includes(chosenTab) ? chosenTab : 'curl';
  const text = tab === 'JSON' ? JSON.stringify(shorten(result), null, 2) : requestIn(tab, source);
  return (
    <section class="code" aria-label="Result and request">
      <Tabs name="code" tabs={tabs} chosen={tab} onChoose={setChosenTab}>
        <CopyButton text={tab === 'JSON' ? JSON.stringify(result, null, 2) : text} />
        <pre tabIndex={0}>
          <code>{text}</code>
        </pre>
      </Tabs>
    </section>
  );
}

/** Shortens the heat map and the record for reading. Copying returns them in full. */
function shorten(result: CheckResult | null): unknown {
  const { heatmap, record } = result?.details ?? {};
  return (
    result && {
      ...result,
      details: {
        ...result.details,
        ...(heatmap && { heatmap: `${heatmap.patches.length} patches, all in the copy` }),
        ...(record && { record: 'signed; complete in the copy' }),
      },
    }
  );
}

function requestIn(language: 'curl' | 'Node' | 'Python', source: Source): string {
  const url = `${window.location.origin}/v1/check`;
  const target = source.kind === 'url' ? { url: source.url } : { file: source.file.name || 'image.png' };
  return { curl: inCurl, Node: inNode, Python: inPython }[language](url, target);
}

type Target = { readonly url: string } | { readonly file: string };

/** Quotes text for a POSIX shell. */
const shell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function inCurl(url: string, target: Target): string {
  const head = `curl -H "Authorization: Bearer $TELLTALE_KEY" \\\n  `;
  return 'file' in target
    ? `${head}-F ${shell(`file=@"${target.file.replaceAll(/(["\\])/g, '\\$1')}"`)} \\\n  ${url}`
    : `${head}--json ${shell(JSON.stringify({ image_url: target.url }))} \\\n  ${url}`;
}

function inNode(url: string, target: Target): string {
  const call = (body: string, type: string): string =>
    [
      `const response = await fetch(${JSON.stringify(url)}, {`,
      "  method: 'POST',",
      `  headers: { Authorization: \`Bearer \${process.env.TELLTALE_KEY}\`${type} },`,
      `  body: ${body},`,
      '});',
      'const result = await response.json();',
      'console.log(result.is_ai, result.reason);',
    ].join('\n');
  if ('url' in target)
    return call(
      `JSON.stringify({ image_url: ${JSON.stringify(target.url)} })`,
      ", 'Content-Type': 'application/json'",
    );
  return [
    "import { openAsBlob } from 'node:fs';",
    '',
    'const form = new FormData();',
    `form.append('file', await openAsBlob(${JSON.stringify(target.file)}));`,
    call('form', ''),
  ].join('\n');
}

function inPython(url: string, target: Target): string {
  const send =
    'file' in target
      ? `    files={"file": open(${JSON.stringify(target.file)}, "rb")},`
      : `    json={"image_url": ${JSON.stringify(target.url)}},`;
  return [
    'import os',
    'import requests',
    '',
    'response = requests.post(',
    `    ${JSON.stringify(url)},`,
    '    headers={"Authorization": f"Bearer {os.environ[\'TELLTALE_KEY\']}"},',
    send,
    ')',
    'result = response.json()',
    'print(result["is_ai"], result["reason"])',
  ].join('\n');
}
