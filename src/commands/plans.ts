// `telltale plans`: what each plan allows.
import { parseArgs } from 'node:util';
import { loadPlans, type Plan } from '../accounts/plans.js';
import { loadConfig } from '../config.js';
import type { Command } from './command.js';

const HELP = `Usage: telltale plans [--json]

Prints the plans of the plans file: checks a month, requests a second with their
burst, and whether batches are allowed. TELLTALE_PLANS_FILE names a file of your
own (JSON, in the form of the package's plans.json); a running service reads it
when it starts.

  --json   the plans in the form of the file

Exit status: 0 done, 1 the file is not valid, 2 wrong usage.`;

/** The subcommand `plans`. */
export const plansCommand: Command = {
  help: HELP,
  async run(args, terminal) {
    const { values } = parseArgs({ args, options: { json: { type: 'boolean', default: false } } });
    const plans = loadPlans(loadConfig().plansFile ?? undefined);
    if (values.json) {
      await terminal.out.writeLine(
        JSON.stringify(Object.fromEntries([...plans].map(([name, plan]) => [name, present(plan)]))),
      );
      return 0;
    }
    await terminal.out.writeLine(line('PLAN', 'CHECKS A MONTH', 'REQUESTS A SECOND', 'BURST', 'BATCH'));
    for (const { name, checksPerMonth, requestsPerSecond, burst, batch } of plans.values()) {
      const checks = checksPerMonth === null ? 'no limit' : String(checksPerMonth);
      await terminal.out.writeLine(
        line(name, checks, String(requestsPerSecond), String(burst), batch ? 'yes' : 'no'),
      );
    }
    return 0;
  },
};

function line(name: string, checks: string, rate: string, burst: string, batch: string): string {
  return `${name.padEnd(12)}${checks.padStart(16)}${rate.padStart(20)}${burst.padStart(8)}${batch.padStart(8)}`;
}

function present(plan: Plan): object {
  return {
    checks_per_month: plan.checksPerMonth,
    requests_per_second: plan.requestsPerSecond,
    burst: plan.burst,
    batch: plan.batch,
  };
}
