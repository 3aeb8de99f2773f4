// The tools of one assistant on this machine: its images, its earlier checks, and responses to its calls.
import { fileURLToPath } from 'node:url';
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { CheckResult } from 'telltale-engine/internal/check/result-schema.js';
import type { Config, ServiceAccess } from '../../../config.js';
import {
  answer,
  answerCheck,
  answerFindings,
  answerOrRefuse,
  drawHeatMap,
  quoteTexts,
  withoutDetails,
} from '../../../service/mcp/answers.js';
import { explainCheck } from '../../../service/mcp/explain.js';
import type { FolderRequest, ImageRequest, RecordRequest, Tools } from '../../../service/mcp/server.js';
import { checkFolder, describeFolder } from './check-folder.js';
import type { LazyChecker, ImageChecker } from './image-checker.js';
import { ImageSource } from './image-source.js';
import { findPastCheck } from './service-checker.js';
import { verifyRecordFile } from './verify-record.js';

/** Maximum number of checks that can be explained later. Chosen: some megabytes. */
const MOST_REMEMBERED = 2000;

/** Dependencies of an assistant. */
interface AssistantParts {
  readonly config: Config;
  /** Service that checks the images, or null for the engine in this process. */
  readonly access: ServiceAccess | null;
  readonly checker: ImageChecker;
  /** Engine for heat maps and records. With a service it is rarely loaded. */
  readonly lazy: LazyChecker;
  /** Absolute paths of readable folders. */
  readonly folders: readonly string[];
}

/** Handles tool calls. Refusals are results, too. */
export class Assistant implements Tools {
  /** Function that returns the client's roots. Set after the client connected. */
  askRoots: () => Promise<readonly string[] | null> = () => Promise.resolve(null);
  readonly #parts: AssistantParts;
  readonly #source: ImageSource;
  readonly #checks = new Map<string, CheckResult>();

  constructor(parts: AssistantParts) {
    this.#parts = parts;
    this.#source = new ImageSource({ named: parts.folders, roots: () => this.askRoots() }, parts.config);
  }

  checkImage({ profile, heatMap, signal, ...image }: ImageRequest): Promise<CallToolResult> {
    return answerOrRefuse(async () => {
      const { checker, lazy } = this.#parts;
      const bytes = await this.#source.read(image, signal);
      const result = this.#remember(await checker.check(bytes, { profile, heatMap, signal }));
      const drawn = heatMap ? await drawHeatMap((await lazy.get()).engine, bytes, result) : null;
      return answerCheck(result, checker.place, drawn);
    });
  }

  checkFolder(request: FolderRequest): Promise<CallToolResult> {
    return answerOrRefuse(async () => {
      const found = await checkFolder(this.#parts.checker, this.#source, request);
      const files = found.entries.map((entry) =>
        'result' in entry
          ? { file: entry.file, ...withoutDetails(this.#remember(entry.result)) }
          : { file: entry.file, error: entry.error },
      );
      return answer(describeFolder(found), { files, left: found.left });
    });
  }

  verifyRecord(request: RecordRequest): Promise<CallToolResult> {
    return answerOrRefuse(async () => {
      const { config, access, lazy } = this.#parts;
      const findings = await verifyRecordFile({ config, access, lazy, source: this.#source }, request);
      return answerFindings(findings);
    });
  }

  explain(id: string, signal: AbortSignal): Promise<CallToolResult> {
    return answerOrRefuse(async () => {
      const { access } = this.#parts;
      const result = this.#checks.get(id) ?? (access && (await findPastCheck(access, id, signal)));
      if (!result)
        throw new CheckError('not_found', 'no check by this id is known here; check the image again');
      return answer(explainCheck(result), quoteTexts(result));
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#source.close(), this.#parts.lazy.close()]);
  }

  /** The heat map is large and not needed later. */
  #remember(result: CheckResult): CheckResult {
    const { heatmap, ...details } = result.details ?? {};
    this.#checks.set(result.id, heatmap === undefined ? result : { ...result, details });
    const [oldest] = this.#checks.keys();
    if (this.#checks.size > MOST_REMEMBERED && oldest !== undefined) this.#checks.delete(oldest);
    return result;
  }
}

/**
 * Makes `assistant` ask the client for its roots with the first path, and again after the client reported a change.
 * Revision 2026-07-28 of the protocol deprecates roots; the connected transport serves earlier revisions, whose
 * clients send them.
 */
export function shareRoots({ server }: McpServer, assistant: Assistant): void {
  let asked: Promise<readonly string[]> | null = null;
  /* eslint-disable @typescript-eslint/no-deprecated */
  assistant.askRoots = async () => {
    if (server.getClientCapabilities()?.roots === undefined) return null;
    asked ??= server.listRoots().then(({ roots }) => roots.flatMap(({ uri }) => folderOf(uri)));
    return asked.catch((error: unknown) => {
      asked = null;
      throw error;
    });
  };
  /* eslint-enable @typescript-eslint/no-deprecated */
  server.setNotificationHandler('notifications/roots/list_changed', () => {
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
