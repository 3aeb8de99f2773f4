// Comparing a baseline's verdicts with Telltale's, through the same interface that is measured later.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { createChecker, presentCheck } from 'telltale-engine';
import { makeBody } from '../load/http-bodies.js';
import type { BaselineResult } from '../baselines/node/check.js';
import { readViews } from '../baselines/node/models.js';
import { modelsDir } from '../machine/machine.js';
import { startTarget, type TargetName } from '../programs/program.js';

/**
 * Maximum accepted difference of a score. Chosen: Pillow's resampling moves scores in the middle of the scale by
 * 0.055.
 */
export const SCORE_TOLERANCE = 0.07;

/**
 * Checks every image with both programs. Telltale uses all crops, as the baselines do. `disagreements` are the images
 * with different verdicts or flags, with distant scores, or with a face that only one program found.
 */
export async function runAgreement({
  target,
  files,
}: {
  readonly target: TargetName;
  readonly files: readonly string[];
}) {
  const checker = await createChecker({ modelsDir: modelsDir(), device: 'cpu', views: readViews() });
  const baseline = await startTarget(target, null);
  const disagreements: string[] = [];
  let largest = 0;
  try {
    for (const path of files) {
      const bytes = readFileSync(path);
      const ours = presentCheck(await checker.check(bytes));
      const theirs = await ask(baseline.url, bytes, basename(path));
      const differences = [
        theirs.scores.full_image_specialist - (ours.scores.full_image_specialist ?? NaN),
        ours.scores.face_specialist === null || theirs.scores.face_specialist === null
          ? 0
          : theirs.scores.face_specialist - ours.scores.face_specialist,
      ].map(Math.abs);
      largest = Math.max(largest, ...differences);
      const isSame =
        theirs.is_ai === ours.is_ai &&
        theirs.face_found === ours.face_found &&
        theirs.fired.join() === ours.fired.join() &&
        differences.every((difference) => difference <= SCORE_TOLERANCE);
      if (!isSame) disagreements.push(basename(path));
    }
  } finally {
    await baseline.stop();
    await checker.close();
  }
  return { pictures: files.length, disagreements, largestScoreDifference: largest };
}

async function ask(url: string, bytes: Buffer, name: string): Promise<BaselineResult> {
  const { type, content } = makeBody(bytes, name, 'multipart');
  const response = await fetch(`${url}/v1/check`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: new Uint8Array(content),
  });
  if (response.status !== 200)
    throw new Error(`${name}: status ${response.status}: ${await response.text()}`);
  return (await response.json()) as BaselineResult;
}
