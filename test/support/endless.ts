// Makes a server response that never seems to end.
import type { IncomingMessage, ServerResponse } from 'node:http';

const MIB = 1_048_576;

/**
 * Creates a handler that sends 60 MiB as fast as the client reads. `wasTaken` returns whether all bytes were
 * read.
 */
export function openFlood(): {
  readonly handle: (req: IncomingMessage, res: ServerResponse) => void;
  readonly wasTaken: () => boolean;
} {
  let left = 60;
  return {
    handle: (_req, res) => {
      const write = (): void => {
        while (!res.destroyed && left > 0) {
          left -= 1;
          if (!res.write(Buffer.alloc(MIB))) return void res.once('drain', write);
        }
      };
      write();
    },
    wasTaken: () => left === 0,
  };
}
