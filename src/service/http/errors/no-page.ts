// The page that browsers get at an unknown address. Links to the console; needs no session and no scripts.
import type { Context } from '../state.js';

/** Content security policy of the page: only its own style. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>No such page · Telltale</title>
<style>
  :root { color-scheme: light dark; }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 18vh auto 0; padding: 0 1rem; }
  a { color: light-dark(#24459e, #86a6ff); }
</style>
</head>
<body>
<main>
<h1>There is no such page</h1>
<p>The address may be mistyped, or the page has moved.</p>
<p><a href="/">Go to the console</a> or <a href="/docs">read about the API</a>.</p>
</main>
</body>
</html>
`;

/** Paths that only programs use. They always get errors as JSON. */
const FOR_PROGRAMS = /^\/(v1|console|schemas|\.well-known)(\/|$)/;

/** Returns whether a browser wants to show the path. Browsers prefer HTML; programs accept JSON. */
export function isVisit(ctx: Context): boolean {
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  return isRead && !FOR_PROGRAMS.test(ctx.path) && ctx.accepts('json', 'html') === 'html';
}

/** Sends the page with status 404. The page repeats nothing from the request. */
export function sendNoPage(ctx: Context): void {
  ctx.state.errorCode = 'not_found';
  ctx.status = 404;
  ctx.set({
    'Content-Security-Policy': POLICY,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
  });
  ctx.type = 'html';
  ctx.body = PAGE;
}
