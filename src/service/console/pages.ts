// The built pages: read once, served from memory, with a policy that lets nothing in from elsewhere.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { CheckError, StartError } from '../../base/errors.js';
import { PACKAGE_CONSOLE_DIR } from '../../base/package-paths.js';
import type { ConsoleContext } from './state.js';

/** Paths of the console's pages; the script in the page tells them apart. */
export const PAGES = [
  '/',
  '/checks',
  '/verify',
  '/usage',
  '/keys',
  '/members',
  '/webhooks',
  '/operator',
  '/sign-in',
  '/choice',
  '/invitation',
] as const;

/** No inline script or style, nothing from another host, in nobody's frame; pictures also from memory (blob:). */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
  '.md': 'text/plain; charset=utf-8',
};

/** The built console. */
export interface Pages {
  /** Answers with the page. */
  sendPage(ctx: ConsoleContext): void;
  /** Answers with the file `name` of the page's assets. Throws CheckError not_found. */
  sendAsset(ctx: ConsoleContext, name: string): void;
}

/** Reads what the set-up built. Throws StartError `config_invalid` if it was not built. */
export function loadPages(folder: string = PACKAGE_CONSOLE_DIR): Pages {
  const { html, assets } = readFiles(folder);
  const etag = `"${createHash('sha256').update(html).digest('base64url').slice(0, 22)}"`;
  return {
    sendPage(ctx) {
      ctx.set({
        'Content-Security-Policy': POLICY,
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Referrer-Policy': 'no-referrer',
        'X-Frame-Options': 'DENY',
        'Cache-Control': 'no-cache',
        ETag: etag,
      });
      ctx.type = 'html';
      ctx.body = html;
      if (ctx.fresh) ctx.status = 304;
    },
    sendAsset(ctx, name) {
      const asset = assets.get(name);
      if (!asset) throw new CheckError('not_found', 'the console has no such file');
      // Names hold a digest of the content.
      ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
      ctx.type = TYPES[extname(name)] ?? 'application/octet-stream';
      ctx.body = asset;
    },
  };
}

function readFiles(folder: string): { html: Buffer; assets: ReadonlyMap<string, Buffer> } {
  try {
    const assetsFolder = join(folder, 'assets');
    const assets = readdirSync(assetsFolder).map(
      (name) => [name, readFileSync(join(assetsFolder, name))] as const,
    );
    return { html: readFileSync(join(folder, 'index.html')), assets: new Map(assets) };
  } catch (cause) {
    throw new StartError('config_invalid', "the console is not built; 'npm run setup' builds it", { cause });
  }
}
