// The tools that an assistant sees, by the Model Context Protocol.
import { MAX_IMAGE_MB } from '../../../base/limits.js';
import { fileURLToPath } from 'node:url';
import { McpServer, type CallToolResult, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { readVersion } from '../../../base/package-paths.js';
import { PROFILE_NAMES } from '../../../check/types.js';
import type { Assistant } from './assistant.js';

const INSTRUCTIONS =
  'Telltale says whether images are AI-generated, AI-edited or face-swapped. Tell people the reason and the limits that ' +
  "come with a verdict, not the verdict alone; 'No AI detected' is never proof that an image is genuine.";

const profile = z
  .enum(PROFILE_NAMES)
  .optional()
  .describe(
    'operating point: strict has the fewest false positives, sensitive the fewest misses; default: as set up',
  );

/** A server whose tools are `assistant`'s; it still has to be connected. */
export function createMcpServer(assistant: Assistant): McpServer {
  const server = new McpServer({ name: 'telltale', version: readVersion() }, { instructions: INSTRUCTIONS });
  shareRoots(server, assistant);
  addCheckTools(server, assistant);
  addKnowledgeTools(server, assistant);
  return server;
}

/**
 * Roots are asked for with the first path, and again after the client said that they changed. Revision 2026-07-28 of the
 * protocol deprecates them; a connected transport serves the earlier revisions, whose clients name their folders so.
 */
function shareRoots(server: McpServer, assistant: Assistant): void {
  let asked: Promise<readonly string[]> | null = null;
  /* eslint-disable @typescript-eslint/no-deprecated */
  assistant.askRoots = async () => {
    if (server.server.getClientCapabilities()?.roots === undefined) return null;
    asked ??= server.server.listRoots().then(({ roots }) => roots.flatMap(({ uri }) => folderOf(uri)));
    return asked.catch((error: unknown) => {
      asked = null;
      throw error;
    });
  };
  /* eslint-enable @typescript-eslint/no-deprecated */
  server.server.setNotificationHandler('notifications/roots/list_changed', () => {
    asked = null;
  });
}

function folderOf(uri: string): string[] {
  try {
    return [fileURLToPath(uri)];
  } catch {
    return [];
  }
}

function addCheckTools(server: McpServer, assistant: Assistant): void {
  server.registerTool(
    'check_picture',
    {
      title: 'Check an image',
      description:
        'Says whether one image is AI-generated, AI-edited or face-swapped, with the reason and the limits of the verdict. ' +
        `Name it by exactly one of path, url, base64. JPEG, PNG, WebP, AVIF, GIF, BMP or TIFF up to ${MAX_IMAGE_MB} MB, the original file: not resized.`,
      inputSchema: z.object({
        path: z.string().min(1).max(4096).optional().describe('file within the folders that may be read'),
        url: z.string().max(8192).optional().describe('public https address'),
        base64: z.string().optional().describe('standard base64 of the original file'),
        profile,
        heat_map: z
          .boolean()
          .default(false)
          .describe('also give the image with its faces and a heat map drawn on it'),
      }),
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    ({ heat_map: heatMap, ...picture }, { mcpReq: { signal } }): Promise<CallToolResult> =>
      assistant.checkImage({ ...picture, heatMap, signal }),
  );
  server.registerTool(
    'check_folder',
    {
      title: 'Check the images of a folder',
      description:
        'Checks the images of a folder and the folders within it, recognised by their extensions, and lists those where AI was detected ' +
        'and those that were refused. Hidden files are left out. More than limit: call again with after.',
      inputSchema: z.object({
        path: z.string().min(1).max(4096).describe('folder within those that may be read'),
        profile,
        limit: z.number().int().min(1).max(500).default(100).describe('images of this call'),
        after: z.string().max(4096).optional().describe('go on after this file, as the last answer said'),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    (request, { mcpReq }): Promise<CallToolResult> =>
      assistant.checkFolder({ ...request, signal: mcpReq.signal, onProgress: progressOf(mcpReq) }),
  );
}

function addKnowledgeTools(server: McpServer, assistant: Assistant): void {
  server.registerTool(
    'verify_record',
    {
      title: 'Verify a signed record',
      description:
        'Says what holds of a signed record of a check (.json or .html): who signed it, whether it is unchanged, and, with the image, ' +
        'whether it is that image and whether the same comes of its check again.',
      inputSchema: z.object({
        record: z.string().min(1).max(4096).describe('file of the record'),
        picture: z.string().min(1).max(4096).optional().describe('file of the image that it is about'),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    (request, { mcpReq: { signal } }): Promise<CallToolResult> =>
      assistant.verifyRecord({ ...request, signal }),
  );
  server.registerTool(
    'explain_check',
    {
      title: 'Explain a check',
      description:
        'Explains a check of this conversation by its id: the scores against their thresholds, how often those err, Content Credentials, ' +
        'what the file itself declares, and what weakens the verdict.',
      inputSchema: z.object({ id: z.string().max(64).describe('identifier of the check: chk_...') }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ id }, { mcpReq: { signal } }): Promise<CallToolResult> => assistant.explain(id, signal),
  );
}

/** Tells the client how far it is, if it asked for that. */
function progressOf({
  _meta: meta,
  notify,
}: ServerContext['mcpReq']): (done: number, total: number) => Promise<void> {
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return () => Promise.resolve();
  return (progress, total) =>
    notify({ method: 'notifications/progress', params: { progressToken, progress, total } });
}
