// Types of the used parts of @koa/multer, which has none.
declare module '@koa/multer' {
  import type { IncomingHttpHeaders } from 'node:http';
  import type { Readable, Writable } from 'node:stream';

  /** Stream of the body, which multer reads instead of the request. */
  type Body = Readable & { readonly headers: IncomingHttpHeaders };
  type Done = (error?: Error | null) => void;
  /** A part with a file name. `originalname` is the file name as it was sent. */
  interface File {
    readonly fieldname: string;
    readonly originalname: string;
    readonly stream: Readable;
  }
  type Middleware = (ctx: { readonly req: Body }, next: () => unknown) => Promise<unknown>;

  /** Without options, files stay in memory. `single` sets `ctx.file` to one file. */
  export default function multer(options?: {
    readonly storage: {
      _handleFile(body: Body, file: File, done: Done): void;
      _removeFile(body: Body, file: object, done: Done): void;
    };
    /** Maximum bytes of a field's value, and maximum lines of a part's header. */
    readonly limits: { readonly fieldSize: number; readonly headerPairs: number };
    readonly preservePath: boolean;
    /** Character set of names. `defCharset` is the character set of values. */
    readonly defParamCharset: string;
    readonly defCharset: string;
    /** Passes the body to the parser (busboy), to which multer has added its listeners. */
    readonly streamHandler: (body: Body, parser: Writable) => void;
  }): { any(): Middleware; single(name: string): Middleware };
}
