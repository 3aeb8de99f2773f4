// What one assistant can have done: its images, its checks so far, and the answers to its calls.
import type { CallToolResult } from '@modelcontextprotocol/server';
import { CheckError } from '../../../base/errors.js';
import { visibleText } from '../../../base/visible-text.js';
import type { Engine } from '../../../engine/types.js';
import { drawVerdict } from '../check/result-files.js';
import type { CheckResult } from '../../../check/result-schema.js';
import type { ProfileName } from '../../../check/types.js';
import type { Config, ServiceAccess } from '../../../config.js';
import type { Finding } from '../../../record/verify/repeat.js';
import { holdsAll } from '../../../record/verify/verify.js';
import { answer, answerOrRefuse, describeCheck, quoteTexts, withoutDetails } from './answers.js';
import { checkFolder, describeFolder, type FolderRequest } from './check-folder.js';
import { explainCheck } from './explain.js';
import type { LazyChecker, ImageChecker } from './image-checker.js';
import { ImageSource, type NamedImage } from './image-source.js';
import { findPastCheck } from './service-checker.js';
import { verifyRecordFile, type RecordRequest } from './verify-record.js';

/** Checks that can be explained later. Chosen: some megabytes. */
const MOST_REMEMBERED = 2000;

/** What an assistant works with. */
interface AssistantParts {
  readonly config: Config;
  /** The service that checks; null: the engine in this process does. */
  readonly access: ServiceAccess | null;
  readonly checker: ImageChecker;
  /** For heat maps and records; with a service it is seldom loaded. */
  readonly lazy: LazyChecker;
  /** Absolute folders that may be read. */
  readonly folders: readonly string[];
}

/** One call of `check_picture`. */
interface ImageRequest extends NamedImage {
  readonly profile?: ProfileName | undefined;
  readonly heatMap: boolean;
  readonly signal: AbortSignal;
}

/** Answers calls; refusals are answers, too. */
export class Assistant {
  /** The client's roots; set when it connects. */
  askRoots: () => Promise<readonly string[] | null> = () => Promise.resolve(null);
  readonly #parts: AssistantParts;
  readonly #source: ImageSource;
  readonly #checks = new Map<string, CheckResult>();

  constructor(parts: AssistantParts) {
    this.#parts = parts;
    this.#source = new ImageSource({ named: parts.folders, roots: () => this.askRoots() }, parts.config);
  }

  checkImage({ profile, heatMap, signal, ...picture }: ImageRequest): Promise<CallToolResult> {
    return answerOrRefuse(async () => {
      const { checker, lazy } = this.#parts;
      const bytes = await this.#source.read(picture, signal);
      const result = this.#remember(await checker.check(bytes, { profile, heatMap, signal }));
      const described = answer(describeCheck(result, checker.place), withoutDetails(result));
      if (!heatMap) return described;
      const { engine } = await lazy.get();
      const data = Buffer.from(await drawHeatMap(engine, bytes, result)).toString('base64');
      return {
        ...described,
        content: [...described.content, { type: 'image', data, mimeType: 'image/png' }],
      };
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
      return answer(findings.map(describeFinding).join('\n'), { holds: holdsAll(findings), findings });
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

  /** The heat map is large, and nothing needs it later. */
  #remember(result: CheckResult): CheckResult {
    const { heatmap, ...details } = result.details ?? {};
    this.#checks.set(result.id, heatmap === undefined ? result : { ...result, details });
    const [oldest] = this.#checks.keys();
    if (this.#checks.size > MOST_REMEMBERED && oldest !== undefined) this.#checks.delete(oldest);
    return result;
  }
}

function describeFinding({ about, holds, text }: Finding): string {
  const state = holds === null ? 'not checked' : holds ? 'holds' : 'does not hold';
  return `${about}: ${state}; ${visibleText(text)}`;
}

/** Pixels of the longer side. Chosen: what assistants shrink images to anyway. */
const LONG_SIDE_PX = 1024;

/** A PNG of the image with faces, heat map and verdict. Rejects as the engine does. */
function drawHeatMap(engine: Engine, bytes: Uint8Array, result: CheckResult): Promise<Uint8Array> {
  const { details, scores, is_ai: isAi } = result;
  const thresholds = details?.thresholds;
  if (thresholds === undefined) throw new CheckError('internal_error', 'the result has no thresholds');
  const { threshold: faceThreshold } = thresholds.face_specialist;
  const { full_image_specialist: whole, face_specialist: face } = scores;
  const drawn = {
    isAi,
    wholeImage:
      whole === null ? null : { score: whole, threshold: thresholds.full_image_specialist.threshold },
    face: face === null ? null : { score: face, threshold: faceThreshold },
    faceThreshold,
    faces: details?.faces ?? [],
    patches: details?.heatmap?.patches ?? [],
  };
  return drawVerdict(engine, bytes, drawn, LONG_SIDE_PX);
}
