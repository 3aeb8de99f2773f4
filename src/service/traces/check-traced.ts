// Checks an image as part of a trace, with its stages and outcome.
import { performance } from 'node:perf_hooks';
import { checkImage, type CheckDeps } from 'telltale-engine/internal/check/check.js';
import type { CheckInput } from 'telltale-engine/internal/check/types.js';
import type { CheckReport } from 'telltale-engine/internal/check/report.js';
import type { Span } from './span.js';

/** Checks an image as `checkImage` does. Adds the duration of each stage and the verdict to `span`. */
export async function checkTraced(span: Span, deps: CheckDeps, input: CheckInput): Promise<CheckReport> {
  const startMs = performance.now();
  const report = await checkImage(deps, input);
  addStages(span, startMs, report);
  span.addFacts({
    'telltale.format': report.image.format,
    'telltale.profile': report.profile,
    'telltale.is_ai': report.isAi,
    'telltale.fired': report.fired,
    'telltale.views': report.views,
  });
  return report;
}

/**
 * Adds a child span for each stage. Face detection and inference overlap, so both start with the decoded
 * image.
 */
function addStages(span: Span, startMs: number, { timings, fullImageScore }: CheckReport): void {
  const headerMs = startMs + timings.header;
  const askedMs = headerMs + timings.credentials;
  span.add('credentials', headerMs, askedMs);
  // Verified credentials decided the verdict, so the detectors did not run.
  if (fullImageScore === null) return;
  const begunMs = askedMs + timings.queue;
  const decodedMs = begunMs + timings.decode;
  span.add('wait', askedMs, begunMs);
  span.add('decode', begunMs, decodedMs);
  span.add('faces', decodedMs, decodedMs + timings.faces);
  span.add('inference', decodedMs, decodedMs + timings.inference);
}
