// /docs: the interface on one page, drawn by Redoc from /openapi.json; it loads nothing from elsewhere.
import address from 'redoc/bundles/redoc.standalone.js?url';

/** What Redoc's bundle, a script and no module, leaves behind. */
declare const Redoc: { init(address: string, options: object, place: HTMLElement): void };

const place = document.getElementById('docs');
const script = document.createElement('script');
script.src = address;
script.addEventListener('load', () => {
  if (place) Redoc.init('/openapi.json', { hideHostname: true, expandResponses: '200,202' }, place);
});
document.head.append(script);
