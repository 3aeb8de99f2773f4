// What the settings of people's way to the service may say.

/** An address without a path, as `https://telltale.example`; null if it is none. */
export function parseOrigin(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  return isOrigin ? url.origin : null;
}

/** Address of an OpenID Connect provider: https, or http on this machine; null if it is none. */
export function parseIssuer(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '') return null;
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isHere) ? text : null;
}
