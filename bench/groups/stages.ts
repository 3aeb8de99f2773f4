// Where the time of a check goes, and how near each step is to its library's limit.
import { join } from 'node:path';
import { basename } from 'node:path';
import { root } from '../paths.js';
import { plotBars } from '../report/bar-chart.js';
import { show } from '../report/numbers.js';
import type { Section, Table } from '../report/section.js';
import type { TrialResult } from '../trials/kinds.js';
import type { Context } from './context.js';
import { measureDatabases } from './database.js';

interface DecodeRow {
  readonly file: string;
  readonly bare_ms: number;
  readonly ours_ms: number;
}

interface StageRow {
  readonly file: string;
  readonly views: number;
  readonly faces: number;
  readonly sniff_ms: number;
  readonly decode_ms: number;
  readonly cut_views_ms: number;
  readonly detector_input_ms: number;
  readonly detect_ms: number;
  readonly read_faces_ms: number;
  readonly crop_faces_ms: number;
  readonly infer_views_ms: number;
  readonly infer_faces_ms: number;
}

interface InferenceRow {
  readonly network: string;
  readonly rows: number;
  readonly threads: number;
  readonly bare_ms: number;
  readonly ours_ms: number;
  readonly bare_split_ms: number;
  readonly bare_each_ms: number;
  readonly ours_each_ms: number;
}

interface AttemptRow {
  readonly choice: string;
  readonly alternative: string;
  readonly choice_ms: number;
  readonly alternative_ms: number;
}

const STEPS = [
  ['sniff', 'sniff_ms'],
  ['decode', 'decode_ms'],
  ['shrink, choose and cut views', 'cut_views_ms'],
  ['detector input', 'detector_input_ms'],
  ['find faces', 'detect_ms'],
  ['boxes, suppression', 'read_faces_ms'],
  ['cut faces', 'crop_faces_ms'],
  ['infer picture', 'infer_views_ms'],
  ['infer faces', 'infer_faces_ms'],
] as const;

/** Runs the group. */
export async function measureStages({ runner, loads, durations, cores }: Context): Promise<Section> {
  const decoded = await runner.runNative<DecodeRow>('stages', 'decoding against the codecs', {
    trial: 'decode',
    files: loads.decode,
    ms: durations.decodeMs,
  });
  const steps = await runner.runNative<StageRow>('stages', 'steps of a check on one thread', {
    trial: 'stages',
    files: loads.stages,
    ms: durations.stageMs,
  });
  const inferred = await runner.runNative<InferenceRow>('stages', 'inference against ONNX Runtime', {
    trial: 'inference',
    ms: durations.inferenceMs,
    threads: cores,
    batches: durations.batches,
  });
  const attempts = await runner.runNative<AttemptRow>('stages', 'choices against their alternatives', {
    trial: 'attempts',
    files: loads.stages,
    ms: durations.inferenceMs,
    threads: cores,
  });
  const parts = await runner.run('stages', 'steps in TypeScript', 'parts', {
    plainFile: loads.photo[0] ?? '',
    signedFile: join(root, 'samples/scene-signed-ai.jpg'),
    repeats: durations.partRepeats,
  });
  return {
    title: 'Stages',
    tables: [
      tableOfDecoding(decoded),
      tableOfSteps(steps),
      tableOfInference(inferred),
      tableOfAttempts(attempts),
      ...(parts ? [tableOfParts(parts)] : []),
      await measureDatabases(runner, durations),
    ],
    goals: [],
    plots: [
      {
        name: 'stages',
        svg: plotBars(
          'One check on one thread, milliseconds',
          STEPS.map(([label]) => label),
          steps.map((row) => ({
            label: basename(row.file),
            parts: STEPS.map(([, key]) => row[key]),
            note: '',
          })),
        ),
      },
    ],
  };
}

function tableOfDecoding(rows: readonly DecodeRow[]): Table {
  return {
    title:
      "Decoding, one thread: ours against a bare loop of the codec's library (ms, medians, in turn in one process)",
    head: ['file', 'bare', 'ours', 'bare ÷ ours'],
    rows: rows.map(({ file, bare_ms, ours_ms }) => [
      basename(file),
      show(bare_ms),
      show(ours_ms),
      show(bare_ms / ours_ms),
    ]),
  };
}

function tableOfSteps(rows: readonly StageRow[]): Table {
  const total = (row: StageRow): number => STEPS.reduce((sum, [, key]) => sum + row[key], 0);
  return {
    title: 'Steps of one check on one thread (ms, medians)',
    head: [
      'step',
      ...rows.map(({ file, views, faces }) => `${basename(file)}, ${views} views, ${faces} faces`),
    ],
    rows: [
      ...STEPS.map(([label, key]) => [label, ...rows.map((row) => show(row[key]))]),
      ['all', ...rows.map((row) => show(total(row)))],
    ],
  };
}

function tableOfInference(rows: readonly InferenceRow[]): Table {
  const threads = rows[0]?.threads ?? 0;
  return {
    title: `Inference (ms a row of the batch, medians): one thread; ${threads} threads in one run; ${threads} runs at once`,
    head: [
      'network',
      'rows a run',
      'bare, 1 thread',
      'ours, 1 thread',
      `bare, ${threads} threads share a run`,
      `bare, ${threads} runs at once`,
      `ours, ${threads} runs at once`,
    ],
    rows: rows.map((row) => [
      row.network,
      String(row.rows),
      ...[row.bare_ms, row.ours_ms, row.bare_split_ms].map((ms) => show(ms / row.rows)),
      ...[row.bare_each_ms, row.ours_each_ms].map((ms) => show(ms / row.rows / threads)),
    ]),
  };
}

function tableOfAttempts(rows: readonly AttemptRow[]): Table {
  return {
    title: 'Choices of the engine against what was tried instead (ms, medians, in turn in one process)',
    head: ['choice', 'time', 'alternative', 'time', 'alternative ÷ choice'],
    rows: rows.map(({ choice, choice_ms, alternative, alternative_ms }) => [
      choice,
      show(choice_ms),
      alternative,
      show(alternative_ms),
      choice_ms > 0 ? show(alternative_ms / choice_ms) : '–',
    ]),
  };
}

function tableOfParts(parts: TrialResult<'parts'>): Table {
  return {
    title: 'Steps in TypeScript (ms, medians)',
    head: ['step', 'time'],
    rows: [
      ['sniff through the addon', show(parts.sniff)],
      ['check with an engine that answers at once: limits, deadline, verdict', show(parts.verdict)],
      ['result as JSON', show(parts.present)],
      [
        'Content Credentials of a signed file, first (starts the reading process)',
        show(parts.credentialsFirst),
      ],
      ['Content Credentials of a signed file, later', show(parts.credentials)],
    ],
  };
}
