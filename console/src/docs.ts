// The page /docs: a form that sends a request with a sandbox key, and the HTTP interface, drawn by Redoc from
// /openapi.json. Needs no other host.
import address from 'redoc/bundles/redoc.standalone.js?url';
import { ERROR_CODE_NAMES } from '../../src/library/base/error-codes.js';

/** Global variable that Redoc's script defines. */
declare const Redoc: { init(address: string, options: object, place: HTMLElement): void };

/** Beginning of sandbox keys. Other keys would be charged. */
const SANDBOX_PREFIX = 'tt_test_';
const RESULTS = ['genuine', 'ai', 'face', 'credentials', 'unclear', ...ERROR_CODE_NAMES];
/** Address sent if no file is chosen. The service fetches nothing for a sandbox key. */
const EXAMPLE_URL = 'https://example.com/photo.jpg';

const container = document.getElementById('docs');
const script = document.createElement('script');
script.src = address;
script.addEventListener('load', () => {
  if (container) Redoc.init('/openapi.json', { hideHostname: true, expandResponses: '200,202' }, container);
});
document.head.append(script);

const form = document.querySelector('#send form');
const list = document.getElementById('results');
for (const result of RESULTS) list?.append(new Option(result, result));
form?.addEventListener('submit', (event) => {
  event.preventDefault();
  void send(new FormData(form as HTMLFormElement));
});

/** Sends the request of the form, and shows the status and the body of the response. */
async function send(fields: FormData): Promise<void> {
  const [key, sandbox, include] = ['key', 'sandbox', 'include'].map((name) => read(fields, name));
  if (key?.startsWith(SANDBOX_PREFIX) !== true) {
    show(`Expected a sandbox key, which begins with ${SANDBOX_PREFIX}. Other keys are charged.`, null);
    return;
  }
  const query = new URLSearchParams({ ...(sandbox && { sandbox }), ...(include && { include }) });
  const file = fields.get('file');
  const hasFile = file instanceof File && file.size > 0;
  const body = new FormData();
  if (hasFile) body.append('file', file);
  show('Sending…', null);
  try {
    const response = await fetch(`/v1/check?${query.toString()}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        ...(!hasFile && { 'content-type': 'application/json' }),
      },
      body: hasFile ? body : JSON.stringify({ image_url: EXAMPLE_URL }),
    });
    const text = await response.text();
    show(`${response.status} ${response.statusText}`, JSON.stringify(JSON.parse(text), null, 2));
  } catch {
    show("The service can't be reached, or a proxy answered. Check your connection.", null);
  }
}

function read(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

function show(status: string, body: string | null): void {
  const [line, text] = ['#send [role=status]', '#send pre'].map((path) => document.querySelector(path));
  if (line) line.textContent = status;
  if (!(text instanceof HTMLElement)) return;
  text.hidden = body === null;
  text.textContent = body;
}
