// `telltale plans`: printing the limits of each plan that an account can have.
import { print, tableLines } from './command.js';
import { parseArgs } from 'node:util';
import { loadPlans, presentLimits } from '../../accounts/plans.js';
import { loadConfig } from '../../config.js';
import type { Command } from './command.js';

const HELP = `Usage: telltale plans [--json]

Prints the plans of the plans file: checks a month, requests a second with their
burst, whether batches are allowed, items of a scan and scans at once.
TELLTALE_PLANS_FILE names a file of your own (JSON, in the form of the package's
plans.json); a running service reads it when it starts.

  --json   the plans in the form of the file

Exit status: 0 done, 1 the file is not valid, 2 wrong usage.`;

export const plansCommand: Command = {
  help: HELP,
  async run(args, terminal) {
    const { values } = parseArgs({ args, options: { json: { type: 'boolean', default: false } } });
    const plans = loadPlans(loadConfig().plansFile ?? undefined);
    const limits = Object.fromEntries([...plans].map(([name, plan]) => [name, presentLimits(plan)]));
    const rows = [...plans.values()].map((plan) => [
      plan.name,
      plan.checksPerMonth === null ? 'no limit' : String(plan.checksPerMonth),
      String(plan.requestsPerSecond),
      String(plan.burst),
      plan.batch ? 'yes' : 'no',
      String(plan.scanItems),
      String(plan.scansAtOnce),
    ]);
    const heads = ['plan', 'checks a month', 'requests a second', 'burst', 'batch', 'scan items', 'at once'];
    return print(terminal, values.json, limits, tableLines(heads, rows));
  },
};
