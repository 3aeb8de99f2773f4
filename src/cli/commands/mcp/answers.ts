// What an assistant reads: verdicts and refusals in words that keep their limits, beside the numbers for programs.
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { CheckError, StartError } from '../../../base/errors.js';
import { visibleText } from '../../../base/visible-text.js';
import type { CheckResult } from '../../../check/result-schema.js';
import { RecordFault } from '../../../record/faults.js';
import { toFailure } from '../check/picture-result.js';

/** Stands with every verdict that found nothing. */
export const NO_PROOF =
  "'No AI detected' is no proof that the picture is genuine: the detectors miss AI pictures, most of all small " +
  'retouched regions and recent face swaps.';
/** Stands with every verdict that found something. */
export const NO_CONVICTION =
  'This is a measured likelihood and no certainty: false alarms happen. Do not accuse anybody by it alone.';

/** The line that an assistant gets about a picture. */
export function verdictOf(result: Pick<CheckResult, 'id' | 'is_ai'>): string {
  return `${result.is_ai ? 'AI detected' : 'No AI detected'} (${result.id})`;
}

/** The verdict, its reason, its warnings and its limits. */
export function describeCheck(result: CheckResult, place: string): string {
  const warnings = (result.details?.warnings ?? []).map(({ message }) => `Bear in mind: ${message}`);
  const { width, height } = result.image;
  return [
    verdictOf(result),
    `Reason: ${visibleText(result.reason)}`,
    ...warnings.map(visibleText),
    `Limits: ${result.is_ai ? NO_CONVICTION : NO_PROOF}`,
    `Checked on ${place}: ${width} × ${height} px, model ${result.model}, profile ${result.profile}.`,
  ].join('\n');
}

/** The result without its details, which would fill an assistant's context; `explain_check` has what they say. */
export function withoutDetails(result: CheckResult): Record<string, unknown> {
  return Object.fromEntries(Object.entries(result).filter(([name]) => name !== 'details'));
}

/** An answer of text, and its numbers. */
export function answer(text: string, structuredContent: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent };
}

/**
 * The answer of `work`, or what it was refused for. Anything but a planned refusal is a fault of ours, told without a
 * stack.
 */
export async function answerOrRefuse(work: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await work();
  } catch (error) {
    const { code, message } =
      error instanceof RecordFault
        ? { code: 'invalid_record', message: error.message }
        : error instanceof StartError
          ? { code: error.code, message: error.message }
          : toFailure(error);
    const told =
      code === 'internal_error' && !(error instanceof CheckError) ? 'a fault of Telltale' : message;
    const text = `Refused (${code}): ${visibleText(told)}. There is no verdict, in either direction.`;
    return { ...answer(text, { error: { code, message: told } }), isError: true };
  }
}
