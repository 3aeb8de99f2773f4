// `telltale plans`: printing the limits of each plan that an account can have.
import { print, tableLines } from './command.js';
import { parseArgs } from 'node:util';
import { loadPlans, presentLimits } from '../../accounts/plans.js';
import { loadConfig } from '../../config.js';
import type { Command } from './command.js';

const HELP = `Usage: telltale plans [--json]

Prints the plans and their limits: checks per month, requests per second and
burst, batches, items per scan, and concurrent scans. TELLTALE_PLANS_FILE names
your own file of plans, in the format of the package's plans.json. A service
reads the file when it starts.

  --json   print the plans in the format of the file

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
