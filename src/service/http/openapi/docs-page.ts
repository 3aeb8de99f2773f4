// /docs: the interface on one page, drawn in the browser from /openapi.json; it loads nothing from elsewhere.

/** Nothing but this page's own style and script, and requests to this host. */
export const DOCS_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/** The page. Every text of the document is set as text, never as markup. */
export const DOCS_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Telltale API</title>
<style>
  :root { color-scheme: light dark; }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
  code, pre { font: 14px/1.45 ui-monospace, monospace; }
  pre { overflow-x: auto; padding: .8rem; border: 1px solid #8886; border-radius: 6px; }
  table { border-collapse: collapse; width: 100%; margin: .5rem 0 1.2rem; }
  th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid #8884; }
  h2 { margin-top: 2.2rem; }
</style>
</head>
<body>
<h1>Telltale API</h1>
<p>Send an image, get a verdict. Each request carries <code>Authorization: Bearer API_KEY</code>.
The machine-readable form of this page is <a href="/openapi.json">/openapi.json</a>.</p>
<pre id="example"></pre>
<main id="operations">This page draws itself with JavaScript; /openapi.json says the same.</main>
<script>
const make = (tag, text) => { const node = document.createElement(tag); if (text) node.textContent = text; return node; };
const table = (head, rows) => {
  const node = make('table');
  for (const [index, cells] of [head, ...rows].entries()) {
    const row = node.appendChild(make('tr'));
    for (const cell of cells) row.appendChild(make(index ? 'td' : 'th', cell));
  }
  return node;
};
const typeOf = (schema) => schema.anyOf ? schema.anyOf.map(typeOf).join(' or ')
  : schema.type === 'array' ? 'array of ' + typeOf(schema.items) : schema.const !== undefined ? JSON.stringify(schema.const)
  : schema.$ref ? schema.$ref.split('/').pop() : schema.type || 'any';
const members = (schema) => Object.entries(schema.properties || {}).map(([name, value]) =>
  [name + ((schema.required || []).includes(name) ? '' : ' (optional)'), typeOf(value), value.description || '']);
document.getElementById('example').textContent =
  'curl -H "Authorization: Bearer $API_KEY" -F file=@photo.jpg ' + location.origin + '/v1/check';
fetch('/openapi.json').then((response) => response.json()).then((api) => {
  const main = document.getElementById('operations');
  main.textContent = '';
  for (const [path, methods] of Object.entries(api.paths)) for (const [method, about] of Object.entries(methods)) {
    main.append(make('h2', method.toUpperCase() + ' ' + path), make('p', about.summary + '. ' + (about.description || '')));
    const parameters = (about.parameters || []).map((one) => [one.name + ' (' + one.in + ')', typeOf(one.schema), one.description || one.schema.description || '']);
    if (parameters.length) main.append(table(['parameter', 'type', 'meaning'], parameters));
    for (const [type, content] of Object.entries((about.requestBody || {}).content || {})) {
      main.append(make('h3', type), table(['member', 'type', 'meaning'], members(content.schema)));
    }
    main.append(make('h3', 'Answers'), table(['status', 'meaning'], Object.entries(about.responses).map(([status, one]) => [status, one.description])));
  }
  for (const [name, schema] of Object.entries(api.components.schemas)) {
    main.append(make('h2', name), table(['member', 'type', 'meaning'], members(schema)));
  }
});
</script>
</body>
</html>
`;
