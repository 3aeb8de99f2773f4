// Registers the tools that AI assistants call by the Model Context Protocol, over standard input or HTTP.
import {
  fromJsonSchema,
  McpServer,
  type CallToolResult,
  type JsonSchemaType,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { Type, type Static, type TObject } from '@sinclair/typebox';
import { MAX_IMAGE_MB } from 'telltale-engine/internal/base/limits.js';
import { readVersion } from 'telltale-engine/internal/base/package-paths.js';
import { listFaults, nullable, oneOf } from 'telltale-engine/internal/base/shape.js';
import { AssessmentSchema } from 'telltale-engine/internal/check/details-schema.js';
import { CheckResultSchema } from 'telltale-engine/internal/check/result-schema.js';
import { AppealStateSchema } from '../http/openapi/schemas.js';
import { PROFILE_NAMES, type ProfileName } from 'telltale-engine/internal/check/types.js';

/** A call of the tool `check_image`. Exactly one of path, url and base64 names the image. */
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
  readonly image?: string | undefined;
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
  'Telltale detects AI-generated, AI-edited and face-swapped images. Always tell people the reason and the limits that ' +
  "come with a verdict. 'No AI detected' never proves that an image is genuine.";

const profile = Type.Optional(
  oneOf(
    PROFILE_NAMES,
    'operating point: strict has the fewest false positives, sensitive the fewest misses; default: the configured one',
  ),
);

const IMAGE = {
  url: Type.Optional(Type.String({ maxLength: 8192, description: 'public https address' })),
  base64: Type.Optional(Type.String({ description: 'original file in standard base64' })),
  profile,
  heat_map: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'also return the image with its faces: flagged faces enlarged, and a heat map if the whole image is flagged',
    }),
  ),
};
const LOCAL_IMAGE = {
  path: Type.Optional(
    Type.String({ minLength: 1, maxLength: 4096, description: 'path of a file in a readable folder' }),
  ),
  ...IMAGE,
};
type ImageArguments = Static<TObject<typeof LOCAL_IMAGE>>;

const FOLDER = {
  path: Type.String({ minLength: 1, maxLength: 4096, description: 'path of a readable folder' }),
  profile,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 500,
      default: 100,
      description: 'maximum number of images per call',
    }),
  ),
  after: Type.Optional(
    Type.String({
      maxLength: 4096,
      description: 'continue after this file: the value that the last call named',
    }),
  ),
};
type FolderArguments = Static<TObject<typeof FOLDER>>;

const RECORD = {
  record: Type.String({ minLength: 1, description: 'record as JSON text' }),
  base64: Type.Optional(Type.String({ description: 'image of the record in standard base64' })),
};
const LOCAL_RECORD = {
  record: Type.String({ minLength: 1, maxLength: 4096, description: 'path of the record' }),
  image: Type.Optional(
    Type.String({ minLength: 1, maxLength: 4096, description: 'path of the image of the record' }),
  ),
  picture: Type.Optional(
    Type.String({ minLength: 1, maxLength: 4096, description: 'deprecated: use image' }),
  ),
};
type RecordArguments = Static<TObject<typeof LOCAL_RECORD>> & Static<TObject<typeof RECORD>>;

const EXPLANATION = { id: Type.String({ maxLength: 64, description: 'identifier of the check: chk_...' }) };

const FILE_NOTE = {
  data_from_file: Type.String({ description: 'note about texts that come from the file' }),
};
/** Result of a check. */
const CHECKED = Type.Object({
  ...Type.Omit(CheckResultSchema, ['details']).properties,
  assessment: AssessmentSchema,
  ...FILE_NOTE,
});
/** Result of a folder: for each file the result of its check, or its refusal. */
const CHECKED_FOLDER = Type.Object({
  files: Type.Array(Type.Object({ file: Type.String() })),
  left: Type.Integer({ minimum: 0, description: 'number of images after this page' }),
  ...FILE_NOTE,
});
/** Findings about a record. */
const VERIFIED = Type.Object({
  holds: Type.Boolean({ description: 'true if no finding fails' }),
  findings: Type.Array(
    Type.Object({
      about: Type.String(),
      holds: Type.Union([Type.Boolean(), Type.Null()], { description: 'null: not checked' }),
      text: Type.String(),
    }),
  ),
  ...FILE_NOTE,
});
/** Explained check. Fields that the history did not keep are null. */
const EXPLAINED = Type.Object({
  id: Type.String(),
  is_ai: Type.Boolean(),
  assessment: AssessmentSchema,
  appeal: Type.Optional(nullable(AppealStateSchema)),
  ...FILE_NOTE,
});

/** Creates a server with these tools. The caller must connect it to a transport. */
export function createMcpServer(tools: Tools): McpServer {
  const server = new McpServer(
    { name: 'telltale', version: readVersion() },
    // The tools never change.
    { instructions: INSTRUCTIONS, capabilities: { tools: { listChanged: false } } },
  );
  addImageTools(server, tools);
  if (tools.checkFolder !== undefined) addFolderTool(server, tools.checkFolder.bind(tools));
  addRecordTool(server, tools);
  server.registerTool(
    'explain_check',
    {
      title: 'Explain a check',
      description:
        'Explains an earlier check: scores, thresholds and their error rates, Content Credentials, ' +
        'what the file itself declares, and what weakens the verdict.',
      inputSchema: readShape<{ id: string }>(Type.Object(EXPLANATION)),
      outputSchema: readShape(EXPLAINED),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ id }, { mcpReq: { signal } }): Promise<CallToolResult> => tools.explain(id, signal),
  );
  return server;
}

/** Adds `check_image`, and its former name for programs that call it without reading the list of tools. */
function addImageTools(server: McpServer, tools: Tools): void {
  const readsFiles = tools.checkFolder !== undefined;
  const inputSchema = readShape<ImageArguments>(
    readsFiles ? Type.Object(LOCAL_IMAGE) : Type.Object(IMAGE, { additionalProperties: false }),
  );
  const description =
    'Detects whether one image is AI-generated, AI-edited or face-swapped, and returns the reason and the limits of the verdict. ' +
    `Requires exactly one of ${readsFiles ? 'path, ' : ''}url and base64. JPEG, PNG, WebP, AVIF, GIF, BMP or TIFF up to ${MAX_IMAGE_MB} MB. Send the original file, not a resized copy.`;
  for (const [name, text] of [
    ['check_image', description],
    ['check_picture', 'Deprecated name of check_image.'],
  ] as const)
    server.registerTool(
      name,
      {
        title: 'Check an image',
        description: text,
        inputSchema,
        outputSchema: readShape(CHECKED),
        annotations: { readOnlyHint: true, openWorldHint: true },
      },
      ({ heat_map: heatMap = false, ...image }, { mcpReq: { signal } }): Promise<CallToolResult> =>
        tools.checkImage({ ...image, heatMap, signal }),
    );
}

function addFolderTool(server: McpServer, checkFolder: NonNullable<Tools['checkFolder']>): void {
  server.registerTool(
    'check_folder',
    {
      title: 'Check the images of a folder',
      description:
        'Checks the images of a folder and its subfolders, recognised by file extension, and lists the images in which AI was detected ' +
        'and the refused ones. Skips hidden files. If images are left, call again with after.',
      inputSchema: readShape<FolderArguments>(Type.Object(FOLDER)),
      outputSchema: readShape(CHECKED_FOLDER),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ limit = 100, ...request }, { mcpReq }): Promise<CallToolResult> =>
      checkFolder({ ...request, limit, signal: mcpReq.signal, onProgress: progressOf(mcpReq) }),
  );
}

function addRecordTool(server: McpServer, tools: Tools): void {
  const inputSchema = readShape<RecordArguments>(
    tools.checkFolder === undefined
      ? Type.Object(RECORD, { additionalProperties: false })
      : Type.Object(LOCAL_RECORD),
  );
  server.registerTool(
    'verify_record',
    {
      title: 'Verify a signed record',
      description:
        'Verifies the signed record of a check (.json or .html): who signed it and whether it is unchanged. With the image, ' +
        'also verifies that the record is about this image, and repeats the check.',
      inputSchema,
      outputSchema: readShape(VERIFIED),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    (
      { record, base64, picture = base64, image = picture },
      { mcpReq: { signal } },
    ): Promise<CallToolResult> => tools.verifyRecord({ record, image, signal }),
  );
}

/** Converts a schema for the protocol's library. Errors have the texts of the HTTP API. */
function readShape<T>(schema: TObject): ReturnType<typeof fromJsonSchema<T>> {
  // Without the names that only /openapi.json uses.
  const json = JSON.stringify(schema, (name, value: unknown) => (name === '$id' ? undefined : value));
  return fromJsonSchema<T>(JSON.parse(json) as JsonSchemaType, {
    getValidator: () => (input) => {
      const [fault] = listFaults(schema, input);
      return fault === undefined
        ? { valid: true, data: input as never, errorMessage: undefined }
        : { valid: false, data: undefined, errorMessage: fault.text };
    },
  });
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
