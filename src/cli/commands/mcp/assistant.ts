// Handling an AI assistant's tool calls: checking images, explaining earlier checks, verifying records.
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
  withAssessment,
  withoutDetails,
} from '../../../service/mcp/answers.js';
import { explainCheck, type ExplainedCheck } from '../../../service/mcp/explain.js';
import type { FolderRequest, ImageRequest, RecordRequest, Tools } from '../../../service/mcp/server.js';
import { checkFolder, describeFolder } from './check-folder.js';
import { type LazyChecker, type ImageChecker, findPastCheck } from './image-checker.js';
import { ImageSource, withFileInside } from './image-source.js';
import { readFile, stat } from 'node:fs/promises';
import { PACKAGE_MODELS_DIR, readVersion } from 'telltale-engine/internal/base/package-paths.js';
import { digestBytes } from 'telltale-engine/internal/base/bytes.js';
import { readProvenance } from '../../../record/content/provenance.js';
import { RecordFault } from '../../../record/faults.js';
import { loadKeySet } from '../../../record/keys/key-set.js';
import type { PublicKey } from '../../../record/keys/keys.js';
import { MAX_RECORD_BYTES, readRecord } from '../../../record/verify/read-record.js';
import type { Finding, Repeating } from '../../../record/verify/repeat.js';
import { verifyRecord } from '../../../record/verify/verify.js';
import { loadRecordKeys } from '../open-database.js';

/** Maximum number of earlier checks that can be explained. They take some megabytes of memory. */
const MAX_REMEMBERED_CHECKS = 2000;

/** Objects and settings that an assistant's tools use. */
interface AssistantParts {
  readonly config: Config;
  /** Service that checks the images, or null if the engine in this process checks them. */
  readonly access: ServiceAccess | null;
  readonly checker: ImageChecker;
  /** Engine for heat maps and records. If a service checks the images, it is rarely loaded. */
  readonly lazy: LazyChecker;
  /** Absolute paths of the folders that the assistant may read. */
  readonly folders: readonly string[];
}

/**
 * Handles tool calls of one assistant. Returns refusals as results, so that the assistant sees the reason.
 */
export class Assistant implements Tools {
  /** Function that returns the client's roots (folders that it shares), set after the client connects. */
  requestRoots: () => Promise<readonly string[] | null> = () => Promise.resolve(null);
  readonly #parts: AssistantParts;
  readonly #source: ImageSource;
  readonly #checks = new Map<string, CheckResult>();

  constructor(parts: AssistantParts) {
    this.#parts = parts;
    this.#source = new ImageSource(
      { configuredFolders: parts.folders, readRoots: () => this.requestRoots() },
      parts.config,
    );
  }

  checkImage({ profile, heatMap, signal, ...image }: ImageRequest): Promise<CallToolResult> {
    return answerOrRefuse(async () => {
      const { checker, lazy } = this.#parts;
      const bytes = await this.#source.read(image, signal);
      const result = this.#remember(await checker.check(bytes, { profile, heatMap, signal }));
      const heatMapImage = heatMap ? await drawHeatMap((await lazy.get()).engine, bytes, result) : null;
      return answerCheck(result, checker.checkedBy, heatMapImage);
    });
  }

  checkFolder(request: FolderRequest): Promise<CallToolResult> {
    return answerOrRefuse(async () => {
      const folderResult = await checkFolder(this.#parts.checker, this.#source, request);
      const files = folderResult.entries.map((entry) =>
        'result' in entry
          ? { file: entry.file, ...withoutDetails(this.#remember(entry.result)) }
          : { file: entry.file, error: entry.error },
      );
      return answer(describeFolder(folderResult), { files, left: folderResult.uncheckedFiles });
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
      const remembered: ExplainedCheck | undefined = this.#checks.get(id);
      const past = access && (await findPastCheck(access, id, signal));
      // Only the service knows whether an appeal overturned the verdict, and only the remembered result has details.
      const result = remembered && past ? { ...remembered, appeal: past.appeal } : (remembered ?? past);
      if (!result) throw new CheckError('not_found', 'There is no check with this id. Check the image again');
      return answer(explainCheck(result), withAssessment(result, result));
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#source.close(), this.#parts.lazy.close()]);
  }

  /** Remembers a check for later explanations, without the heat map, which is large and not needed. */
  #remember(result: CheckResult): CheckResult {
    const { heatmap, ...details } = result.details ?? {};
    this.#checks.set(result.id, heatmap === undefined ? result : { ...result, details });
    const [oldest] = this.#checks.keys();
    if (this.#checks.size > MAX_REMEMBERED_CHECKS && oldest !== undefined) this.#checks.delete(oldest);
    return result;
  }
}

/**
 * Lets `assistant` ask the client for its roots (folders that it shares) at the first path, and again after
 * the client reports a change. Later revisions of the protocol deprecate roots, but clients of this server's
 * revisions send them.
 */
export function shareRoots({ server }: McpServer, assistant: Assistant): void {
  let pendingRoots: Promise<readonly string[]> | null = null;
  /* eslint-disable @typescript-eslint/no-deprecated */
  assistant.requestRoots = async () => {
    if (server.getClientCapabilities()?.roots === undefined) return null;
    pendingRoots ??= server.listRoots().then(({ roots }) => roots.flatMap(({ uri }) => folderOf(uri)));
    return pendingRoots.catch((error: unknown) => {
      pendingRoots = null;
      throw error;
    });
  };
  /* eslint-enable @typescript-eslint/no-deprecated */
  server.setNotificationHandler('notifications/roots/list_changed', () => {
    pendingRoots = null;
  });
}

function folderOf(uri: string): string[] {
  try {
    return [fileURLToPath(uri)];
  } catch {
    return [];
  }
}

/** Objects and settings that the verification uses. */
interface VerificationParts {
  readonly config: Config;
  /** Service whose public keys are trusted; null to trust this installation's keys. */
  readonly access: ServiceAccess | null;
  readonly source: ImageSource;
  /** Checker that repeats the check if the recorded image is given, too. */
  readonly lazy: LazyChecker;
}

/**
 * Verifies a record and returns one line per finding. Trusts only keys that the person running the server
 * configured, never keys from the assistant, because a forger would supply both record and key. Rejects with
 * RecordFault, CheckError or StartError.
 */
async function verifyRecordFile(
  { config, access, source, lazy }: VerificationParts,
  { record, image, signal }: RecordRequest,
): Promise<readonly Finding[]> {
  const received = readRecord(await withFileInside(record, source.boundaries, readRecordFile));
  const bytes = image === undefined ? null : await source.read({ path: image }, signal);
  const original = bytes && { bytes, sha256: await digestBytes(bytes) };
  const repeating = async (): Promise<Repeating> => {
    const checker = await lazy.get();
    return {
      setting: await readProvenance(checker, config.modelsDir ?? PACKAGE_MODELS_DIR, readVersion()),
      check: (...input) => checker.check(...input),
    };
  };
  return verifyRecord(received, await keysThatCount(config, access), original, repeating);
}

async function keysThatCount(config: Config, access: ServiceAccess | null): Promise<readonly PublicKey[]> {
  if (access !== null) return loadKeySet(`${access.url}/.well-known/telltale-keys.json`);
  return (await loadRecordKeys(config)).publicKeys();
}

async function readRecordFile(path: string): Promise<Uint8Array> {
  const { size } = await stat(path);
  if (size > MAX_RECORD_BYTES)
    throw new RecordFault(`a record has at most ${MAX_RECORD_BYTES} bytes; this file has ${size}`);
  return readFile(path);
}
