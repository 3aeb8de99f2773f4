// Types of the used part of @koa/multer, because the published types lack streams and their handlers.
declare module '@koa/multer' {
  import type { IncomingHttpHeaders } from 'node:http';
  import type { Readable, Writable } from 'node:stream';

  namespace multer {
    /** Body in place of the request. */
    type Body = Readable & { readonly headers: IncomingHttpHeaders };

    /** Engine that reads a part with a file name; `originalname` is that name as it was sent. */
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
      /** Maximum bytes of a field's value and lines of a part's head. */
      readonly limits: { readonly fieldSize: number; readonly headerPairs: number };
      readonly preservePath: boolean;
      /** Character set of names, and of values without one. */
      readonly defParamCharset: string;
      readonly defCharset: string;
      /**
       * Function that feeds the parser (busboy) after multer has added its listeners. Not called without a boundary.
       */
      readonly streamHandler: (body: Body, parser: Writable) => void;
    }

    type Middleware = (ctx: { readonly req: Body }, next: () => unknown) => Promise<unknown>;
  }

  /** Without options, files are kept in memory; `single` provides one file as `ctx.file`. */
  function multer(options?: multer.Options): {
    any(): multer.Middleware;
    single(name: string): multer.Middleware;
  };
  export = multer;
}
