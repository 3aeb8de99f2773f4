// Comparing Telltale with simple programs for the same task (baselines), which run one after the other in each round.
import { GOALS } from '../goals.js';
import { join } from 'node:path';
import { root } from '../machine/machine.js';
import { show, showSpread } from '../report/section.js';
import type { Goal, Section, Table } from '../report/section.js';
import { median, ratioOfRounds, spread } from '../statistics.js';
import { installPythonBaseline } from '../programs/baselines.js';
import { explainMissingTelltale } from '../programs/telltale.js';
import type { TargetName } from '../programs/program.js';
import { SCORE_TOLERANCE } from '../trials/agreement.js';
import type { Context } from '../trials/runner.js';

interface Contestant {
  readonly name: string;
  /** Service to which checks are sent over HTTP. Null runs the checks in one process, without HTTP. */
  readonly target: TargetName | null;
  readonly who: 'telltale' | 'node-baseline';
}

const TELLTALE_IN_PROCESS: Contestant = { name: 'Telltale, in process', target: null, who: 'telltale' };
const TELLTALE_HTTP: Contestant = { name: 'Telltale, HTTP', target: 'telltale-sqlite', who: 'telltale' };
const NODE: Contestant = { name: 'Node baseline, in process', target: null, who: 'node-baseline' };
const NODE_HTTP: Contestant = { name: 'Node baseline, HTTP', target: 'node-baseline', who: 'node-baseline' };
const PYTHON_HTTP: Contestant = {
  name: 'Python baseline, HTTP',
  target: 'python-baseline',
  who: 'node-baseline',
};

/** Images for the comparison of verdicts. They have no Content Credentials, because the baselines don't read these. */
const SAMPLES = ['portrait.png', 'portrait-autoencoded.png', 'portrait-face-swapped.jpg', 'scene.jpg'];

export async function measureBaselines(context: Context): Promise<Section> {
  const { runner, options } = context;
  const noPython = installPythonBaseline();
  const noService = explainMissingTelltale('sqlite');
  if (noPython !== null) runner.skip('baselines', PYTHON_HTTP.name, noPython);
  if (noService !== null) runner.skip('baselines', TELLTALE_HTTP.name, noService);
  const contestants = [
    TELLTALE_IN_PROCESS,
    NODE,
    ...(noService === null ? [TELLTALE_HTTP] : []),
    NODE_HTTP,
    ...(noPython === null ? [PYTHON_HTTP] : []),
  ];
  const agreement = await testAgreement(context, [
    'node-baseline',
    ...(noPython === null ? ['python-baseline' as const] : []),
  ]);
  const tables: Table[] = [agreement];
  const goals: Goal[] = [];
  for (const load of options.files === null ? (['photo', 'mix'] as const) : (['mix'] as const)) {
    const rounds = await runRounds(context, load, contestants);
    tables.push(tableOfRounds(load, rounds, context.durations.callers));
    goals.push(...compare(load, rounds));
  }
  return {
    title: 'Baselines',
    tables,
    goals,
  };
}

async function testAgreement({ runner, loads }: Context, targets: readonly TargetName[]): Promise<Table> {
  const files = [
    ...SAMPLES.map((name) => join(root, 'samples', name)),
    ...new Set([...loads.photo, ...loads.mix]),
  ];
  const rows: string[][] = [];
  for (const target of targets) {
    const result = await runner.run('baselines', `verdict test of ${target}`, 'agreement', { target, files });
    if (!result) continue;
    const { pictures, disagreements, largestScoreDifference } = result;
    rows.push([
      target,
      String(pictures),
      disagreements.length === 0 ? 'none' : disagreements.join(', '),
      show(largestScoreDifference),
    ]);
  }
  return {
    title: `Verdict test: same verdict, same detectors fired, a face on both sides or neither, scores within ${SCORE_TOLERANCE}`,
    head: ['baseline', 'images', 'disagreements', 'largest difference of a score'],
    rows,
  };
}

/**
 * Returns the checks per second of each program in each round, or NaN if the program failed. In each round, all
 * programs run one after the other.
 */
async function runRounds(
  { runner, loads, durations }: Context,
  load: 'photo' | 'mix',
  contestants: readonly Contestant[],
): Promise<Map<Contestant, number[]>> {
  const speeds = new Map<Contestant, number[]>(contestants.map((contestant) => [contestant, []]));
  const common = {
    files: loads[load],
    warmUpSeconds: durations.warmUpSeconds,
  };
  const count = load === 'photo' ? durations.rounds : durations.moreRounds;
  for (let round = 1; round <= count; round += 1) {
    for (const contestant of contestants) {
      const name = `${contestant.name}, load ${load}, round ${round}`;
      const { target, who } = contestant;
      const result =
        target === null
          ? await runner.run('baselines', name, 'engine-closed', {
              ...common,
              seconds: durations.roundSeconds,
              who,
              device: 'cpu',
              concurrency: durations.callers,
            })
          : await runner.run('baselines', name, 'http-closed', {
              ...common,
              seconds: durations.baselineSeconds,
              target,
              device: 'cpu',
              body: 'multipart',
              connections: durations.callers,
            });
      speeds.get(contestant)?.push(result?.perSecond ?? NaN);
    }
  }
  return speeds;
}

function tableOfRounds(
  load: string,
  rounds: ReadonlyMap<Contestant, readonly number[]>,
  callers: number,
): Table {
  return {
    title: `Checks a second, load ${load}, ${callers} callers at once, on the CPU`,
    head: ['program', 'median (spread)', 'rounds'],
    rows: [...rounds].map(([{ name }, speeds]) => [
      name,
      showSpread(median(speeds), spread(speeds)),
      speeds.map(show).join(', '),
    ]),
  };
}

function compare(load: string, rounds: ReadonlyMap<Contestant, readonly number[]>): Goal[] {
  const pairs: [string, Contestant, Contestant, Goal['wanted']][] = [
    ['Node baseline, in process', TELLTALE_IN_PROCESS, NODE, GOALS.nodeBaseline],
    ['Node baseline, HTTP', TELLTALE_HTTP, NODE_HTTP, GOALS.nodeBaseline],
    ['Python baseline, HTTP', TELLTALE_HTTP, PYTHON_HTTP, GOALS.pythonBaseline],
  ];
  return pairs.flatMap(([name, ours, theirs, wanted]): Goal[] => {
    const [above, below] = [rounds.get(ours), rounds.get(theirs)];
    if (!above || !below) return [];
    // Ignores rounds in which either program failed or finished no check.
    const whole = above.map((_, round) => round).filter((round) => above[round]! > 0 && below[round]! > 0);
    if (whole.length === 0) return [];
    const ratio = ratioOfRounds(
      whole.map((round) => above[round]!),
      whole.map((round) => below[round]!),
    );
    return [
      {
        what: `throughput ÷ that of the ${name}, load ${load}`,
        value: ratio.median,
        unit: '×',
        wanted,
        note: `${ratio.rounds} rounds, ${show(ratio.least)} to ${show(ratio.greatest)}`,
      },
    ];
  });
}
