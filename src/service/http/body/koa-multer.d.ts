// Types of the part of @koa/multer in use: it brings none, and the published ones know neither streams nor handlers of
// them.
declare module '@koa/multer' {
  import type { IncomingHttpHeaders } from 'node:http';
  import type { Readable, Writable } from 'node:stream';

  namespace multer {
    /** What stands for the request. */
    type Body = Readable & { readonly headers: IncomingHttpHeaders };

    /** A part with a file name, which the storage engine reads. */
    interface File {
      readonly fieldname: string;
      readonly stream: Readable;
      /** Of the file, as it was sent. */
      readonly originalname: string;
    }

    interface StorageEngine {
      _handleFile(body: Body, file: File, done: (error: Error | null, info?: object) => void): void;
      _removeFile(body: Body, file: File, done: (error: Error | null) => void): void;
    }

    /** busboy's events. A name is missing where the part has none, or an empty one. */
    interface Parser extends Writable {
      on(
        event: 'file',
        listener: (name: string | undefined, stream: Readable, info: { readonly filename?: string }) => void,
      ): this;
      on(event: 'field', listener: (name: string | undefined, value: string) => void): this;
      on(event: 'error', listener: (error: Error) => void): this;
    }

    interface Options {
      readonly storage: StorageEngine;
      /** Bytes of a field's value, and lines of a part's head. */
      readonly limits: { readonly fieldSize: number; readonly headerPairs: number };
      readonly preservePath: boolean;
      /** Charset of names, and of values that name none. */
      readonly defParamCharset: string;
      readonly defCharset: string;
      /** Feeds the parser, after multer's own listeners are on it. Not called if there is no boundary. */
      readonly streamHandler: (body: Body, parser: Parser) => void;
    }

    type Middleware = (ctx: { readonly req: Body }, next: () => unknown) => Promise<unknown>;

    interface Multer {
      any(): Middleware;
      /** One file, as `ctx.file`. */
      single(name: string): Middleware;
    }
  }

  /** Without options files are kept in memory. */
  function multer(options?: multer.Options): multer.Multer;
  export = multer;
}
