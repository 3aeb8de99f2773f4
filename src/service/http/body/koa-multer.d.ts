// Types of the part of @koa/multer in use: it brings none, and the published ones know neither streams nor handlers of
// them.
declare module '@koa/multer' {
  import type { IncomingHttpHeaders } from 'node:http';
  import type { Readable, Writable } from 'node:stream';

  namespace multer {
    /** What stands for the request. */
    type Body = Readable & { readonly headers: IncomingHttpHeaders };

    /** What reads a part with a file name; `originalname` is that name as it was sent. */
    interface StorageEngine {
      _handleFile(
        body: Body,
        file: { readonly fieldname: string; readonly stream: Readable; readonly originalname: string },
        done: (error?: Error | null) => void,
      ): void;
      _removeFile(body: Body, file: object, done: (error: null) => void): void;
    }

    interface Options {
      readonly storage: StorageEngine;
      /** Bytes of a field's value, and lines of a part's head. */
      readonly limits: { readonly fieldSize: number; readonly headerPairs: number };
      readonly preservePath: boolean;
      /** Charset of names, and of values that name none. */
      readonly defParamCharset: string;
      readonly defCharset: string;
      /** Feeds the parser (busboy), after multer's own listeners are on it. Not called if there is no boundary. */
      readonly streamHandler: (body: Body, parser: Writable) => void;
    }

    type Middleware = (ctx: { readonly req: Body }, next: () => unknown) => Promise<unknown>;
  }

  /** Without options files are kept in memory; `single` gives one file as `ctx.file`. */
  function multer(options?: multer.Options): {
    any(): multer.Middleware;
    single(name: string): multer.Middleware;
  };
  export = multer;
}
