// The page /docs: the HTTP interface, drawn by Redoc from /openapi.json. Needs no other host.
import address from 'redoc/bundles/redoc.standalone.js?url';

/** Global variable that Redoc's script defines. */
declare const Redoc: { init(address: string, options: object, place: HTMLElement): void };

const container = document.getElementById('docs');
const script = document.createElement('script');
script.src = address;
script.addEventListener('load', () => {
  if (container) Redoc.init('/openapi.json', { hideHostname: true, expandResponses: '200,202' }, container);
});
document.head.append(script);
