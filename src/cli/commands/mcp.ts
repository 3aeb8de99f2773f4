// `telltale mcp`: a Model Context Protocol server, with which an AI assistant on this machine checks images.
import { once } from 'node:events';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Transform, type TransformCallback, type Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { PROFILE_NAMES } from 'telltale-engine/internal/check/types.js';
import { checkerSettings, loadConfig, loadServiceAccess } from '../../config.js';
import { DEVICE_NAMES } from 'telltale-engine/internal/engine/types.js';
import { createMcpServer } from '../../service/mcp/server.js';
import type { Terminal } from '../terminal/terminal.js';
import { readChoice, type Command, type ExitStatus } from './command.js';
import { Assistant, shareRoots } from './mcp/assistant.js';
import { createEngineChecker, LazyChecker, createServiceChecker } from './mcp/image-checker.js';
import { isFolder } from 'telltale-engine/internal/base/files.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';
import { MAX_IMAGE_BYTES, MAX_IMAGE_MB } from 'telltale-engine/internal/base/limits.js';

const HELP = `Usage: telltale mcp [OPTIONS] [FOLDER ...]

Serves an AI assistant by the Model Context Protocol on standard input and
output, with the tools check_image, check_folder, verify_record, explain_check.
The assistant starts this command; docs/mcp.md shows the settings.

The assistant can read only files in the FOLDERs and their subfolders. Links to
other places are not followed. If the assistant names roots, files must also be
below a root. Without FOLDERs, only the roots are readable.

  --profile P   ${PROFILE_NAMES.join(', ')} (default: balanced)
  --device D    ${DEVICE_NAMES.join(', ')} (default: auto)

Images are checked in this process, or by a service if TELLTALE_URL and
TELLTALE_KEY are set.

Exit status: 0 closed by the assistant, 2 wrong usage, 130 stopped.`;

export const mcpCommand: Command = { help: HELP, run };

async function run(args: string[], { err, signal }: Terminal): Promise<ExitStatus> {
  const config = loadConfig();
  const access = loadServiceAccess();
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      profile: { type: 'string', default: config.profile },
      device: { type: 'string', default: config.device },
    },
  });
  const profile = readChoice('--profile', values.profile, PROFILE_NAMES);
  const device = readChoice('--device', values.device, DEVICE_NAMES);
  const lazy = new LazyChecker({ ...checkerSettings(config), profile, device });
  const checker = access === null ? createEngineChecker(lazy) : createServiceChecker(access, profile);
  const folders = positionals.map((folder) => resolve(folder));
  for (const folder of folders)
    if (!(await isFolder(folder)))
      await err.writeLine(`telltale: there is no folder '${visibleText(folder)}'`);
  const assistant = new Assistant({ config, access, checker, lazy, folders });
  const server = createMcpServer(assistant);
  shareRoots(server, assistant);
  const lines = process.stdin.pipe(new MessageLines(process.stdout));
  const transport = new StdioServerTransport(lines, process.stdout, { maxBufferSize: MAX_MESSAGE_BYTES });
  const closed = new Promise<void>((resolveClosed) => {
    server.server.onclose = resolveClosed;
  });
  await server.connect(transport);
  const inputClosed = once(process.stdin, 'close', { signal }).catch(() => undefined);
  await Promise.race([closed, inputClosed]);
  await server.close();
  await assistant.close();
  return signal.aborted ? 130 : 0;
}

/** Maximum bytes of a message: the largest image in base64, and room for other fields. */
const MAX_MESSAGE_BYTES = Math.ceil(MAX_IMAGE_BYTES / 3) * 4 + 65_536;
/**
 * Number of bytes to store from the beginning and from the end of an oversized message. One of both parts has
 * the message's identifier.
 */
const EXCERPT_BYTES = 1024;
/** JSON-RPC error code of an invalid request. Source: JSON-RPC 2.0, section 5.1. */
const INVALID_REQUEST = -32_600;
const NEWLINE = 0x0a;

/**
 * Emits each line in one piece, because the protocol's library copies all pieces whenever one arrives. Skips
 * a line above `MAX_MESSAGE_BYTES`, responds to it on `output` and continues with the next line.
 */
class MessageLines extends Transform {
  readonly #output: Writable;
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** Beginning of an oversized line, or null. */
  #head: Buffer | null = null;

  constructor(output: Writable) {
    super();
    this.#output = output;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let rest = chunk;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      this.#take(rest.subarray(0, end + 1));
      this.#endLine();
      rest = rest.subarray(end + 1);
    }
    if (rest.byteLength > 0) this.#take(rest);
    done();
  }

  #take(piece: Buffer): void {
    this.#bytes += piece.byteLength;
    this.#pieces.push(piece);
    if (this.#bytes <= MAX_MESSAGE_BYTES) return;
    this.#head ??= Buffer.concat(this.#pieces).subarray(0, EXCERPT_BYTES);
    this.#pieces = [Buffer.concat(this.#pieces.slice(-2)).subarray(-EXCERPT_BYTES)];
  }

  #endLine(): void {
    const line = Buffer.concat(this.#pieces);
    if (this.#head === null) this.push(line);
    else this.#refuse(idOf(this.#head.toString('utf8')) ?? idOf(line.toString('utf8')));
    this.#pieces = [];
    this.#bytes = 0;
    this.#head = null;
  }

  #refuse(id: string | number | null): void {
    const message =
      `the message has more than ${MAX_MESSAGE_BYTES} bytes, and an image may have ${MAX_IMAGE_MB} MB ` +
      '(image_too_large): name a file by its path';
    const error = { code: INVALID_REQUEST, message };
    this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`);
  }
}

/** Returns the identifier at the beginning or the end of a message, or null. */
function idOf(excerpt: string): string | number | null {
  const id = /^\{(?:"jsonrpc":"2\.0",)?"id":(\d+|"[^"\\]*")|,"id":(\d+|"[^"\\]*")\}\s*$/.exec(excerpt);
  return id === null ? null : (JSON.parse(id[1] ?? id[2] ?? 'null') as string | number);
}
