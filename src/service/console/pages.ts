// Serves the built pages of the console from memory, with a content security policy.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CheckError, StartError } from 'telltale-engine/internal/base/errors.js';
import type { ConsoleContext } from './session.js';

/** Folder of the built pages. */
const PACKAGE_CONSOLE_DIR = fileURLToPath(new URL('../../../dist/pages', import.meta.url));

/** Paths of the console's pages. All pages share one HTML file. */
export const PAGES = [
  '/',
  '/checks',
  '/checks/:id',
  '/scans',
  '/scans/:id',
  '/verify',
  '/usage',
  '/keys',
  '/members',
  '/webhooks',
  '/appeals',
  '/audit',
  '/operator',
  '/operator/:panel',
  '/sign-in',
  '/choice',
  '/invitation',
  '/appeal',
] as const;

/** Content security policy of the console: no inline script or style, no other host, no framing. */
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

/**
 * Content security policy of the API documentation, which is a page of Redoc. Allows the empty style elements
 * that Redoc's script fills, the style of its scroll bars, and its search worker.
 */
const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' 'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='",
  "img-src 'self' data:",
  "connect-src 'self'",
  'worker-src blob:',
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
  '.jpg': 'image/jpeg',
  '.md': 'text/plain; charset=utf-8',
};

/** The built pages and their assets. */
interface Pages {
  /** Sends the page of the console. */
  sendPage(ctx: ConsoleContext): void;
  /** Sends the page that documents the API. */
  sendDocs(ctx: ConsoleContext): void;
  /** Sends the asset `name`, such as a script. Throws CheckError not_found. */
  sendAsset(ctx: ConsoleContext, name: string): void;
}

/** Reads the built pages. Throws StartError `config_invalid` if they were not built. */
export function loadPages(folder: string = PACKAGE_CONSOLE_DIR): Pages {
  const { page, docs, assets } = readFiles(folder);
  return {
    sendPage: (ctx) => sendHtml(ctx, page, POLICY),
    sendDocs: (ctx) => sendHtml(ctx, docs, DOCS_POLICY),
    sendAsset(ctx, name) {
      const asset = assets.get(name);
      if (!asset) throw new CheckError('not_found', 'the console has no such file');
      // The name of an asset contains a digest of its content, so browsers can cache the asset forever.
      ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
      ctx.type = TYPES[extname(name)] ?? 'application/octet-stream';
      ctx.body = asset;
    },
  };
}

/** An HTML page with its ETag. */
interface Html {
  readonly text: Buffer;
  readonly etag: string;
}

function sendHtml(ctx: ConsoleContext, { text, etag }: Html, policy: string): void {
  ctx.set({
    'Content-Security-Policy': policy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Frame-Options': 'DENY',
    'Cache-Control': 'no-cache',
    ETag: etag,
  });
  ctx.type = 'html';
  ctx.body = text;
  if (ctx.fresh) ctx.status = 304;
}

function readHtml(path: string): Html {
  const text = readFileSync(path);
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
}

function readFiles(folder: string): { page: Html; docs: Html; assets: ReadonlyMap<string, Buffer> } {
  try {
    const assetsFolder = join(folder, 'assets');
    const assets = readdirSync(assetsFolder).map(
      (name) => [name, readFileSync(join(assetsFolder, name))] as const,
    );
    return {
      page: readHtml(join(folder, 'index.html')),
      docs: readHtml(join(folder, 'docs.html')),
      assets: new Map(assets),
    };
  } catch (cause) {
    throw new StartError('config_invalid', "the console is not built; 'npm run setup' builds it", { cause });
  }
}
