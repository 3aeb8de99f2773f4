// `telltale mcp`: a Model Context Protocol server, with which an AI assistant on this machine checks images.
import { once } from 'node:events';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { PROFILE_NAMES } from 'telltale-engine/internal/check/types.js';
import { checkerSettings, loadConfig, loadServiceAccess } from '../../config.js';
import { DEVICE_NAMES } from 'telltale-engine/internal/engine/types.js';
import { createMcpServer } from '../../service/mcp/server.js';
import type { Terminal } from '../terminal/terminal.js';
import { readChoice, type Command, type ExitStatus } from './command.js';
import { Assistant, shareRoots } from './mcp/assistant.js';
import { createEngineChecker, LazyChecker } from './mcp/image-checker.js';
import { MessageLines, MAX_MESSAGE_BYTES } from './mcp/message-lines.js';
import { createServiceChecker } from './mcp/service-checker.js';

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

async function run(args: string[], { signal }: Terminal): Promise<ExitStatus> {
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
