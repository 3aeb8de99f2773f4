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
import { MessageLines, MOST_MESSAGE_BYTES } from './mcp/message-lines.js';
import { createServiceChecker } from './mcp/service-checker.js';

const HELP = `Usage: telltale mcp [OPTIONS] [FOLDER ...]

Serves an assistant on standard input and output by the Model Context Protocol:
check_image, check_folder, verify_record and explain_check. The assistant
starts it; docs/mcp.md has what to write into its settings.

FOLDERs are what it may read, with what is below them; links that lead out are
not followed. Where the assistant names roots, a file has to be below one of
those, too; without FOLDERs they alone decide.

  --profile P   ${PROFILE_NAMES.join(', ')} (default: balanced)
  --device D    ${DEVICE_NAMES.join(', ')} (default: auto)

Images are checked by the engine in the process, or, where TELLTALE_URL and
TELLTALE_KEY are set, by that service.

Exit status: 0 the assistant closed it, 2 wrong usage, 130 stopped.`;

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
  const transport = new StdioServerTransport(lines, process.stdout, { maxBufferSize: MOST_MESSAGE_BYTES });
  const closed = new Promise<void>((resolveClosed) => {
    server.server.onclose = resolveClosed;
  });
  await server.connect(transport);
  const ended = once(process.stdin, 'close', { signal }).catch(() => undefined);
  await Promise.race([closed, ended]);
  await server.close();
  await assistant.close();
  return signal.aborted ? 130 : 0;
}
