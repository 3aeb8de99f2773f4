// Registers the tools that AI assistants call by the Model Context Protocol, over standard input or HTTP.
import { McpServer, type CallToolResult, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { MAX_IMAGE_MB } from 'telltale-engine/internal/base/limits.js';
import { readVersion } from 'telltale-engine/internal/base/package-paths.js';
import { PROFILE_NAMES, type ProfileName } from 'telltale-engine/internal/check/types.js';

/** A call of the tool `check_picture`. Exactly one of path, url and base64 names the image. */
export interface ImageRequest {
  /** Path of the image, only if the tools may read files. */
  readonly path?: string | undefined;
  readonly url?: string | undefined;
  readonly base64?: string | undefined;
  readonly profile?: ProfileName | undefined;
  readonly heatMap: boolean;
  readonly signal: AbortSignal;
}

/** A call of `verify_record`: paths if the tools may read files, else the record and the image in base64. */
export interface RecordRequest {
  readonly record: string;
  readonly picture?: string | undefined;
  readonly signal: AbortSignal;
}

/** A call of the tool `check_folder`. */
export interface FolderRequest {
  readonly path: string;
  readonly profile?: ProfileName | undefined;
  /** Maximum number of images to check. */
  readonly limit: number;
  /** Path within the folder after which to continue. */
  readonly after?: string | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number) => Promise<void>;
}

/** Functions of the tools that one assistant may call. Refusals are returned as results. */
export interface Tools {
  checkImage(request: ImageRequest): Promise<CallToolResult>;
  verifyRecord(request: RecordRequest): Promise<CallToolResult>;
  explain(id: string, signal: AbortSignal): Promise<CallToolResult>;
  /** Checks a folder. Missing for remote assistants, which must not read files of this machine. */
  checkFolder?(request: FolderRequest): Promise<CallToolResult>;
}

const INSTRUCTIONS =
  'Telltale says whether images are AI-generated, AI-edited or face-swapped. Tell people the reason and the limits that ' +
  "come with a verdict, not the verdict alone; 'No AI detected' is never proof that an image is genuine.";

const profile = z
  .enum(PROFILE_NAMES)
  .optional()
  .describe(
    'operating point: strict has the fewest false positives, sensitive the fewest misses; default: as set up',
  );

const IMAGE = {
  url: z.string().max(8192).optional().describe('public https address'),
  base64: z.string().optional().describe('standard base64 of the original file'),
  profile,
  heat_map: z
    .boolean()
    .default(false)
    .describe('also give the image with its faces and a heat map drawn on it'),
};
const IMAGE_PATH = z
  .string()
  .min(1)
  .max(4096)
  .optional()
  .describe('file within the folders that may be read');

/** Creates a server with these tools. The caller must connect it to a transport. */
export function createMcpServer(tools: Tools): McpServer {
  const server = new McpServer({ name: 'telltale', version: readVersion() }, { instructions: INSTRUCTIONS });
  addImageTool(server, tools);
  if (tools.checkFolder !== undefined) addFolderTool(server, tools.checkFolder.bind(tools));
  addRecordTool(server, tools);
  server.registerTool(
    'explain_check',
    {
      title: 'Explain a check',
      description:
        'Explains an earlier check by its id: the scores against their thresholds, how often those err, Content Credentials, ' +
        'what the file itself declares, and what weakens the verdict.',
      inputSchema: z.object({ id: z.string().max(64).describe('identifier of the check: chk_...') }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ id }, { mcpReq: { signal } }): Promise<CallToolResult> => tools.explain(id, signal),
  );
  return server;
}

function addImageTool(server: McpServer, tools: Tools): void {
  const readsFiles = tools.checkFolder !== undefined;
  const schema: z.ZodType<ImageArguments> = readsFiles
    ? z.object({ path: IMAGE_PATH, ...IMAGE })
    : z.strictObject(IMAGE);
  server.registerTool(
    'check_picture',
    {
      title: 'Check an image',
      description:
        'Says whether one image is AI-generated, AI-edited or face-swapped, with the reason and the limits of the verdict. ' +
        `Name it by exactly one of ${readsFiles ? 'path, ' : ''}url, base64. JPEG, PNG, WebP, AVIF, GIF, BMP or TIFF up to ${MAX_IMAGE_MB} MB, the original file: not resized.`,
      inputSchema: schema,
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    ({ heat_map: heatMap, ...image }, { mcpReq: { signal } }): Promise<CallToolResult> =>
      tools.checkImage({ ...image, heatMap, signal }),
  );
}

type ImageArguments = Omit<ImageRequest, 'heatMap' | 'signal'> & { readonly heat_map: boolean };

function addFolderTool(server: McpServer, checkFolder: NonNullable<Tools['checkFolder']>): void {
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
      checkFolder({ ...request, signal: mcpReq.signal, onProgress: progressOf(mcpReq) }),
  );
}

function addRecordTool(server: McpServer, tools: Tools): void {
  const schema: z.ZodType<RecordArguments> =
    tools.checkFolder === undefined
      ? z.strictObject({
          record: z.string().min(1).describe('text of the record, JSON'),
          base64: z.string().optional().describe('standard base64 of the image that it is about'),
        })
      : z.object({
          record: z.string().min(1).max(4096).describe('file of the record'),
          picture: z.string().min(1).max(4096).optional().describe('file of the image that it is about'),
        });
  server.registerTool(
    'verify_record',
    {
      title: 'Verify a signed record',
      description:
        'Says what holds of a signed record of a check (.json or .html): who signed it, whether it is unchanged, and, with the image, ' +
        'whether it is that image and whether the same comes of its check again.',
      inputSchema: schema,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ record, base64, picture = base64 }, { mcpReq: { signal } }): Promise<CallToolResult> =>
      tools.verifyRecord({ record, picture, signal }),
  );
}

interface RecordArguments {
  readonly record: string;
  readonly picture?: string | undefined;
  readonly base64?: string | undefined;
}

/** Returns a function that reports progress, if the client requested progress. */
function progressOf({
  _meta: meta,
  notify,
}: ServerContext['mcpReq']): (done: number, total: number) => Promise<void> {
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return () => Promise.resolve();
  return (progress, total) =>
    notify({ method: 'notifications/progress', params: { progressToken, progress, total } });
}
