// Types for the used parts of @koa/multer. The published types lack streams and their handlers.
declare module '@koa/multer' {
  import type { IncomingHttpHeaders } from 'node:http';
  import type { Readable, Writable } from 'node:stream';

  namespace multer {
    /** Stream of the body, which multer reads instead of the request. */
    type Body = Readable & { readonly headers: IncomingHttpHeaders };

    /** Receiver of parts with a file name. `originalname` is the file name as it was sent. */
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
      /** Maximum bytes of a field's value, and maximum lines of a part's header. */
      readonly limits: { readonly fieldSize: number; readonly headerPairs: number };
      readonly preservePath: boolean;
      /** Default character set of names. `defCharset` is the default for values. */
      readonly defParamCharset: string;
      readonly defCharset: string;
      /**
       * Function that passes the body to the parser (busboy), called after multer has added its listeners.
       * Not called without a boundary.
       */
      readonly streamHandler: (body: Body, parser: Writable) => void;
    }

    type Middleware = (ctx: { readonly req: Body }, next: () => unknown) => Promise<unknown>;
  }

  /** Without options, files stay in memory. `single` sets `ctx.file` to one file. */
  function multer(options?: multer.Options): {
    any(): multer.Middleware;
    single(name: string): multer.Middleware;
  };
  export = multer;
}
